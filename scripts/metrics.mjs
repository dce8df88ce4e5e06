// npm run metrics: counts what the code is to have less of, beside the most that is allowed. Fails when there is more.
// A count that falls takes its limit with it: lower the number in LIMITS in the same commit.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const FOLDERS = ['app', 'bench', 'cli', 'components', 'core', 'e2e', 'sdk', 'server', 'tasks', 'testing']

/** The most that is allowed of each count. The goal is 0 everywhere. */
export const LIMITS = {
  circles: 0,
  payloadCasts: 0,
  unknownCasts: 0,
  slicedTypes: 0,
  longFunctions: 0,
  manyParameters: 0,
  longFiles: 0,
}

const WORDS = {
  circles: 'files in circles of imports (values, types and late imports)',
  payloadCasts: 'payload fields that are cast in place of typed',
  unknownCasts: "'as unknown as' in core, but for tests",
  slicedTypes: 'event types taken apart outside the parser (core/pipeline/gate/event-type.ts)',
  longFunctions: 'functions of more than 100 lines',
  manyParameters: 'functions of more than 4 parameters',
  longFiles: 'files of more than 450 lines (tests 600)',
}

const PAYLOAD_CAST = /payload(?:\??\.)?\[['"]\w+['"]\](?:[^;\n]*[^;\w\n])?as (?!const\b)/
const UNKNOWN_CAST = /\bas unknown as\b/
const SLICED_TYPE =
  /\b(?!content|media)\w*[tT]ype\??\.(?:slice\((?!0, \d)|split\(|indexOf\(|lastIndexOf\(|endsWith\('\.|startsWith\('(?:external|pipeline)\.)|\.startsWith\('external\.'\)/
const PARSER = 'core/pipeline/gate/event-type.ts'

const isTest = (path) => /\.(?:test|spec)\.tsx?$/.test(path)

/** Every source file by path from the root, with its text. */
function readSources(root) {
  const files = new Map()
  for (const folder of FOLDERS.filter((name) => existsSync(join(root, name))))
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      if (/\.tsx?$/.test(name)) {
        const path = `${folder}/${name}`
        files.set(path, readFileSync(join(root, path), 'utf8'))
      }
  return files
}

/** Lines that match, as `path:line`. */
function linesWith(files, pattern, isCounted) {
  return [...files].flatMap(([path, text]) =>
    isCounted(path)
      ? text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : []))
      : [],
  )
}

/** Circles of files that import each other, largest first (Tarjan). Type imports and `import()` count: neither file goes without the other. */
export function circlesOf(files) {
  const imports = new Map(
    [...files].map(([path, text]) => [
      path,
      [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].flatMap(([, name]) => {
        const found = name.startsWith('@/')
          ? name.slice(2)
          : name.startsWith('.')
            ? normalize(join(dirname(path), name))
            : null
        const candidates = found === null ? [] : [found, `${found}.ts`, `${found}.tsx`, `${found}/index.ts`]
        return candidates.filter((candidate) => files.has(candidate)).slice(0, 1)
      }),
    ]),
  )
  const index = new Map()
  const low = new Map()
  const open = []
  const circles = []
  const visit = (path) => {
    index.set(path, index.size)
    low.set(path, index.get(path))
    open.push(path)
    for (const next of imports.get(path)) {
      if (!index.has(next)) visit(next)
      if (open.includes(next)) low.set(path, Math.min(low.get(path), low.get(next)))
    }
    if (low.get(path) !== index.get(path)) return
    const circle = open.splice(open.indexOf(path))
    if (circle.length > 1 || imports.get(path).includes(path)) circles.push(circle.sort())
  }
  for (const path of files.keys()) if (!index.has(path)) visit(path)
  return circles.sort((a, b) => b.length - a.length)
}

/** What the linter finds with the limits of sizes alone, as `path:line` by rule. */
function sizesOf(root) {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-metrics-'))
  const config = join(folder, 'oxlintrc.json')
  const maxLines = (max) => ({ 'max-lines': ['error', { max }] })
  writeFileSync(
    config,
    JSON.stringify({
      categories: { correctness: 'off' },
      rules: {
        ...maxLines(450),
        'max-lines-per-function': ['error', { max: 100, IIFEs: true }],
        'max-params': ['error', { max: 4 }],
      },
      overrides: [
        {
          files: ['**/*.test.ts', '**/*.test.tsx', '**/*.spec.ts'],
          rules: { ...maxLines(600), 'max-lines-per-function': 'off', 'max-params': 'off' },
        },
      ],
    }),
  )
  const folders = FOLDERS.filter((name) => existsSync(join(root, name)))
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/oxlint/bin/oxlint'), '-c', config, '-f', 'json', ...folders],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  rmSync(folder, { recursive: true, force: true })
  const found = { 'max-lines': [], 'max-lines-per-function': [], 'max-params': [] }
  for (const { code, filename, labels } of JSON.parse(run.stdout).diagnostics)
    found[/\(([\w-]+)\)/.exec(code)?.[1] ?? '']?.push(`${filename}:${labels[0]?.span.line}`)
  return found
}

/** The counts of lines. */
export function linesOf(files) {
  return {
    payloadCasts: linesWith(files, PAYLOAD_CAST, () => true),
    unknownCasts: linesWith(files, UNKNOWN_CAST, (path) => path.startsWith('core/') && !isTest(path)),
    slicedTypes: linesWith(
      files,
      SLICED_TYPE,
      (path) => /^(?:core|server|components|app)\//.test(path) && !isTest(path) && path !== PARSER,
    ),
  }
}

/** Every count with the places that make it up. */
export function measure(root) {
  const files = readSources(root)
  const sizes = sizesOf(root)
  return {
    circles: circlesOf(files).flat(),
    ...linesOf(files),
    longFunctions: sizes['max-lines-per-function'],
    manyParameters: sizes['max-params'],
    longFiles: sizes['max-lines'],
  }
}

function main() {
  const found = measure(resolve(import.meta.dirname, '..'))
  for (const [name, places] of Object.entries(found)) {
    console.log(`${String(places.length).padStart(4)} of at most ${LIMITS[name]}: ${WORDS[name]}`)
    if (process.argv.includes('--list')) for (const place of places) console.log(`       ${place}`)
    if (places.length > LIMITS[name]) process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
