import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import type { Principal } from '@/core/engine/principal'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import type { Example, OperationContext } from '@/server/operations/context'
import { createPipeline } from '@/server/operations/create-pipeline'
import { isDomainError } from '@/server/operations/domain-error'

/** `examples/files.json`: relative path below the files folder → path below the project (a file of an installed package). */
const filesSchema = z.record(z.string().min(1), z.string().min(1))

/** The examples of the product, in order of their file names. One that cannot be read is left out, with a warning. */
export function readExamples(
  projectDir: string,
  warn: (message: string, error: unknown) => void,
): readonly Example[] {
  const folder = join(projectDir, 'examples')
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  return files.toSorted().flatMap((file) => {
    const yaml = readFileSync(join(folder, file), 'utf8')
    const head = headSchema.safeParse(valueOf(yaml))
    if (head.success) return [{ ...head.data, yaml }]
    warn(`the example ${file} cannot be read`, head.error)
    return []
  })
}

/** What a gallery says of an example before it is opened. */
const headSchema = z
  .object({ id: z.string(), name: z.string().optional(), description: z.string().optional() })
  .transform(({ id, name = id, description = null }) => ({ id, name, description }))

function valueOf(yaml: string): unknown {
  const parsed = parseYaml(yaml)
  return parsed.ok ? parsed.value : null
}

/**
 * Puts the sample files into the files folder and, once in the life of a data folder, stores the examples: what somebody deleted
 * stays deleted. An example that is not valid is left out, with a warning.
 */
export async function loadExamples(options: {
  readonly ctx: OperationContext
  readonly caller: Principal
  readonly projectDir: string
  readonly dataDir: string
  readonly filesDir: string
  readonly warn: (message: string, error: unknown) => void
}): Promise<void> {
  const { ctx, caller, projectDir, dataDir, filesDir, warn } = options
  mkdirSync(filesDir, { recursive: true, mode: 0o700 })
  const folder = join(projectDir, 'examples')
  if (!existsSync(folder)) return
  try {
    copyFiles(folder, projectDir, filesDir)
  } catch (error) {
    warn('the sample files could not be placed', error)
  }
  const loaded = join(dataDir, 'examples.loaded')
  if (existsSync(loaded)) return
  for (const { id, yaml } of ctx.examples) {
    try {
      await createPipeline(ctx, caller, { yaml })
    } catch (error) {
      // A boot that was cut short is continued: what it stored is there already.
      if (isDomainError(error) && error.code === 'already_exists') continue
      warn(
        `the example ${id} was not loaded`,
        isDomainError(error) ? { message: error.message, issues: error.issues } : error,
      )
    }
  }
  writeFileSync(loaded, '', { mode: 0o600 })
}

function copyFiles(folder: string, projectDir: string, filesDir: string): void {
  const list = join(folder, 'files.json')
  if (!existsSync(list)) return
  for (const [target, source] of Object.entries(filesSchema.parse(JSON.parse(readFileSync(list, 'utf8'))))) {
    const to = join(filesDir, target)
    if (relative(filesDir, to).startsWith('..')) throw new Error(`${target} lies outside of the files folder`)
    if (existsSync(to)) continue
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    copyFileSync(join(projectDir, source), to)
    chmodSync(to, 0o600)
  }
}
