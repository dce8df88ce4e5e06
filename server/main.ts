import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { captureConsole } from '@/server/observe/capture-console'
import { createLog } from '@/server/observe/log'
import { prepareNextPages } from './next-pages'
import { serve } from './serve'
import { readSettings } from './settings'

/** The time that a stop may take before the process ends anyway. */
const stopMs = 4_500

const read = readSettings(process.env)
if (!read.ok) {
  for (const problem of read.problems) process.stderr.write(`${problem}\n`)
  process.exit(1)
}
const { settings } = read
const { logLevel, bootstrapToken, secretKey, metricsToken } = settings
const log = createLog({ level: logLevel, secrets: [bootstrapToken, secretKey, metricsToken] })
const development = process.env.NODE_ENV === 'development'

function fatal(error: unknown): never {
  log.fatal('the server cannot go on', error)
  process.exit(1)
}
// What compiles pages in development speaks to the person who develops.
if (!development) captureConsole(log)
process.on('uncaughtException', fatal)
process.on('unhandledRejection', fatal)
for (const name of read.unknown) log.warn(`${name} is not a setting of this version`)

/** The folder that holds package.json: the bundle lies below it, at a depth that differs between start and development. */
function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
const projectDir = projectFolder()

try {
  const server = await serve({
    settings,
    log,
    projectDir,
    runnerEntry: new URL('./runner.mjs', import.meta.url),
    checkerEntry: new URL('./checker.mjs', import.meta.url),
    preparePages: () =>
      prepareNextPages({ development, projectDir, host: settings.host, port: settings.port }),
    development,
    fatal,
  })
  process.stdout.write(
    `Penstock is at ${server.url.origin}\nSign in once with ${server.signInUrl.href} (good for an hour)\n`,
  )
  log.info(`listening at ${server.url.origin}`)
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal is impatience: the journal is safe at any moment.
    if (stopping) process.exit(1)
    stopping = true
    log.info(`${signal}: stopping`)
    setTimeout(() => process.exit(0), stopMs).unref()
    server.stop().then(() => process.exit(0), fatal)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exit(1)
}

/** One line for what an operator can fix; the whole error for what they cannot. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    const port = 'port' in error ? error.port : settings.port
    const setting = port === settings.metricsPort ? 'PENSTOCK_METRICS_PORT' : 'PORT'
    return `Port ${String(port)} of ${settings.host} is taken: stop what uses it, or set ${setting} to another.`
  }
  if (code === 'EACCES') return `${error.message}: this user may not do that.`
  // The message of the store, of the key or of the system says all that is needed.
  if (error.name === 'StoreError' || code === 'unusable_secret_key') return error.message
  if ('syscall' in error || String(code).startsWith('SQLITE_'))
    return `The server cannot start: ${error.message.split('\n', 1)[0]}`
  return error.stack ?? error.message
}
