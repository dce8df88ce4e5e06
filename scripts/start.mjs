// npm start: installs, generates and builds what is missing or out of date, then becomes the server. The server runs in this
// very process: a signal, an exit code or a kill concern one process, and nothing can be left behind.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { alone, build, checkNode, install, root, stop } from './steps.mjs'

checkNode()
await alone(async () => {
  await install()
  const failure = await build()
  if (failure) stop(failure)
})

const main = join(root, 'dist/main.mjs')
if (!existsSync(main)) stop('there is no server to start: server/main.ts is missing')
process.env.NODE_ENV = 'production'
process.env.NEXT_TELEMETRY_DISABLED = '1'
await import(pathToFileURL(main).href)
