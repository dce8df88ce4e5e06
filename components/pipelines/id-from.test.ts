import { describe, expect, it } from 'vitest'
import { idPattern } from '@/core/pipeline/definition/definition'
import { idFrom } from './id-from'

describe('the id that a name suggests', () => {
  it('is an id, or nothing', () => {
    const names = [
      'Ünited Weather 2',
      '  7 days — of rain!',
      '<script>alert(1)</script>',
      '天気',
      'a'.repeat(90),
    ]
    expect(names.map(idFrom)).toEqual([
      'united_weather_2',
      'days_of_rain',
      'script_alert_1_script',
      '',
      'a'.repeat(63),
    ])
    for (const id of names.map(idFrom)) expect(id === '' || idPattern.test(id)).toBe(true)
  })
})
