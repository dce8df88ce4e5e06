import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

describe('file.write', () => {
  it('makes an artifact of text and of JSON', async () => {
    const outputs = outputsOf(
      await at.run('file.write', { path: 'weather/report.html', content: '<h1>ä</h1>' }),
    )
    expect(outputs).toMatchObject({
      path: 'weather/report.html',
      bytes: 11,
      artifact: { name: 'weather/report.html', content_type: 'text/html; charset=utf-8', bytes: 11 },
    })
    expect(await at.textOf(outputs['artifact'])).toBe('<h1>ä</h1>')
    const json = outputsOf(await at.run('file.write', { path: 'a.json', content: { a: [1] } }))
    expect(JSON.parse(await at.textOf(json['artifact']))).toEqual({ a: [1] })
  })

  it('refuses paths that leave the folder and content types that are none', async () => {
    for (const path of [
      '../a',
      '/a',
      'a/../../b',
      'a\\b',
      'a\0b',
      '',
      'a//b',
      'a\nb',
      'x'.repeat(256),
      '\ud800',
      3,
    ]) {
      expect(errorOf(await at.run('file.write', { path, content: 'x' })).kind, String(path)).toBe(
        'invalid_input',
      )
    }
    const half = errorOf(await at.run('file.write', { path: 'a', content: 'x\ud800' }))
    expect(half).toMatchObject({
      kind: 'invalid_input',
      message: expect.stringContaining('content') as string,
    })
    for (const contentType of ['html', 'text/html\r\nset-cookie: a', '']) {
      const result = await at.run('file.write', { path: 'a', content: 'x', content_type: contentType })
      expect(errorOf(result).kind).toBe('invalid_input')
    }
  })
})
