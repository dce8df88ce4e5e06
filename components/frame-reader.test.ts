import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameReader, type Frame } from './frame-reader'

describe('the frame reader', () => {
  const text =
    ': hello\r\n\r\nid: 1\nevent: execution\ndata: {"a":\ndata: 1}\n\nid:2\ndata:x\n\n: beat\n\nevent: none\n\n'
  const frames: Frame[] = [
    { event: 'execution', data: '{"a":\n1}', id: '1' },
    { event: 'message', data: 'x', id: '2' },
  ]

  it('reads the same frames wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
        const got: Frame[] = []
        const comments: string[] = []
        const read = createFrameReader(
          (frame) => got.push(frame),
          (comment) => comments.push(comment),
        )
        const points = [0, ...cuts.sort((a, b) => a - b), text.length]
        for (let i = 1; i < points.length; i++) read(text.slice(points[i - 1], points[i]))
        expect(got).toEqual(frames)
        expect(comments).toEqual([' hello', ' beat'])
      }),
    )
  })

  it('refuses a frame without an end', () => {
    const read = createFrameReader(() => undefined)
    expect(() => read('x'.repeat(8_000_001))).toThrow('too large')
  })
})
