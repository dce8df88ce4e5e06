import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type ServerProcess } from './server-process'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].sort()
const read = (page: string) => readFileSync(join(root, page), 'utf8')

/** The texts of fenced blocks whose first line is exactly this. */
function blocks(text: string, language: string): string[] {
  const found: string[] = []
  const fence = /^( *)```(.*)\n([^]*?)^\1```$/gm
  for (const [, indent = '', info = '', body = ''] of text.matchAll(fence))
    if (info === language) found.push(body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  return found
}

const prelude = blocks(read('docs/how-to/use-the-rest-api.md'), 'sh prelude').join('\n')
const commands = new Map(
  pages.flatMap((page) => {
    const script = blocks(read(page), 'sh').join('\n')
    return script === '' ? [] : [[page, script] as const]
  }),
)
const definitions = pages.flatMap((page) =>
  blocks(read(page), 'yaml')
    .filter((text) => text.startsWith('schemaVersion:'))
    .map((text) => [page, text] as const),
)

describe('the documentation', () => {
  let server: ServerProcess
  let folder: string
  beforeAll(async () => {
    server = await startServer()
    folder = mkdtempSync(join(tmpdir(), 'penstock-docs-'))
  }, 90_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has commands and definitions to try', () => {
    expect(prelude).toContain('ask()')
    expect(commands.size).toBeGreaterThanOrEqual(5)
    expect(definitions.length).toBeGreaterThanOrEqual(2)
  })

  it.each([...commands])('%s: every command works', { timeout: 60_000 }, async (_page, script) => {
    const address = { PENSTOCK_URL: server.origin, PENSTOCK_TOKEN: server.token }
    await run('bash', ['--norc', '-euo', 'pipefail', '-c', `${prelude}\n${script}`], {
      cwd: folder,
      env: { ...process.env, ...address },
      timeout: 50_000,
    })
  })

  it.each(definitions)('%s: its definition is valid', async (_page, text) => {
    const answer = await fetch(`${server.origin}/api/v1/pipelines/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/yaml' },
      body: text,
    })
    expect(await answer.json()).toMatchObject({ valid: true, issues: [] })
  })

  it.each(pages)('%s: names only scripts and pages that exist', (page) => {
    const text = read(page)
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/^ {4,}npm (?:run )?([a-z:]+)|`npm (?:run )?([a-z:]+)/gm)].map(
      ([, block, inline]) => block ?? inline,
    )
    expect(named.filter((name) => name !== 'ci' && scripts[name!] === undefined)).toEqual([])
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!)
    expect(links.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([])
  })

  it('keeps the README to what fits on 150 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(150)
  })
})
