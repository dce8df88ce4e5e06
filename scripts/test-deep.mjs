// npm run test:deep: the sizes that take hours. What `npm test` does a little of, this does until it would have shown.
// `npm run test:deep -- kills worlds` does some of it; `--short` does all of it small, to see that it works.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone, build, checkNode, install, root, run, stop, tool } from './steps.mjs'

const short = process.argv.includes('--short')
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const reports = join(root, 'test-results')

/** One family: which tests, grown by which variables, and in words what that is. */
const FAMILIES = [
  {
    name: 'worlds',
    files: ['testing/simulation'],
    grow: { PENSTOCK_SEEDS: ['1-200', '1-10000'] },
    what: 'simulated worlds with every fault, held against the oracle',
  },
  {
    name: 'kills',
    files: ['testing/kill-restart.test.ts'],
    grow: { PENSTOCK_KILLS: ['5', '1000'] },
    what: 'kill -9 spread over the journal of an example',
  },
  {
    name: 'in-flight',
    files: ['testing/kill-in-flight.test.ts'],
    grow: { PENSTOCK_KILLS_IN_FLIGHT: ['2x200', '200x1000'] },
    what: 'kill -9 with many runs in flight',
  },
  {
    name: 'failpoints',
    files: ['testing/failpoints.test.ts', 'server/store/migrate.test.ts'],
    grow: { PENSTOCK_FAILPOINTS: ['1', '60'] },
    what: 'the process ends at a named place of a commit or a migration',
  },
  {
    name: 'power-loss',
    files: ['server/store/power-loss.test.ts'],
    grow: { PENSTOCK_WAL_IMAGES: ['120', '100000'] },
    what: 'every sector of the log cut, torn and flipped',
  },
  {
    name: 'streams',
    files: ['server/transports/sse/streams.test.ts'],
    grow: { PENSTOCK_STREAMS: ['30', '1000'] },
    what: 'streams over random disconnects',
  },
  {
    name: 'overload',
    files: ['testing/overload.test.ts'],
    grow: { PENSTOCK_OVERLOAD_MS: ['4000', '60000'] },
    what: 'five times the load that is allowed',
  },
  {
    name: 'poison',
    files: ['testing/poison.test.ts', 'testing/suspended.test.ts'],
    grow: { PENSTOCK_POISON: ['200', '20000'] },
    what: 'malformed bodies and damaged rows; processes that stand still',
  },
]

const MUTANTS = { name: 'mutants', what: 'faults put into the core, that its fast tests have to see' }

const unknown = asked.filter(
  (name) => name !== MUTANTS.name && !FAMILIES.some((family) => family.name === name),
)
if (unknown.length > 0)
  stop(`there is no ${unknown.join(', ')}: there are ${FAMILIES.map(({ name }) => name).join(', ')}, mutants`)
const wanted = (name) => asked.length === 0 || asked.includes(name)

checkNode()
mkdirSync(reports, { recursive: true })
await alone(async () => {
  await install()
  const failure = await build()
  if (failure) stop(failure)
})

const rows = []
/** One family is done: at once a line for who waits, at the end a row of the table. */
function note({ name, what }, { size, passed, result, ms }) {
  rows.push({
    passed,
    line: `${name.padEnd(10)} ${size.padEnd(12)} ${(ms / 60_000).toFixed(1).padStart(6)} min  ${result}  ${what}`,
  })
  console.log(rows.at(-1).line)
}

process.env.FORCE_COLOR = '0'
for (const family of FAMILIES.filter(({ name }) => wanted(name))) {
  const { files, grow } = family
  const sizes = Object.entries(grow).map(([variable, [small, large]]) => [variable, short ? small : large])
  const { status, output, ms } = await run(tool('vitest'), ['run', ...files], {
    env: Object.fromEntries(sizes),
  })
  const size = sizes.map(([, value]) => value).join()
  const passed = status === 0
  note(family, { size, passed, result: passed ? 'passed' : 'failed', ms })
  if (status !== 0) console.log(output.trimEnd())
}
if (wanted(MUTANTS.name)) {
  const only = short ? ['--mutate', 'core/engine/decide/gate.ts'] : []
  const { status, output, ms } = await run(tool('stryker'), ['run', ...only])
  note(MUTANTS, { size: short ? 'one file' : 'six files', passed: status === 0, result: scoreOf(), ms })
  if (status !== 0) console.log(output.trimEnd().split('\n').slice(-40).join('\n'))
}

/** Share of the mutants that some test saw. */
function scoreOf() {
  const file = join(reports, 'mutation.json')
  if (!existsSync(file)) return 'nothing'
  const mutants = Object.values(JSON.parse(readFileSync(file, 'utf8')).files).flatMap((one) => one.mutants)
  const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError')
  const killed = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  return `${killed} of ${counted.length} (${((100 * killed) / counted.length).toFixed(1)} %)`
}

const failed = rows.filter(({ passed }) => !passed).length
console.log(
  ['', ...rows.map(({ line }) => line), `${rows.length - failed} passed, ${failed} failed`].join('\n'),
)
process.exitCode = failed > 0 ? 1 : 0
