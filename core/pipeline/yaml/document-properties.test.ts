import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { changeDocument, editDocument, openDocument } from './document'
import type { Json } from '@/core/pipeline/json'
import { sameJson } from '@/core/pipeline/match'
import { parseYaml, stringifyYaml } from './yaml'

type Pipeline = { nodes: { id: string; [field: string]: Json }[]; [field: string]: Json }

function read(text: string): Json {
  const parsed = parseYaml(text)
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.error[0])} in\n${text}`)
  return parsed.value as Json
}

const words = fc.oneof(
  fc.constantFrom(
    'a',
    'yes',
    '12',
    '1e3',
    '{{ a.b }}',
    'event:a.completed',
    '- x',
    'a: b',
    'a #b',
    "it's",
    '"',
    '',
  ),
  fc.constantFrom(
    'two\nlines',
    'ends\n',
    '\n',
    ' lead\n',
    'a\n\n',
    'a\n  \n b',
    'tab\tx',
    '\u2028',
    '~',
    '&a',
    '*a',
  ),
  fc.string({ maxLength: 12 }),
)
const keys = fc.oneof(
  fc.constantFrom(
    'id',
    'nodes',
    'inputs',
    'layout',
    'x',
    'y',
    'name',
    'task',
    'inputBindings',
    'on',
    '1',
    'a b',
    '',
  ),
  fc.string({ maxLength: 6 }).filter((key) => key !== '__proto__'),
)
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    words,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(keys, tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))
const ids = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f')
const node = fc
  .tuple(ids, fc.dictionary(keys, json, { maxKeys: 4, noNullPrototype: true }))
  .map(([id, rest]): { [field: string]: Json } => ({ ...rest, id }))
const nodeList = fc.uniqueArray(node, { selector: ({ id }) => id, maxLength: 6 })
const definitions = fc
  .tuple(nodeList, fc.dictionary(keys, json, { maxKeys: 4, noNullPrototype: true }))
  .map(([nodes, rest]): { [field: string]: Json } => ({ id: 'p', ...rest, nodes }))

/** Changes something somewhere: sets, removes, inserts, moves. */
function mutated(value: Json, choices: readonly number[], fresh: readonly Json[]): Json {
  const root = structuredClone(value)
  let at: Json = root
  for (const [step, choice] of choices.entries()) {
    if (typeof at !== 'object' || at === null) break
    const record = at as { [key: string]: Json }
    const members = Object.keys(at)
    const key = members[choice % Math.max(1, members.length)]
    const part = structuredClone(fresh[step % fresh.length]) as Json
    if (choice % 7 === 0 || key === undefined) {
      if (Array.isArray(at)) at.splice(choice % (at.length + 1), 0, part)
      else record[`k${choice}`] = part
    } else if (choice % 7 === 1) {
      if (Array.isArray(at)) at.splice(Number(key), 1)
      else delete record[key]
    } else if (choice % 7 === 2) record[key] = part
    else if (choice % 7 === 3 && Array.isArray(at)) at.unshift(at.splice(Number(key), 1)[0] as Json)
    else at = record[key] as Json
  }
  return root
}

const styles: ((value: Json) => string)[] = [
  stringifyYaml,
  (value) => stringify(value),
  (value) => stringify(value, { indentSeq: false, defaultStringType: 'QUOTE_DOUBLE' }),
  (value) => stringify(value, { collectionStyle: 'flow', lineWidth: 30 }),
  (value) => stringify(value, { indent: 4, defaultKeyType: 'QUOTE_SINGLE', lineWidth: 20 }),
  (value) => stringifyYaml(value).replaceAll('\n', '\r\n'),
  (value) => stringifyYaml(value).trimEnd(),
  (value) => JSON.stringify(value, null, 2),
  // The same object twice becomes an anchor and an alias.
  (value) => stringify({ first: value, second: [value, { third: value }] }),
]

describe('editing any document', () => {
  it('the printed text says what was printed', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(sameJson(read(stringifyYaml(value)), value)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('the edited text says what is wanted, one edit after another', () => {
    fc.assert(
      fc.property(
        fc.oneof(definitions, json),
        fc.constantFrom(...styles),
        fc.array(fc.array(fc.nat(200), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(json, node), { minLength: 1, maxLength: 3 }),
        (before, style, edits, fresh) => {
          const text = style(before)
          // The library writes a key << without quotes, which is a merge key and refused.
          fc.pre(!/(?:^|[\s{,])<<\s*:/m.test(text))
          const opened = openDocument(text)
          if (!opened.ok) throw new Error(opened.error[0]?.message)
          let document = opened.value
          for (const choices of edits) {
            const after = mutated(document.value as Json, choices, fresh)
            document = changeDocument(document, after)
            const again = openDocument(document.text)
            if (!again.ok) throw new Error(`${again.error[0]?.message} in\n${document.text}`)
            if (!sameJson(again.value.value, after)) throw new Error(`not what is wanted:\n${document.text}`)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('every comment survives unless what it belongs to is gone', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(ids, { minLength: 2 }),
        fc.array(fc.constantFrom('task', 'name', 'retry', 'inputBindings'), { maxLength: 4 }),
        fc.nat(20),
        fc.shuffledSubarray<string>(['a', 'b', 'c', 'd', 'e', 'f']),
        (names, fields, choice, kept) => {
          const text = commented(names, fields)
          const before = read(text) as unknown as Pipeline
          const order = kept.filter((id) => names.includes(id))
          const nodes = order.flatMap((id) => before.nodes.filter((one) => one.id === id))
          const changed = nodes[choice % Math.max(1, nodes.length)]
          if (changed) Object.assign(changed, { task: 'other', timeout: `${choice + 1}m` })
          if (nodes.length === 0) return
          const after = editDocument(text, { ...before, nodes })
          expect(sameJson(read(after), { ...before, nodes })).toBe(true)
          const comments = text.match(/#.*/g) ?? []
          const gone = names.filter((id) => !order.includes(id))
          const wanted = comments.filter((comment) => !gone.some((id) => comment.endsWith(` of ${id}`)))
          const found = after.match(/#.*/g) ?? []
          expect(found.toSorted()).toEqual(wanted.toSorted())
        },
      ),
      { numRuns: 200 },
    )
  })
})

/** A pipeline whose comments name the node they belong to. */
function commented(names: readonly string[], fields: readonly string[]): string {
  const values: Record<string, string> = {
    task: 'noop',
    name: '"A name"',
    retry: '{ maxAttempts: 2 }',
    inputBindings:
      '# frame of ID\n      # above of ID\n      a: 1 # beside of ID\n      b: 2\n      # under of ID',
  }
  const nodes = names.map((id, at) => {
    const members = [...new Set(fields)].map(
      (field) => `    # ${field} of ID\n    ${field}: ${values[field]}\n`,
    )
    const apart = at % 2 === 0 ? `  # apart ${at}\n\n` : ''
    return `\n${apart}  # head of ID\n  - id: ID # id of ID\n${members.join('')}    # last of ID\n`.replaceAll(
      'ID',
      id,
    )
  })
  return `# top\nid: p # id\n\n# the nodes\nnodes: # list${nodes.join('')}# end\nlayout: {}\n# bottom\n`
}
