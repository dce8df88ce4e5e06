import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDocument } from '@/core/pipeline/yaml/document'
import { sameJson } from '@/core/pipeline/match'
import { parseYaml, stringifyYaml } from '@/core/pipeline/yaml/yaml'

type Definition = { nodes: { id: string; [field: string]: unknown }[]; [field: string]: unknown }

const names = ['data_ready', 'flights', 'seattle_weather']
const texts = names.map((name) => readFileSync(`examples/${name}.yaml`, 'utf8'))

function read(text: string): Definition {
  const parsed = parseYaml(text)
  if (!parsed.ok) throw new Error(parsed.error[0]?.message)
  return structuredClone(parsed.value) as Definition
}

/** The text with a comment above every line that can have one; each comment names the node that it stands in. */
function commented(text: string): string {
  const value = read(text)
  let lines = text.split('\n')
  let owner = 'nobody'
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (!/^ *[\w-]/.test(line)) continue
    for (let above = at; above >= 0; above--) {
      const id = /^(?: {2}- id: (\w+)|\w+:)/.exec(lines[above] ?? '')
      if (id === null) continue
      owner = id[1] ?? 'nobody'
      break
    }
    const indent = /^ */.exec(line)?.[0] ?? ''
    const tried = lines.toSpliced(at, 0, `${indent}# ${at} of ${owner}.`)
    const parsed = parseYaml(tried.join('\n'))
    if (parsed.ok && sameJson(parsed.value, value)) lines = tried
  }
  return lines.join('\n')
}

describe('editing the examples', () => {
  const documents = texts.map((text) => ({ text: commented(text), value: read(text) }))

  it('has comments to lose', () => {
    for (const { text } of documents) expect(text.match(/# \d+ of /g)?.length).toBeGreaterThan(60)
  })

  it('says what is wanted and loses no comment but those of nodes that are gone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.array(fc.record({ kind: fc.nat(5), at: fc.nat(20), to: fc.nat(20) }), {
          minLength: 1,
          maxLength: 4,
        }),
        ({ text, value }, edits) => {
          const after = structuredClone(value)
          const { nodes } = after
          const gone: string[] = []
          for (const [step, { kind, at, to }] of edits.entries()) {
            const node = nodes[at % nodes.length]
            if (!node) break
            if (kind === 0 && nodes.length > 1) {
              nodes.splice(nodes.indexOf(node), 1)
              gone.push(node.id)
            } else if (kind === 1) nodes.splice(to % nodes.length, 0, ...nodes.splice(nodes.indexOf(node), 1))
            else if (kind === 2) node.timeout = `${to + 1}m`
            else if (kind === 3) node.startWhen = `event:pipeline.started && {{ pipeline.input.a > ${to} }}`
            else if (kind === 4) nodes.splice(to % nodes.length, 0, { id: `new_${step}`, task: 'noop' })
            else after.layout = { ...(after.layout as object), [node.id]: { x: to, y: at } }
          }
          const result = editDocument(text, after)
          expect(sameJson(read(result), after)).toBe(true)
          const comments = (some: string) => some.match(/# .* of \w+\./g) ?? []
          const wanted = comments(text).filter(
            (comment) => !gone.some((id) => comment.endsWith(` of ${id}.`)),
          )
          expect(comments(result).toSorted()).toEqual(wanted.toSorted())
        },
      ),
      { numRuns: 150 },
    )
  })

  it('prints them as they are written', () => {
    for (const text of texts) {
      const printed = stringifyYaml(read(text)).split('\n')
      const lines = text.split('\n').filter((line) => !/^ *#|^$/.test(line))
      const same = lines.filter((line) => printed.includes(line))
      expect(same.length / lines.length).toBeGreaterThan(0.8)
    }
  })
})
