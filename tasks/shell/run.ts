import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '@/core/engine/event'
import { shellInput } from './contract'
import type { ProducedFile, TaskContext, TaskRun } from '@/server/ports/runner'
import { FILE_LIMITS } from '@/core/pipeline/definition/file-limits'
import { contentTypeOf } from '@/tasks/support/content-type'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { readInput } from '@/tasks/support/read-input'
import { TaskFailure } from '@/tasks/support/task-failure'
import { wellFormed } from '@/tasks/support/well-formed'
import { createProgramOutput } from './output'

/** What it started in the background may hold its pipes open; no longer than this after its end. */
const DRAIN_MS = 500
const EXCERPT_CHARACTERS = 1_000

/**
 * Runs a program with nothing of the server's environment but PATH, in the attempt's folder, which is its HOME too; standard
 * input is closed. `exit_code`, the ends of `stdout` and `stderr`, and the files that it left in `out/`. Another exit code than 0 is
 * `task_failed`. Everything that it starts is in the process group of this child: the abort signal ends the group by
 * SIGTERM, the parent by SIGKILL a while later, and the guard when the server is gone. What left the group is found by its HOME.
 */
export const run: TaskRun = async (given, context) => {
  const input = readInput(shellInput, given)
  const { workDir } = context
  for (const word of input.command ?? [input.script ?? '']) wellFormed(word, 'the command')
  for (const [name, value] of Object.entries(input.env ?? {})) wellFormed(value, `env.${name}`)
  const cwd = input.cwd === undefined ? workDir : join(workDir, checkRelativePath(input.cwd, 'cwd'))
  // They lie in the folder already, and the input has their names in it.
  const files = Object.entries(input.files ?? {}).map(([name, file]) => [name, join(workDir, String(file))])
  await mkdir(cwd, { recursive: true }).catch(() => refuseFolder(input.cwd ?? '.'))
  await mkdir(join(workDir, 'out'), { recursive: true }).catch(() => refuseFolder('out'))
  const argv = input.command ?? (await scriptCommand(input.script ?? '', workDir))
  const environment = {
    PATH: process.env.PATH,
    HOME: workDir,
    LANG: 'C.UTF-8',
    ...(context.traceparent === undefined ? {} : { TRACEPARENT: context.traceparent }),
    ...Object.fromEntries(files),
    ...input.env,
  }
  const ending = await runProgram(argv, { cwd, environment, context })
  if (ending.code !== 0) throw failureOf(ending)
  return {
    exit_code: 0,
    stdout: ending.stdout,
    stderr: ending.stderr,
    artifacts: await filesIn(join(workDir, 'out')),
  }
}

function refuseFolder(name: string): never {
  throw new TaskFailure(
    'invalid_input',
    `the folder ${JSON.stringify(name)} cannot be made: a file has its name`,
  )
}

/** A file and what runs it: the program that its first line names, else `sh`. */
async function scriptCommand(script: string, workDir: string): Promise<string[]> {
  const file = join(await mkdtemp(join(workDir, '.script-')), 'script')
  await writeFile(file, script, { flag: 'wx', mode: 0o700 })
  return script.startsWith('#!') ? [file] : ['/bin/sh', file]
}

type Ending = {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

async function runProgram(
  [program = '', ...args]: readonly string[],
  {
    cwd,
    environment,
    context,
  }: { cwd: string; environment: Record<string, string | undefined>; context: TaskContext },
): Promise<Ending> {
  const stdout = createProgramOutput((line) => context.log('stdout', line))
  const stderr = createProgramOutput((line) => context.log('stderr', line))
  // The signal is for the whole group, in which this process is too: it stays, to report how the program ended.
  const stay = () => undefined
  const terminate = () => process.kill(-process.pid, 'SIGTERM')
  process.on('SIGTERM', stay)
  try {
    context.signal.throwIfAborted()
    // Next declares NODE_ENV as something that every process has; a program gets none.
    const child = spawn(program, args, {
      cwd,
      env: environment as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    context.signal.addEventListener('abort', terminate)
    child.stdout.on('data', (chunk: Buffer) => stdout.take(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.take(chunk))
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const ended = await new Promise<Pick<Ending, 'code' | 'signal'>>((resolve, reject) => {
      child.once('error', (error) => reject(startFailure(program, error)))
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    await Promise.race([closed, pause(DRAIN_MS)])
    child.stdout.destroy()
    child.stderr.destroy()
    return { ...ended, stdout: stdout.end(), stderr: stderr.end() }
  } finally {
    context.signal.removeEventListener('abort', terminate)
    process.off('SIGTERM', stay)
  }
}

function startFailure(program: string, error: NodeJS.ErrnoException): TaskFailure {
  const name = JSON.stringify(program.slice(0, 200))
  if (error.code === 'ENOENT') return new TaskFailure('task_failed', `there is no program ${name}`)
  if (error.code === 'EACCES') return new TaskFailure('task_failed', `${name} may not be run`)
  if (error.code === 'E2BIG')
    return new TaskFailure('invalid_input', 'the arguments and variables are larger than the system takes')
  return new TaskFailure('task_failed', `${name} cannot be started (${error.code ?? error.message})`)
}

function failureOf({ code, signal, stdout, stderr }: Ending): TaskFailure {
  const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  return new TaskFailure('task_failed', last === '' ? how : `${how}: ${last.slice(-500)}`, {
    exit_code: code,
    signal,
    stdout: stdout.slice(-EXCERPT_CHARACTERS),
    stderr: stderr.slice(-EXCERPT_CHARACTERS),
  })
}

/** Plain files below a folder, by name. Links are left where they are. */
async function filesIn(folder: string): Promise<(ProducedFile & JsonObject)[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  if (files.length > FILE_LIMITS.left) {
    throw new TaskFailure(
      'output_too_large',
      `out/ holds ${files.length} files, and ${FILE_LIMITS.left} become artifacts`,
    )
  }
  return files.sort().map((file) => {
    const name = relative(folder, file).split(sep).join('/')
    return { $file: file, name, contentType: contentTypeOf(name) }
  })
}
