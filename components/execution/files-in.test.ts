import { expect, it } from 'vitest'
import { filesIn } from './files-in'

it('files among values are those that are one, lists of them, and what is saved as one', () => {
  const report = { artifact_id: 'f1', name: 'report.html', content_type: 'text/html', bytes: 7, digest: 'd' }
  const large = { artifact_id: 'value-d9', digest: 'd9', bytes: 9_000_000 }
  expect(
    filesIn({ report, parts: [report, 1], days: 3, none: null, other: { artifact_id: 7 }, rows: large }),
  ).toEqual([
    { value: 'report', id: 'f1', name: 'report.html', bytes: 7 },
    { value: 'parts', id: 'f1', name: 'report.html', bytes: 7 },
    { value: 'rows', id: 'value-d9', name: 'the whole value', bytes: 9_000_000 },
  ])
  expect(filesIn({ many: Array.from({ length: 500 }, () => report) })).toHaveLength(50)
})
