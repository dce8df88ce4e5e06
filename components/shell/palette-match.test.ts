import { describe, expect, it } from 'vitest'
import { GROUPS, matching, type Findable } from './palette-match'

const choice = (group: Findable['group'], label: string, detail = ''): Findable => ({ group, label, detail })
const labels = (all: readonly Findable[], text: string) => matching(all, text).map(({ label }) => label)

describe('what the palette finds', () => {
  const all = [
    choice('runs', '01JD', 'weather · failed'),
    choice('work', 'Run Weather report…', 'weather'),
    choice('pipelines', 'Morning mail', 'sends the weather'),
    choice('pipelines', 'The weather archive', 'archive'),
    choice('pipelines', 'Weather report', 'weather'),
    choice('pages', 'Pipelines', 'page'),
    choice('page', 'Publish…'),
    choice('schedules', 'daily of Weather report', '0 6 * * * America/Los_Angeles'),
  ]

  it('the commands of the page come first; in a group what begins so, then what is called so', () => {
    expect(labels(all, 'weather')).toEqual([
      'Weather report',
      'The weather archive',
      'Morning mail',
      'Run Weather report…',
      'daily of Weather report',
      '01JD',
    ])
    expect(labels(all, 'P')[0]).toBe('Publish…')
  })

  it('all words have to be there, in the name or in the detail', () => {
    expect(labels(all, 'run WEATHER')).toEqual(['Run Weather report…'])
    expect(labels(all, 'daily los_angeles')).toEqual(['daily of Weather report'])
    expect(labels(all, 'weather nowhere')).toEqual([])
    const found: Findable = { ...choice('runs', '01JE', 'mail · failed'), found: true }
    expect(labels([...all, found], 'zürich')).toEqual(['01JE'])
  })

  it('without a text: the beginning of each group, and not what there is one of for every pipeline', () => {
    expect(labels(all, ' ')).toEqual([
      'Publish…',
      'Pipelines',
      'Morning mail',
      'The weather archive',
      'Weather report',
      '01JD',
    ])
    const many = GROUPS.flatMap(({ id }) => Array.from({ length: 50 }, (_, at) => choice(id, `a${at}`)))
    expect(matching(many, '')).toHaveLength(29)
    expect(matching(many, 'a')).toHaveLength(7 * GROUPS.length)
  })
})
