// npm test: sets itself up, checks everything, and ends with one line: N passed, N failed.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { alone, build, checkNode, install, onPath, root, run, say, tool } from './steps.mjs'

const reports = join(root, 'test-results')
const totals = { passed: 0, failed: 0 }

const print = (mark, name, ms, note = '') =>
  console.log(`${mark} ${name.padEnd(12)} ${`${(ms / 1000).toFixed(1)} s`.padStart(8)}${note && `  ${note}`}`)

/** A check without tests of its own: it counts only when it fails, and then as one. */
async function check(name, work) {
  const { status, output, ms } = await work()
  print(status === 0 ? '✓' : '✗', name, ms)
  if (status !== 0) {
    totals.failed += 1
    console.log(output.trimEnd())
  }
  return status === 0
}

/** Tests that write a report: `read` takes `{ passed, failed, skipped }` out of it. A run without a report is one failure. */
async function tests(name, report, work, read) {
  const { status, output, ms } = await work(report)
  let counts = { passed: 0, failed: 0, skipped: 0 }
  let broken = ''
  try {
    counts = read(JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    broken = 'no report'
  }
  // an error outside of any test (a file that does not load, an unhandled rejection) fails the run too
  if (status !== 0 && counts.failed === 0) counts.failed = 1
  totals.passed += counts.passed
  totals.failed += counts.failed
  const note = [
    `${counts.passed} passed`,
    `${counts.failed} failed`,
    counts.skipped && `${counts.skipped} skipped`,
    broken,
  ]
  print(counts.failed === 0 ? '✓' : '✗', name, ms, note.filter(Boolean).join(', '))
  if (counts.failed > 0) console.log(output.trimEnd())
}

const readVitest = ({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) => ({
  passed: numPassedTests,
  // a file that fails to load holds no tests
  failed:
    numFailedTests +
    testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
  skipped: numPendingTests + numTodoTests,
})

const readPlaywright = ({ stats, errors }) => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky + errors.length,
  skipped: stats.skipped,
})

const hasTests = (folder) =>
  existsSync(join(root, folder)) &&
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).some((path) =>
    /\.spec\.ts$/.test(path),
  )

/** The browser: one that is there, else Debian's through apt. */
async function browser() {
  const began = performance.now()
  const { chromium } = await import('@playwright/test')
  const places = [process.env.PENSTOCK_CHROMIUM, '/usr/bin/chromium', chromium.executablePath()]
  if (places.some((path) => path && existsSync(path))) return { status: 0, output: '', ms: 0 }
  if (!onPath('apt-get') || process.getuid?.() !== 0) {
    const output =
      'no browser: install chromium (Debian: apt-get install chromium) or set PENSTOCK_CHROMIUM to its path'
    return { status: 1, output, ms: 0 }
  }
  say('installing chromium')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], { env })
  const { status, output } = await run(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
    { env },
  )
  return { status, output, ms: performance.now() - began }
}

// what the checks print is kept and shown only when they fail: without colours, whoever reads it
process.env.FORCE_COLOR = '0'

checkNode()
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })
await alone(async () => {
  await install()
})

const began = performance.now()
const built = await check('build', async () => {
  const start = performance.now()
  const failure = await alone(build)
  return { status: failure ? 1 : 0, output: failure ?? '', ms: performance.now() - start }
})
// One of these takes as long as the others together, and each has need of one core.
await Promise.all([
  check('formatting', () => run(tool('prettier'), ['--check', '--log-level', 'warn', '.'])),
  (async () => {
    await check('lint', () => run(tool('oxlint'), ['.']))
    await check('spelling', () => run(tool('cspell'), ['--no-progress', '--quiet']))
    await check('types', () => run(tool('tsc'), ['--noEmit']))
    await check('unused', () => run(tool('knip'), ['--no-progress']))
    await check('rules', () => run(process.execPath, ['scripts/rules.mjs']))
  })(),
])
await tests(
  'tests',
  join(reports, 'tests.json'),
  (report) =>
    run(tool('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]),
  readVitest,
)
if (!hasTests('e2e')) say('no browser tests: e2e holds no *.spec.ts')
else if (built && (await check('browser', browser))) {
  await tests(
    'journeys',
    join(reports, 'journeys.json'),
    (report) =>
      run(tool('playwright'), ['test', '--reporter=line,json'], {
        env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
      }),
    readPlaywright,
  )
} else say('browser tests not run')

say(`checked in ${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 ? 1 : 0
