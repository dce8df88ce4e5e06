// npm run bench -- ARGUMENTS: bundles bench/main.ts and runs it against the production build.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { alone, build, checkNode, install, root, stop } from './steps.mjs'

checkNode()
if (!existsSync(join(root, 'bench/main.ts'))) stop('there is no benchmark: bench/main.ts is missing')
await alone(async () => {
  await install()
  const failure = await build()
  if (failure) stop(failure)
  const esbuild = await import('esbuild')
  const { bundleOptions } = await import('./bundle.mjs')
  await esbuild.build({ ...bundleOptions, entryPoints: ['bench/main.ts'], outfile: 'dist/bench.mjs' })
})
const bench = spawnSync(process.execPath, [join(root, 'dist/bench.mjs'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_ENV: 'production' },
})
process.exit(bench.status ?? 1)
