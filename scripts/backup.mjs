// npm run backup -- FOLDER: copies database and artifacts into a new folder, whether the server runs or not.
import { bundled, place, told } from './backup-steps.mjs'

const target = process.argv[2]
if (target === undefined || target.startsWith('-')) {
  console.error('usage: npm run backup -- FOLDER (a new one)')
  process.exit(2)
}
await told(async () => {
  const { backup } = await bundled()
  const { contents, missing } = await backup(place(), target, new Date())
  console.log(`wrote ${target}: the database and ${contents.length} different files of runs`)
  if (missing.length > 0) console.log(`${missing.length} files that the database names were missing`)
  console.log(
    'Keep the secret key (secret.key of the data folder, or PENSTOCK_SECRET_KEY) apart: it is not in it.',
  )
})
