import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rowOf, writeOf } from '@/server/store/contract-fixtures'
import { createMemoryDisk } from '@/server/store/memory/disk'
import { openMemoryStore } from '@/server/store/memory/open'
import { openArtifactStore } from './open'

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-artifacts-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function opened(maxBytes = 100_000) {
  let count = 0
  return openArtifactStore({
    dataDir,
    rows: openMemoryStore().artifactRows,
    ids: { artifact: () => `a${(count += 1)}` },
    clock: { now: () => 1_000 + count },
    maxBytes,
  })
}

const about = {
  executionId: 'x1',
  nodeId: 'render',
  name: 'report.html',
  contentType: 'text/html; charset=utf-8',
}
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
}

describe('artifacts in files', () => {
  it('[N-17] a content goes with its last row, and never beside a put of the same content', async () => {
    const disk = createMemoryDisk()
    const { artifactRows, retention, ...store } = openMemoryStore(disk)
    let count = 0
    const artifacts = openArtifactStore({
      dataDir,
      rows: artifactRows,
      ids: { artifact: () => `a${(count += 1)}` },
      clock: { now: () => 1_000 },
    })
    const bytes = Buffer.from('shared')
    const digest = digestOf(bytes)
    await artifacts.putBytes({ ...about, bytes })
    await artifacts.discard(digest)
    expect(filesBelow(dataDir)).toEqual([digest])
    const row = rowOf('x1', { closedAt: 1 })
    await store.journal.commit({ executions: [{ ...writeOf('x1', ['a.completed']), row }] })
    await retention.begin('x1')
    await retention.step()
    const [, again] = await Promise.all([
      artifacts.discard(digest),
      artifacts.putBytes({ ...about, executionId: 'x2', bytes }),
    ])
    expect(await textOf(artifacts.open(again))).toBe('shared')
    disk.artifacts.clear()
    await artifacts.discard(digest)
    expect(filesBelow(dataDir)).toEqual([])
  })

  it('[R-78] an artifact that is shared stays when the execution that made it is removed', async () => {
    const disk = createMemoryDisk()
    const { artifactRows } = openMemoryStore(disk)
    const artifacts = openArtifactStore({
      dataDir,
      rows: artifactRows,
      ids: { artifact: () => 'a1' },
      clock: { now: () => 1_000 },
    })
    const row = await artifacts.putBytes({ ...about, bytes: Buffer.from('kept') })
    await artifacts.share(row, 'x9')
    await artifacts.share(row, 'x9')
    expect(await artifacts.list('x9')).toEqual([{ ...row, executionId: 'x9' }])
    disk.artifacts.delete(row.executionId)
    await artifacts.discard(row.digest)
    expect(await textOf(artifacts.open((await artifacts.get('x9', 'a1'))!))).toBe('kept')
  })

  it('a content lies under its digest, read-only, and its row says what it is', async () => {
    const artifacts = opened()
    const bytes = Buffer.from('<h1>Seattle</h1>')
    const row = await artifacts.putBytes({ ...about, bytes })
    const digest = digestOf(bytes)
    expect(row).toEqual({ ...about, artifactId: 'a1', bytes: bytes.length, digest, createdAt: 1_001 })
    const path = join(dataDir, 'artifacts', digest.slice(0, 2), digest)
    expect(artifacts.pathOf(row)).toBe(path)
    expect(readFileSync(path)).toEqual(bytes)
    expect(statSync(path).mode & 0o777).toBe(0o400)
    expect(await artifacts.get('x1', 'a1')).toEqual(row)
    expect(await artifacts.get('x2', 'a1')).toBeNull()
    expect(await artifacts.list('x1')).toEqual([row])
    expect(await textOf(artifacts.open(row))).toBe('<h1>Seattle</h1>')
  })

  it('reads ranges with both ends, and no others', async () => {
    const artifacts = opened()
    const row = await artifacts.putBytes({ ...about, bytes: Buffer.from('0123456789') })
    expect(await textOf(artifacts.open(row, { start: 2, end: 4 }))).toBe('234')
    expect(await textOf(artifacts.open(row, { start: 9, end: 9 }))).toBe('9')
    for (const [start, end] of [
      [0, 10],
      [5, 4],
      [-1, 2],
      [0.5, 2],
      [NaN, 1],
    ] as const) {
      expect(() => artifacts.open(row, { start, end })).toThrow(
        expect.objectContaining({ code: 'invalid_range' }),
      )
    }
  })

  it('equal contents share a file; what changes the source afterwards changes nothing here', async () => {
    const artifacts = opened()
    const path = join(dataDir, 'made.csv')
    writeFileSync(path, 'a,b\n1,2\n')
    const [first, second] = await Promise.all([
      artifacts.putFile({ ...about, path }),
      artifacts.putBytes({ ...about, name: 'other', bytes: Buffer.from('a,b\n1,2\n') }),
    ])
    expect(first.digest).toBe(second.digest)
    expect(filesBelow(join(dataDir, 'artifacts'))).toEqual([first.digest])
    writeFileSync(path, 'changed')
    expect(await textOf(artifacts.open(first))).toBe('a,b\n1,2\n')
  })

  it('takes an empty file and one of several chunks', async () => {
    const artifacts = opened(1_000_000)
    const path = join(dataDir, 'made.bin')
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(300_000, 'xyz')]) {
      writeFileSync(path, bytes)
      const row = await artifacts.putFile({ ...about, path })
      expect(row).toMatchObject({ bytes: bytes.length, digest: digestOf(bytes) })
      expect(readFileSync(artifacts.pathOf(row)).equals(bytes)).toBe(true)
    }
  })

  it('refuses links, folders and pipes instead of a file', async () => {
    const artifacts = opened()
    const refused = async (path: string) => {
      const attempt = artifacts.putFile({ ...about, path })
      await expect(attempt).rejects.toMatchObject({ code: 'not_a_file' })
    }
    const link = join(dataDir, 'link')
    symlinkSync('/etc/hostname', link)
    const pipe = join(dataDir, 'pipe')
    execFileSync('/usr/bin/mkfifo', [pipe])
    for (const path of [link, pipe, dataDir, join(dataDir, 'missing')]) await refused(path)
    expect(filesBelow(join(dataDir, 'artifacts'))).toEqual([])
  })

  it('[R-61] past the limit of bytes nothing is stored and the limit is named', async () => {
    const artifacts = opened(10)
    const bytes = Buffer.alloc(11)
    await expect(artifacts.putBytes({ ...about, bytes })).rejects.toMatchObject({
      code: 'artifact_too_large',
      message: expect.stringContaining('10 bytes'),
    })
    expect(filesBelow(join(dataDir, 'artifacts'))).toEqual([])
    expect(await artifacts.list('x1')).toEqual([])
  })

  it.each([
    { name: '' },
    { name: 'x'.repeat(256) },
    { name: 'a\r\nSet-Cookie: x' },
    { contentType: 'text/html\r\nx: y' },
    { contentType: 'html' },
    { contentType: '' },
  ])('refuses the description %j', async (wrong) => {
    const attempt = opened().putBytes({ ...about, ...wrong, bytes: Buffer.from('x') })
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_artifact' })
  })

  it('a row that names no digest, or a content that is gone or a link, opens nothing', async () => {
    const artifacts = opened()
    const row = await artifacts.putBytes({ ...about, bytes: Buffer.from('x') })
    for (const digest of ['../../penstock.db', '', 'AB'.repeat(32), `${row.digest}/`]) {
      expect(() => artifacts.open({ ...row, digest })).toThrow(
        expect.objectContaining({ code: 'unsafe_name' }),
      )
    }
    const path = artifacts.pathOf(row)
    chmodSync(path, 0o600)
    rmSync(path)
    expect(() => artifacts.open(row)).toThrow(expect.objectContaining({ code: 'artifact_missing' }))
    symlinkSync('/etc/hostname', path)
    expect(() => artifacts.open(row)).toThrow(expect.objectContaining({ code: 'unsafe_name' }))
  })

  it('what an earlier process left half written is cleared', async () => {
    opened()
    const left = join(dataDir, 'artifacts/unfinished/half')
    writeFileSync(left, 'half')
    opened()
    expect(filesBelow(join(dataDir, 'artifacts'))).toEqual([])
  })
})
