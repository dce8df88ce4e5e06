import { describe, expect, it } from 'vitest'
import { isFiltered, PERIODS, readFilter, requestOf, withIds } from './execution-filter'

const read = (query: string, pipeline?: string) => readFilter(new URLSearchParams(query), pipeline)

const NOTHING = { q: '', by: '', label: '', revision: '', over: '', under: '' }

describe('the filter of runs', () => {
  it('is read from the address; what it does not know filters nothing', () => {
    expect(read('')).toEqual({ status: undefined, pipeline: '', period: PERIODS[0], typed: NOTHING })
    expect(read('status=failed&pipeline=p&since=1d')).toEqual({
      status: 'failed',
      pipeline: 'p',
      period: PERIODS[2],
      typed: NOTHING,
    })
    expect(read('pipeline=p&q=+ada&by=eve&label=a:b&revision=3&over=10m&under=PT1H').typed).toEqual({
      ...{ q: 'ada', by: 'eve', label: 'a:b', revision: '3', over: '10m', under: 'PT1H' },
    })
    expect(read('status=odd&since=9y&label=a&over=long&under=2000d&revision=3')).toEqual(read(''))
    expect(read('pipeline=p&revision=0').typed.revision).toBe('')
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
    expect(requestOf(read('pipeline=p&q=ada&by=eve&label=a:b&revision=3&over=PT90S&under=1h'), now)).toEqual({
      ...{ limit: 50, pipeline: 'p', text: 'ada', requested_by: 'eve', label: 'a:b', revision: 3 },
      ...{ min_duration: '90s', max_duration: '1h' },
    })
  })

  it('knows whether it leaves runs out', () => {
    expect(isFiltered(read(''), false)).toBe(false)
    expect(isFiltered(read('', 'own'), true)).toBe(false)
    for (const query of ['status=failed', 'pipeline=p', 'since=1h', 'q=a', 'by=a', 'label=a:b', 'over=1s'])
      expect(isFiltered(read(query), false), query).toBe(true)
  })
})

it('chosen ids are added and removed in a new set', () => {
  const before = new Set(['a', 'b'])
  expect([...withIds(before, ['b', 'c'], true)]).toEqual(['a', 'b', 'c'])
  expect([...withIds(before, ['b', 'c'], false)]).toEqual(['a'])
  expect([...before]).toEqual(['a', 'b'])
})
