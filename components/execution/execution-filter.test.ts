import { describe, expect, it } from 'vitest'
import { PERIODS, readFilter, requestOf, withIds } from './execution-filter'

const read = (query: string, pipeline?: string) => readFilter(new URLSearchParams(query), pipeline)

describe('the filter of runs', () => {
  it('is read from the address; what it does not know filters nothing', () => {
    expect(read('')).toEqual({ status: undefined, pipeline: '', period: PERIODS[0] })
    expect(read('status=failed&pipeline=p&since=1d')).toEqual({
      status: 'failed',
      pipeline: 'p',
      period: PERIODS[2],
    })
    expect(read('status=odd&since=9y')).toEqual(read(''))
  })

  it('cannot leave the pipeline that a page is about', () => {
    expect(read('pipeline=other', 'own').pipeline).toBe('own')
  })

  it('asks for a period from a full minute on', () => {
    const now = Date.parse('2026-03-01T12:34:56.789Z')
    expect(requestOf(read('since=1h'), now)).toEqual({ limit: 50, from: '2026-03-01T11:34:00.000Z' })
    expect(requestOf(read('since=1h'), now + 3_000)).toEqual(requestOf(read('since=1h'), now))
    expect(requestOf(read('status=open'), now)).toEqual({
      limit: 50,
      status: ['pending', 'running', 'waiting', 'paused', 'verifying', 'rolling_back'],
    })
    expect(requestOf(read('status=failed&pipeline=p'), now)).toEqual({
      limit: 50,
      status: ['failed'],
      pipeline: 'p',
    })
  })
})

it('chosen ids are added and removed in a new set', () => {
  const before = new Set(['a', 'b'])
  expect([...withIds(before, ['b', 'c'], true)]).toEqual(['a', 'b', 'c'])
  expect([...withIds(before, ['b', 'c'], false)]).toEqual(['a'])
  expect([...before]).toEqual(['a', 'b'])
})
