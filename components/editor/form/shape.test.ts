import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { taskCatalog } from '@/tasks/contracts'
import { emptyOf, fits, inWords, scalarOf, shapeOf, type Shape } from './shape'

const fieldOf = (task: string, name: string) => {
  const shape = shapeOf(taskCatalog.get(task)!.input)
  return shape.kind === 'object' ? shape.fields.find((field) => field.name === name) : undefined
}
const kindOf = (task: string, name: string) => fieldOf(task, name)?.shape.kind

describe('the shape of a contract', () => {
  it('says what each input is drawn as', () => {
    expect(fieldOf('duckdb.query', 'sql')).toMatchObject({
      title: 'SQL',
      required: true,
      shape: { kind: 'text', long: true, language: 'sql' },
    })
    expect(fieldOf('duckdb.query', 'max_rows')).toMatchObject({
      title: 'Max rows',
      required: false,
      shape: { kind: 'number', whole: true, least: 0, most: 100_000 },
    })
    expect(fieldOf('duckdb.query', 'files')?.shape).toEqual({
      kind: 'map',
      value: { kind: 'text', long: false, language: null, examples: [] },
    })
    expect(fieldOf('duckdb.query', 'params')?.shape).toMatchObject({
      kind: 'either',
      options: [{ title: 'List' }, { title: 'By name' }],
    })
    expect(fieldOf('http.request', 'method')?.shape).toMatchObject({ kind: 'choice' })
    expect(fieldOf('http.request', 'url')?.shape).toMatchObject({ kind: 'text', long: false })
    expect(kindOf('http.request', 'body')).toBe('any')
    expect(kindOf('approval', 'excludeRequester')).toBe('boolean')
    expect(fieldOf('approval', 'message')?.shape).toMatchObject({ kind: 'text', long: true })
    expect(fieldOf('approval', 'form')?.shape).toMatchObject({ kind: 'map', value: { kind: 'object' } })
    expect(shapeOf(taskCatalog.get('set')!.input)).toEqual({ kind: 'map', value: { kind: 'any' } })
  })

  it('reads every task of the catalog: each example is what its form draws', () => {
    for (const { type, input, example } of taskCatalog.values()) {
      const shape = shapeOf(input)
      expect(fits(shape, example), type).toBe(true)
      if (shape.kind !== 'object') continue
      for (const field of shape.fields)
        expect(fits(field.shape, example[field.name]), `${type} ${field.name}`).toBe(true)
    }
  })

  it('tells the members of a union apart by their word', () => {
    const shape = shapeOf(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('cron'), cron: z.string() }),
        z.object({ type: z.literal('webhook'), secret: z.string() }),
      ]),
    )
    if (shape.kind !== 'either') throw new Error('no union')
    expect(shape.options.map(({ title }) => title)).toEqual(['Cron', 'Webhook'])
    const at = (value: unknown) => shape.options.findIndex((option) => fits(option.shape, value))
    expect(at({ type: 'webhook' })).toBe(1)
    expect(at({ type: 'cron' })).toBe(0)
    expect(emptyOf(shape.options[1]!.shape)).toEqual({ type: 'webhook', secret: '' })
  })

  it('of a value that it cannot draw says so', () => {
    const text: Shape = { kind: 'text', long: false, language: null, examples: [] }
    expect(fits(text, 4)).toBe(false)
    expect(fits({ kind: 'list', item: text }, { a: 1 })).toBe(false)
    expect(fits({ kind: 'choice', options: ['a'] }, 'b')).toBe(false)
    expect(fits(text, undefined)).toBe(true)
  })
})

describe('words', () => {
  it('are made of names', () => {
    expect(inWords('max_rows')).toBe('Max rows')
    expect(inWords('rejectQuorum')).toBe('Reject quorum')
    expect(inWords('__proto__')).toBe('Proto')
    expect(inWords('')).toBe('')
  })

  it('are values where they read as one', () => {
    expect(['12', '-1.5', 'true', 'false'].map(scalarOf)).toEqual([12, -1.5, true, false])
    for (const text of ['', '1.50', '007', '1e3', 'True', '12345678901234567890', '4xx'])
      expect(scalarOf(text)).toBe(text)
  })
})
