// npm run rules [-- --list] [--require CHAPTER]…: which tests hold which rule of docs/rules.tsv. A test names its rules in
// brackets at the start of its name. Fails on a name without a rule, and on a rule of a finished or required chapter
// without a test.
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const FOLDERS = [
  'core',
  'tasks',
  'server',
  'components',
  'app',
  'sdk',
  'cli',
  'testing',
  'e2e',
  'scripts',
  'bench',
]

/**
 * Reads the list of rules: `{ rules: Map(id → { chapter, text }), finished: [chapter] }`. Throws on a rule that stands twice.
 */
export function readRules(text) {
  const rules = new Map()
  const finished = []
  for (const line of text.split('\n')) {
    const header = /^# finished:(.*)$/.exec(line)
    if (header) finished.push(...header[1].split(/[\s,]+/).filter(Boolean))
    if (line === '' || line.startsWith('#') || line.startsWith('rule\t')) continue
    const [id, chapter, short] = line.split('\t')
    if (rules.has(id)) throw new Error(`rule ${id} stands twice`)
    rules.set(id, { chapter, text: short })
  }
  return { rules, finished }
}

/**
 * The ids at the start of the names in one test file: of calls, and of rows in tables of cases. A skipped test proves nothing
 * and does not count.
 */
export function namedRules(source) {
  const found = new Set()
  const lines = source.split('\n')
  lines.forEach((line, at) => {
    if (/^\s*(?:\/\/|\*)/.test(line)) return
    // the formatter breaks a long call after its parenthesis
    const call = /\($/.test(lines[at - 1] ?? '') ? `${lines[at - 1]}${line}` : line
    if (/\.(?:skip|todo)\(/.test(call)) return
    for (const [, ids] of line.matchAll(/['"`]((?:\[[A-Z]-O?\d+[a-z]?\]\s*)+)/g)) {
      for (const [, id] of ids.matchAll(/\[([^\]]+)\]/g)) found.add(id)
    }
  })
  return [...found]
}

function testFiles(root) {
  const found = []
  const walk = (folder) => {
    let entries
    try {
      entries = readdirSync(join(root, folder), { withFileTypes: true })
    } catch {
      return
    }
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(path)
      } else if (/\.(?:test|spec)\.tsx?$/.test(entry.name)) found.push(path)
    }
  }
  FOLDERS.forEach(walk)
  return found.sort()
}

/** Compares the list with the tests. Answers `{ tests: Map(id → [file]), unknown: ['file: id'], missing: [id] }`. */
export function compare({ rules, finished }, files, required = []) {
  const tests = new Map()
  const unknown = []
  for (const [path, source] of files) {
    for (const id of namedRules(source)) {
      if (rules.has(id)) tests.set(id, [...(tests.get(id) ?? []), path])
      else unknown.push(`${path}: ${id}`)
    }
  }
  const held = new Set([...finished, ...required])
  const missing = [...rules]
    .filter(([id, { chapter }]) => held.has(chapter) && !tests.has(id))
    .map(([id]) => id)
  return { tests, unknown, missing }
}

function main(args) {
  const root = resolve(import.meta.dirname, '..')
  const required = args.flatMap((word, at) => (args[at - 1] === '--require' ? [word] : []))
  const list = readRules(readFileSync(join(root, 'docs/rules.tsv'), 'utf8'))
  const files = testFiles(root)
    .filter((path) => path !== 'scripts/rules.test.ts')
    .map((path) => [path, readFileSync(join(root, path), 'utf8')])
  const { tests, unknown, missing } = compare(list, files, required)

  if (args.includes('--list')) {
    for (const [id, { chapter, text }] of list.rules) {
      console.log(`${id}\t${chapter}\t${tests.get(id)?.join(' ') ?? '-'}\t${text}`)
    }
  }
  const chapters = [...new Set([...list.rules.values()].map(({ chapter }) => chapter))]
  const counts = chapters.map((chapter) => {
    const ids = [...list.rules].filter(([, rule]) => rule.chapter === chapter).map(([id]) => id)
    return `${chapter} ${ids.filter((id) => tests.has(id)).length}/${ids.length}`
  })
  console.log(`rules named by tests: ${counts.join(', ')}`)
  for (const line of unknown) console.error(`no such rule in docs/rules.tsv: ${line}`)
  for (const id of missing) console.error(`no test names ${id}: ${list.rules.get(id)?.text}`)
  for (const chapter of required)
    if (!chapters.includes(chapter)) console.error(`no such chapter: ${chapter}`)
  return unknown.length + missing.length > 0 || required.some((chapter) => !chapters.includes(chapter))
    ? 1
    : 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = main(process.argv.slice(2))
}
