import { expect, it } from 'vitest'
import { createClosers } from './closers'

it('closes in the reverse order, once, also behind one that fails', async () => {
  const closed: string[] = []
  const warnings: unknown[] = []
  const closers = createClosers((_what, error) => warnings.push(error))
  const failure = new Error('stuck')
  closers.add(() => closed.push('store'))
  closers.add(async () => {
    throw failure
  })
  closers.add(async () => {
    await Promise.resolve()
    closed.push('server')
  })
  await closers.closeAll()
  await closers.closeAll()
  expect(closed).toEqual(['server', 'store'])
  expect(warnings).toEqual([failure])
})
