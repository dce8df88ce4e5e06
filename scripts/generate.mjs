// Generates the Prisma client into generated/prisma, without downloading an engine.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')

/** Generates the client when there is a schema. Throws with the tool's own words when the schema is wrong. */
export function generate() {
  if (!existsSync(join(root, 'prisma/schema.prisma'))) return
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/prisma/build/index.js'), 'generate', '--schema', 'prisma/schema.prisma'],
    {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        // Prisma's command looks for a schema engine at every start and downloads one when this names no file.
        // Generating needs none, so any file will do.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  )
  if (run.status !== 0) throw new Error(`prisma generate failed\n${run.stdout}${run.stderr}`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) generate()
