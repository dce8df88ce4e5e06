// node scripts/build.mjs [server|pages]: bundles the server and its child process into dist, builds the pages into .next.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
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
}
