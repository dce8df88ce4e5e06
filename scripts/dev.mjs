// npm run dev: the server from dist/dev, bundled and started again at every change; the pages by Next in development mode.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { alone, checkNode, install, root, say } from './steps.mjs'

checkNode()
await alone(async () => {
  await install()
})
const { context } = await import('esbuild')
const { bundleOptions, serverEntries } = await import('./bundle.mjs')

let server
let turn = Promise.resolve()

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => child.once('exit', done))

async function stopServer() {
  if (!server) return
  server.kill('SIGTERM')
  const patience = setTimeout(() => server.kill('SIGKILL'), 6_000)
  await ended(server)
  clearTimeout(patience)
}

/** One restart at a time: a change during a restart waits for it. */
function restart() {
  turn = turn.then(async () => {
    await stopServer()
    server = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/dev/main.mjs')], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' },
    })
  })
}

const watching = await context({
  ...bundleOptions,
  entryPoints: serverEntries(),
  outdir: 'dist/dev',
  outExtension: { '.js': '.mjs' },
  plugins: [
    {
      name: 'restart',
      setup: ({ onEnd }) =>
        onEnd(({ errors }) => {
          if (errors.length > 0) say('not started again: the bundle has errors')
          else restart()
        }),
    },
  ],
})
await watching.watch()

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await watching.dispose()
    await stopServer()
    process.exit(0)
  })
}
