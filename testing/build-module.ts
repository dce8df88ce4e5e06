import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Builds a module as the product builds its child program. It lies below the project, so that it finds the same packages.
 * `source` is TypeScript; without it the product's own child is built.
 */
export async function buildModule(folder: string, source?: string): Promise<URL> {
  const outfile = join(folder, `${randomBytes(6).toString('hex')}.mjs`)
  await build({
    ...(source === undefined
      ? { entryPoints: [join(root, 'server/runner/child/main.ts')] }
      : { stdin: { contents: source, resolveDir: root, loader: 'ts' as const } }),
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    alias: { '@': root },
    logLevel: 'silent',
  })
  return pathToFileURL(outfile)
}

/** The program that commits until somebody stops it, as a file. */
export async function buildDurabilityChild(): Promise<string> {
  const folder = join(root, 'node_modules/.cache/penstock')
  return fileURLToPath(await buildModule(folder, "import '@/testing/durability-child'"))
}
