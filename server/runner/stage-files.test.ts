import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '@/core/pipeline/json'
import { stageFiles } from './stage-files'

describe('files of an attempt', () => {
  let workDir: string
  beforeEach(async () => {
    workDir = await mkdtemp(join(tmpdir(), 'penstock-stage-'))
  })
  afterEach(() => rm(workDir, { recursive: true, force: true }))

  /** Artifacts are named `id:name` here, and hold their id. */
  const artifact = (id: string): Json => ({ artifact_id: id, name: id.split(':')[1]! })
  const stage = (files: Json, limit = 1_000_000) =>
    stageFiles(files, {
      workDir,
      limit,
      open: (_label, file) => {
        const source = 'path' in file ? file.path : file.artifact_id
        const content = { bytes: source.length, open: () => Readable.from([source]) }
        const name = source.split(/[:/]/).at(-1)!
        return Promise.resolve({ ok: true, value: { name, bytes: source.length, source, content } })
      },
    })
  const inFolder = async (name: string) => {
    const names = (await readdir(join(workDir, name))).sort()
    return Promise.all(
      names.map(async (file) => `${file}=${await readFile(join(workDir, name, file), 'utf8')}`),
    )
  }

  it('[R-55] of a list become a folder, with names of their own where all differ', async () => {
    const staged = await stage({ PARTS: [artifact('1:b.csv'), artifact('2:a.csv')], one: 'samples/x.csv' })
    expect(staged).toEqual({ PARTS: 'PARTS', one: 'x.csv' })
    expect(await inFolder('PARTS')).toEqual(['a.csv=2:a.csv', 'b.csv=1:b.csv'])
    expect((await readdir(workDir)).sort()).toEqual(['PARTS', 'x.csv'])
  })

  it('[R-55] of one name are numbered, and sort as their list does', async () => {
    const list = Array.from({ length: 12 }, (_, at) => artifact(`${at}:part.csv`))
    await stage({ PARTS: list })
    const all = await inFolder('PARTS')
    expect(all).toHaveLength(12)
    expect(all.map((file) => Number(file.split('=')[1]!.split(':')[0]))).toEqual([...list.keys()])
    expect(all[0]).toBe('01-part.csv=0:part.csv')
    expect(all[11]).toBe('12-part.csv=11:part.csv')
  })

  it('never take the name of another', async () => {
    await stage({
      a: [artifact('1:x'), artifact('2:x'), artifact('3:1-x'), artifact('4:X')],
      b: [artifact('5:1'), artifact('6:0')],
    })
    expect(await inFolder('a')).toEqual(['1-x=1:x', '2-x=2:x', '3-1-x=3:1-x', '4-X=4:X'])
    expect(await inFolder('b')).toEqual(['0=6:0', '1=5:1'])
  })

  it('[R-55] of lists in a list, as a forEach over programs leaves them, lie in one folder', async () => {
    await stage({ PARTS: [[artifact('1:a'), artifact('2:b')], [], [artifact('3:c')]], NONE: [] })
    expect(await inFolder('PARTS')).toEqual(['a=1:a', 'b=2:b', 'c=3:c'])
    expect(await inFolder('NONE')).toEqual([])
  })

  it('[R-61] are a thousand and more, and bounded', async () => {
    const parts = (count: number) => Array.from({ length: count }, (_, at) => `in/${at}.csv`)
    await stage({ PARTS: parts(1_100) })
    expect(await readdir(join(workDir, 'PARTS'))).toHaveLength(1_100)
    await expect(stage({ MORE: parts(10_001) })).rejects.toThrow('together more than 10000 files')
    await expect(stage({ BIG: parts(20) }, 50)).rejects.toThrow('files: together more than 50 bytes')
    const names = Object.fromEntries(parts(51).map((path, at) => [`F${at}`, path]))
    await expect(stage(names)).rejects.toThrow('at most 50 names')
  })

  it('are refused with their place', async () => {
    await expect(stage({ PARTS: [artifact('1:a'), null] })).rejects.toThrow('files.PARTS[1] is null')
    await expect(stage({ P: [[artifact('1:a'), 7]] })).rejects.toThrow('files.P[0][1] must be a path')
    await expect(stage({ out: [artifact('1:a')] })).rejects.toThrow('files.out: a list needs another name')
    await expect(stage({ 'a.csv': [artifact('1:a')] })).rejects.toThrow('a list needs another name')
    await expect(stage({ a: 'in/Q', Q: [] })).rejects.toThrow('files.Q: there is another file named Q')
    await expect(stage({ R: [], a: 'in/R' })).rejects.toThrow('files.a: there is another file named R')
  })
})
