// How TypeScript becomes something that Node runs. Packages stay outside: they are found in node_modules at run time.
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Options of esbuild that every bundle of this project shares. @type {import('esbuild').BuildOptions} */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  tsconfig: 'tsconfig.json',
  sourcemap: true,
  logLevel: 'warning',
}
