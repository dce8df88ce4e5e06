import { describe, expect, it } from 'vitest'
import { handleFault } from './handle'

describe('handles', () => {
  it('takes small letters, digits, dots and hyphens', () => {
    for (const handle of ['ada', 'ada.lovelace', 'a', 'ada-2', 'a'.repeat(63)])
      expect(handleFault(handle), handle).toBeNull()
  })

  it('[R-92] refuses what could be an id, a schedule or a hook', () => {
    for (const handle of [
      'usr_1',
      'tok_1',
      'sys_engine',
      'schedule:daily',
      'hook:in',
      '',
      'Ada',
      ' ada',
      'ada\n',
    ])
      expect(handleFault(handle), handle).toMatch(/^A name has/)
    expect(handleFault('a'.repeat(64))).toMatch(/^A name has/)
  })

  it('[R-92] refuses the names of the owner and of the server itself', () => {
    for (const handle of ['owner', 'bootstrap', 'engine', 'system', 'examples'])
      expect(handleFault(handle), handle).toMatch(/is reserved/)
  })
})
