import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const planted = readFileSync(join(root, 'scripts/lint-fixtures/planted.txt'), 'utf8')

// A number of its own, so that a fixture which lost its lines does not pass for a clean house.
const EXPECTED_FINDINGS = 178

interface Finding {
  filename: string
  code: string
  labels: { span: { line: number } }[]
}

/** What the fixture writes (path → lines) and where it expects a finding ("path:line", repeated for two on a line). */
function readPlanted(text: string): { files: Map<string, string[]>; expected: string[] } {
  const files = new Map<string, string[]>()
  const expected: string[] = []
  let path: string | undefined
  for (const line of text.split('\n')) {
    const header = /^=== (\S+)$/.exec(line)
    if (header?.[1]) {
      path = header[1]
      files.set(path, [])
    } else if (path) {
      const lines = files.get(path) ?? []
      lines.push(line)
      for (const _ of line.matchAll(/\/\/ refused/g)) expected.push(`${path}:${lines.length}`)
    }
  }
  return { files, expected }
}

function lint(folder: string): Finding[] {
  const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return (JSON.parse(run.stdout) as { diagnostics: Finding[] }).diagnostics
}

function sources(folders: string[]): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => /\.(?:tsx?|mjs)$/.test(path))
}

describe('boundaries', () => {
  let folder = ''

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-boundaries-'))
    for (const file of ['.oxlintrc.json', 'tsconfig.json']) cpSync(join(root, file), join(folder, file))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('the linter sees every planted violation of the import table, and nothing else', () => {
    const { files, expected } = readPlanted(planted)
    for (const [path, lines] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), lines.join('\n'))
    }
    const long = `export const long = (_1: 1, _2: 2, _3: 3, _4: 4, _5: 5) => {\n${'// …\n'.repeat(450)}}`
    writeFileSync(join(folder, 'core/pipeline/long.ts'), long)

    const found = lint(folder)
    const places = found
      .filter(({ filename }) => !filename.endsWith('long.ts'))
      .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`)
    expect(places.sort()).toEqual(expected.sort())
    const codes = found.filter(({ filename }) => filename.endsWith('long.ts')).map(({ code }) => code)
    expect(codes.sort()).toEqual([
      'eslint(max-lines)',
      'eslint(max-lines-per-function)',
      'eslint(max-params)',
    ])
    expect(found).toHaveLength(EXPECTED_FINDINGS)
  })

  it('every row of the configuration has planted files', () => {
    const rows = [...readFileSync(join(root, '.oxlintrc.json'), 'utf8').matchAll(/"files": \[([^\]]+)\]/g)]
      .flatMap(([, globs]) => [
        ...(globs ?? '').matchAll(/"((?:core|tasks|server|sdk|cli|app|components)[^"*{]*)/g),
      ])
      .map(([, folderOfRow]) => folderOfRow ?? '')
    const paths = [...readPlanted(planted).files.keys()]
    expect(rows.length).toBeGreaterThan(25)
    expect(
      rows.filter((row) => !paths.some((path) => path.startsWith(row)) && !row.endsWith('.tsx')),
    ).toEqual([])
  })

  it('core and the contracts of tasks read no clock', () => {
    const pure = /^core\/|^tasks\/(?:contracts?|fields|error-kinds|.*\/contract)\.ts$/
    const files = sources(['core', 'tasks']).filter((path) => pure.test(path) && !path.endsWith('.test.ts'))
    expect(files).toContain('core/engine/instant.ts')
    expect(files).toContain('tasks/wait/contract.ts')
    const clock = /\bnew Date\(\)|\bnew Date\b(?!\()|(?<!new )\bDate\(\)|\bDate\.now\b/
    expect(files.filter((path) => clock.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  it('no file of the product switches the linter or the compiler off', () => {
    const folders = [
      'app',
      'components',
      'core',
      'tasks',
      'server',
      'sdk',
      'cli',
      'testing',
      'e2e',
      'bench',
      'scripts',
    ]
    const files = sources(folders).filter((path) => path !== 'scripts/boundaries.test.ts')
    expect(files).toContain('scripts/start.mjs')
    const off = /(?:eslint|oxlint)-disable|@ts-(?:ignore|nocheck|expect-error)|prettier-ignore/
    expect(files.filter((path) => off.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })
})
