import { describe, expect, it } from 'vitest'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { createLargeValues } from './large-values'

const big = (text: string) => [text.repeat(2 * 1024 * 1024)]
const about = { node: 'a', name: 'a.rows' }

describe('large values of runs', () => {
  it('[R-61] are on disk once they are flushed, with a row in each execution that has them and one content', async () => {
    const artifacts = createMemoryArtifacts()
    const values = createLargeValues(artifacts)
    const ref = values.of('x1').keep(big('x'), about)
    expect(artifacts.contents.size).toBe(0)
    expect(values.of('x1').load(ref)).toEqual(big('x'))
    await values.flush(['x1'])
    const copied = values.of('x2').keep(values.of('x1').load(ref)!, { node: 'b', name: 'b/3.rows' })
    await values.flush(['x2'])
    expect(copied).toEqual(ref)
    expect(artifacts.contents.size).toBe(1)
    expect([...artifacts.rows.values()]).toMatchObject([
      { executionId: 'x1', nodeId: 'a', name: 'a.rows.json', artifactId: ref.artifact_id, bytes: ref.bytes },
      {
        executionId: 'x2',
        nodeId: 'b',
        name: 'b.3.rows.json',
        artifactId: ref.artifact_id,
        bytes: ref.bytes,
      },
    ])
    // Another process has nothing in memory.
    expect(createLargeValues(artifacts).of('x1').load(ref)).toEqual(big('x'))
  })

  it('[R-61] values stored for a void decision are not written; a content that is gone is reported as gone', async () => {
    const artifacts = createMemoryArtifacts()
    const values = createLargeValues(artifacts)
    const ref = values.of('x1').keep(big('x'), about)
    values.drop('x1')
    await values.flush(['x1'])
    expect(artifacts.contents.size).toBe(0)
    expect(createLargeValues(artifacts).of('x1').load(ref)).toBeUndefined()
  })

  it('[R-61] memory stays bounded: what was read long ago is read again', () => {
    const artifacts = createMemoryArtifacts()
    const values = createLargeValues(artifacts)
    const refs = Array.from({ length: 40 }, (_, n) =>
      values.of(`x${n}`).keep(big(String.fromCharCode(97 + (n % 26)) + n), about),
    )
    for (let n = 0; n < 40; n += 1) values.drop(`x${n}`)
    // Nothing is on disk: what can still be had is what memory holds.
    const held = refs.filter((ref) => values.of('x').load(ref) !== undefined)
    const bytes = held.reduce((sum, ref) => sum + ref.bytes, 0)
    expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024)
    expect(held.at(-1)).toEqual(refs.at(-1))
  })
})
