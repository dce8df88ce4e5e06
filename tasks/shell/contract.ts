import { ONE_CHILD } from '@/core/pipeline/definition/demand'
import { FILE_LIMITS } from '@/core/pipeline/definition/file-limits'
import { z } from 'zod'
import { toText } from '@/core/pipeline/expression/template'
import type { TaskContract } from '@/tasks/contract'
import { filesReference, relativePath } from '@/tasks/fields'

/** A word that a program gets as it is: any text without NUL, which the system could not pass on. */
const word = z
  .union([z.string().max(100_000), z.number(), z.boolean()])
  .transform((value) => toText(value))
  .refine((text) => !text.includes('\0'), { error: 'a NUL character cannot be passed to a program' })

/** Variables that would turn a value into code or into another program. */
const harmfulName =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|IFS|PS4|SHELLOPTS|BASHOPTS|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT)$/

/** Values by the names of environment variables. */
const variables = <T extends z.ZodType>(value: T, most: number) =>
  z.record(z.string(), value).superRefine((given, context) => {
    const names = Object.keys(given)
    if (names.length > most) context.addIssue({ code: 'custom', message: `at most ${most} variables` })
    for (const name of names) {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name)) {
        const message = 'a variable is named with letters, digits and _, such as STATION'
        context.addIssue({ code: 'custom', path: [name], message })
      } else if (harmfulName.test(name)) {
        context.addIssue({ code: 'custom', path: [name], message: `${name} would turn a value into code` })
      }
    }
  })

/** Input of a program, parsed. Default: cwd is the folder of the attempt. */
export const shellInput = z
  .strictObject({
    command: z
      .array(word)
      .min(1)
      .max(200)
      .optional()
      .describe('The program and its arguments, one by one; no shell reads them.'),
    script: z
      .string()
      .min(1)
      .max(200_000)
      .optional()
      .meta({ description: 'Lines for sh, instead of a command.', contentMediaType: 'application/x-sh' }),
    env: variables(word, 200)
      .optional()
      .meta({ title: 'Environment', description: 'Variables of the program.' }),
    files: variables(filesReference, FILE_LIMITS.names)
      .optional()
      .describe('Files, each as a variable that holds its path. A list of files becomes a folder.'),
    cwd: relativePath
      .optional()
      .meta({ title: 'Folder', description: "Where it runs, inside the run's folder." }),
  })
  .refine(({ command, script }) => (command === undefined) !== (script === undefined), {
    error: "give either 'command' or 'script'",
  })
  .refine(({ env = {}, files = {} }) => !Object.keys(files).some((name) => Object.hasOwn(env, name)), {
    error: 'a variable stands in env or in files',
    path: ['files'],
  })

export const shell = {
  type: 'shell',
  title: 'Run a program',
  description:
    'Runs a program with its arguments, or a script, with the rights of the server. `command` passes through no shell; values reach a script by `env`, files (paths or artifacts) by `files`, each as a variable with its path: `{{ }}` inside a script is not evaluated. Files that it leaves in `out/` become artifacts. Off until PENSTOCK_ALLOW_SHELL turns it on.',
  category: 'code',
  icon: 'terminal',
  keywords: 'bash command program python',
  input: shellInput,
  output: {
    exit_code: { type: 'number', description: 'Always 0: any other fails the node.' },
    stdout: { type: 'string', description: 'What it printed, the last 64 KB.' },
    stderr: { type: 'string', description: 'Its messages, the last 64 KB.' },
    artifacts: { type: 'array', description: 'The files that it left in out/, at most 1,000.' },
  },
  literalInputs: ['script'],
  argvInput: 'command',
  takesFiles: { input: 'files', many: true },
  example: { script: 'echo "$STATION" > out/station.txt', env: { STATION: 'seattle' } },
  placement: 'child',
  hasEffect: () => true,
  demands: ONE_CHILD,
} satisfies TaskContract
