import { z } from 'zod'
import { FILE_LIMITS } from '@/core/pipeline/definition/file-limits'
import { durationExamples, durationHint, parseDuration } from '@/core/pipeline/duration'
import { toText } from '@/core/pipeline/expression/template'

/** Fields that several task contracts share. */

/** Text that people read. A number or a boolean is printed, so that `{{ extract.rows }}` alone is a message too. */
export const messageText = z
  .union([z.string().min(1).max(10_000), z.number(), z.boolean()])
  .transform((value) => toText(value))

/** A duration as people write it: `30s`, `PT30S`. */
export const durationText = z
  .string()
  .max(40)
  .refine((text) => parseDuration(text) !== null, {
    error: (issue) => `'${String(issue.input)}' is not a duration; ${durationHint}`,
  })
  .meta({ description: durationHint, examples: durationExamples })

function isRelativePath(path: string): boolean {
  const segments = path.split('/')
  // Control characters and backslashes mean different things to different file systems.
  return segments.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\p{Cc}\\:]/u.test(path)
}

/** A path inside the run's own folder: relative, without `..`. */
export const relativePath = z
  .string()
  .min(1)
  .max(500)
  .refine(isRelativePath, {
    error: (issue) => `'${String(issue.input)}' is not a relative path inside the run's folder`,
  })

/** A file that an earlier node made, or one by its path. */
export const fileReference = z.union([
  z.string().min(1).max(1_000),
  z.looseObject({ artifact_id: z.string() }),
])

/** Lists nest as far as a `forEach` over nodes that leave lists does. */
const fileList = z
  .array(z.union([fileReference, z.array(fileReference), z.null()]))
  .max(FILE_LIMITS.files)
  .meta({ format: 'files' })

/** A file, or a list of files: that becomes a folder. */
export const filesReference = z.union([fileReference, fileList])
