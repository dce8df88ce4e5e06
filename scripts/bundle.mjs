// How TypeScript becomes something that Node runs. Packages stay outside: they are found in node_modules at run time.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** An import of our own that does not resolve would pass for a package, and only the running server would miss it. */
const ownImports = {
  name: 'own-imports',
  setup: ({ onResolve, resolve: ask }) =>
    onResolve({ filter: /^@\// }, async ({ path, pluginData, ...from }) => {
      if (pluginData === ownImports) return undefined
      const found = await ask(path, { ...from, pluginData: ownImports })
      return found.external ? { errors: [{ text: `${path} is not there` }] } : found
    }),
}

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
  plugins: [ownImports],
}

/** What runs: the server, the child process and the thread beside it, and the command of users. Those that exist. */
export function serverEntries() {
  const entries = {
    main: 'server/main.ts',
    runner: 'server/runner/child/main.ts',
    checker: 'server/checking/worker.ts',
    cli: 'cli/main.ts',
  }
  return Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(join(root, path))))
}
