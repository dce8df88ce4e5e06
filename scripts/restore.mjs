// npm run restore -- FOLDER [--force]: puts a backup into the data folder of a server that does not run.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bundled, place, root, told } from './backup-steps.mjs'

const [source, ...flags] = process.argv.slice(2)
if (source === undefined || source.startsWith('-') || flags.some((flag) => flag !== '--force')) {
  console.error('usage: npm run restore -- FOLDER [--force]')
  process.exit(2)
}
await told(async () => {
  const { restore } = await bundled()
  const knownMigrations = readdirSync(join(root, 'prisma/migrations'))
  const force = flags.includes('--force')
  const { created_at: at } = await restore(place(), source, { force, now: new Date(), knownMigrations })
  console.log(
    `restored the backup of ${at}; put the secret key of that time in its place before the next start`,
  )
})
