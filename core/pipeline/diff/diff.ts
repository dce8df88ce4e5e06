import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { isRecord, type Json } from '@/core/pipeline/json'
import { keysOf, matchMembers, sameJson } from '@/core/pipeline/match'
import { sameGate, type GateBudget } from '@/core/pipeline/gate/same-gate'
import { withoutDefaults } from './without-defaults'

/** One field that differs: `before` or `after` is absent where the field is. Durations are in their shortest form. */
export type FieldChange = { path: (string | number)[]; before?: Json; after?: Json }

/** Members of a list by their ids; nothing is in two of these lists. */
export type MemberChanges = {
  added: string[]
  removed: string[]
  changed: { id: string; fields: FieldChange[] }[]
}

export type DefinitionDiff = {
  /** Everything around nodes, triggers, notes, rehearsals and layout. */
  pipeline: FieldChange[]
  /**
   * `moved`: stands elsewhere on the canvas; it may have changed as well. `renamed`: has a new id, under which `changed` and
   * `moved` name it.
   */
  nodes: MemberChanges & { moved: string[]; renamed: { from: string; to: string }[] }
  triggers: MemberChanges
  notes: MemberChanges & { moved: string[] }
  /** By their names. */
  rehearsals: MemberChanges
}

/** What all proofs of equal gates in one comparison may cost. */
const evaluations = 50_000

/**
 * What differs between two valid definitions in what they say: not the order of keys, nodes, triggers and notes, not defaults that
 * are written out, not how a duration or a start condition is put. What only moved on the canvas is listed by itself. Linear in the
 * size of both, but for start conditions that differ in their text (see `sameGate`).
 */
export function diffDefinitions(before: PipelineDefinition, after: PipelineDefinition): DefinitionDiff {
  const [old, now] = [withoutDefaults(before), withoutDefaults(after)]
  const [notesBefore, notesAfter] = [byId(old.notes), byId(now.notes)]
  return {
    pipeline: around(old, now),
    nodes: nodeChanges(old, now),
    triggers: memberChanges(byId(old.triggers), byId(now.triggers)),
    notes: {
      ...memberChanges(mapValues(notesBefore, withoutPlace), mapValues(notesAfter, withoutPlace)),
      moved: [...notesAfter].flatMap(([id, note]) => {
        const was = notesBefore.get(id)
        return was === undefined || sameJson(placeOf(was), placeOf(note)) ? [] : [id]
      }),
    },
    rehearsals: memberChanges(byName(old.rehearsals), byName(now.rehearsals)),
  }
}

function around(old: PipelineDefinition, now: PipelineDefinition): FieldChange[] {
  const rest = (definition: PipelineDefinition) => {
    const {
      nodes: _nodes,
      triggers: _triggers,
      notes: _notes,
      rehearsals: _rehearsals,
      layout: _layout,
      ...others
    } = definition
    return others
  }
  return fieldChanges(rest(old), rest(now))
}

function nodeChanges(old: PipelineDefinition, now: PipelineDefinition): DefinitionDiff['nodes'] {
  const matching = matchMembers(old.nodes, now.nodes)
  const budget: GateBudget = { evaluations }
  const kept = new Set(matching)
  const changes: DefinitionDiff['nodes'] = {
    added: [],
    removed: old.nodes.filter((_, at) => !kept.has(at)).map(({ id }) => id),
    changed: [],
    moved: [],
    renamed: [],
  }
  for (const [at, node] of now.nodes.entries()) {
    const from = matching[at] ?? null
    const was = from === null ? undefined : old.nodes[from]
    if (was === undefined) {
      changes.added.push(node.id)
      continue
    }
    if (was.id !== node.id) changes.renamed.push({ from: was.id, to: node.id })
    const fields = changesOfNode(was, node, budget)
    if (fields.length > 0) changes.changed.push({ id: node.id, fields })
    if (!sameJson(old.layout?.[was.id], now.layout?.[node.id])) changes.moved.push(node.id)
  }
  return changes
}

function changesOfNode(was: NodeDefinition, node: NodeDefinition, budget: GateBudget): FieldChange[] {
  return fieldChanges({ ...was, id: undefined }, { ...node, id: undefined }).filter(
    ({ path }) =>
      path[0] !== 'startWhen' ||
      was.startWhen === undefined ||
      node.startWhen === undefined ||
      !sameGate(was.startWhen, node.startWhen, budget),
  )
}

type Member = { readonly id: string }

const byId = <T extends Member>(members: readonly T[] = []) => mapBy(members, ({ id }) => id)

const byName = (cases: PipelineDefinition['rehearsals'] = []) => mapBy(cases, ({ name }) => name)

/** Nothing keeps two notes from having one id, or cases one name: the second then gets a number. */
function mapBy<T>(members: readonly T[], keyOf: (member: T) => string): Map<string, T> {
  const map = new Map<string, T>()
  for (const member of members) {
    let key = keyOf(member)
    for (let n = 2; map.has(key); n++) key = `${keyOf(member)} (${n})`
    map.set(key, member)
  }
  return map
}

function memberChanges(old: ReadonlyMap<string, object>, now: ReadonlyMap<string, object>): MemberChanges {
  const changed = [...now].flatMap(([id, member]) => {
    const was = old.get(id)
    const fields = was === undefined ? [] : fieldChanges(was, member)
    return fields.length === 0 ? [] : [{ id, fields }]
  })
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed,
  }
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Map<string, U> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}

type Note = NonNullable<PipelineDefinition['notes']>[number]

function withoutPlace({ x: _x, y: _y, width: _width, height: _height, ...rest }: Note) {
  return rest
}

function placeOf({ x, y, width, height }: Note) {
  return { x, y, width, height }
}

/** The smallest fields that differ: objects are compared by field, lists as a whole. */
export function fieldChanges(old: object, now: object, path: string[] = []): FieldChange[] {
  const [before, after] = [old as Record<string, unknown>, now as Record<string, unknown>]
  const keys = new Set([...keysOf(before), ...keysOf(after)])
  return [...keys].flatMap((key): FieldChange[] => {
    const [was, is] = [ownValue(before, key), ownValue(after, key)]
    if (sameJson(was, is)) return []
    if (isRecord(was) && isRecord(is)) return fieldChanges(was, is, [...path, key])
    return [
      {
        path: [...path, key],
        ...(was === undefined ? {} : { before: was as Json }),
        ...(is === undefined ? {} : { after: is as Json }),
      },
    ]
  })
}

function ownValue(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
