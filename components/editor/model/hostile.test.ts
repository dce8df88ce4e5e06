import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseYaml, stringifyYaml } from '@/core/pipeline/yaml/yaml'
import {
  add,
  editGate,
  removeSelected,
  rename,
  select,
  selectAll,
  selectReach,
  switchJoin,
  walk,
} from './actions'
import { align, distribute, nudge } from './canvas/arrange-actions'
import { copySelected, duplicate, paste } from './canvas/clipboard-actions'
import { coneOf, readsOf } from './trial/cone'
import { createDraft, type Definition } from './draft/draft'
import { boxesOf, drawingOf } from './canvas/flow-drawing'
import { createDraftChecker } from './problems/checker'
import { gateOf, nodesOf, toFlow } from './flow'
import { addNote, frame } from './canvas/note-actions'
import { notesOf } from './canvas/notes'
import { reorder, setStart, waitFor } from './outline/outline-actions'
import { outlineRows } from './outline/outline-rows'
import { problemsOf } from './problems/problem-list'
import { eventsAt, readableAt } from './node/readable'
import { withInputRenamed, withNodeRenamed } from './node/rename'
import { startInWords } from './outline/start-words'
import { createView } from './view'

/** Whatever a text may say: no view of it throws, and no edit of it does. */

const names = [
  'a',
  'b',
  '__proto__',
  'constructor',
  'a"]',
  'note n',
  'external.x',
  '',
  '<b>',
  '\u202eab',
  'x'.repeat(70),
]
const name = fc.constantFrom(...names)
/** One object, as an alias makes it, whose keys are those that every object has. */
const odd = { toString: 1, valueOf: null, toJSON: 'x', constructor: {}, then: 1 }
const anything = fc.oneof(
  fc.constant<unknown>(odd),
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      0,
      '',
      [],
      {},
      NaN,
      Infinity,
      -1e300,
      'text',
      '{{ a.b',
      '{{ a.rows }}',
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const gate = fc.constantFrom(
  'event:a.completed',
  'event:a.completed && event:b.failed',
  '!event:a.failed || {{ a.rows > 1 }}',
  'event:external.x',
  'event:constructor.completed',
  'event:a.completed &&',
  '((',
  '',
  '{{ ',
  'event:__proto__.completed',
)
const fields = <T>(shape: { [key: string]: fc.Arbitrary<T> }) =>
  fc.record(shape, { requiredKeys: [], noNullPrototype: true })
const record = fc
  .array(fc.tuple(name, anything), { maxLength: 4 })
  .map((entries): unknown => Object.fromEntries(entries))
const or = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: anything })
const node = or(
  fields<unknown>({
    id: or(name),
    name: or(name),
    task: or(fc.constantFrom('noop', 'approval', 'set', 'constructor', 'script.javascript')),
    pipeline: or(name),
    startWhen: or(gate),
    inputBindings: or(record),
    outputVariables: or(record),
    forEach: or(record),
    retry: or(record),
    finally: or(fc.boolean()),
  }),
)
const place = or(fields<unknown>({ x: or(fc.double()), y: or(fc.integer()) }))
const definition = fields<unknown>({
  id: or(name),
  name: or(name),
  nodes: or(fc.array(node, { maxLength: 6 })),
  inputs: or(record),
  outputs: or(record),
  triggers: or(fc.array(anything)),
  phases: or(fc.array(or(name))),
  verify: or(fc.array(record)),
  layout: or(fc.array(fc.tuple(name, place)).map((entries): unknown => Object.fromEntries(entries))),
  notes: or(
    fc.array(
      or(
        fields<unknown>({
          id: or(name),
          x: or(fc.double()),
          y: or(fc.double()),
          width: anything,
          height: or(fc.double()),
          text: or(name),
          color: anything,
        }),
      ),
      { maxLength: 3 },
    ),
  ),
}).map((value) => value as Definition)

const isDrawable = (box: { x: number; y: number; width: number; height: number }) =>
  [box.x, box.y, box.width, box.height].every((side) => Number.isFinite(side) && Math.abs(side) <= 1e7)

const looks: ((definition: Definition) => unknown)[] = [
  (said) => createDraftChecker()({ patch: { kind: 'value', value: said } }),
  (said) => outlineRows(said),
  (said) => nodesOf(said).map(({ id }) => [eventsAt(said, id), coneOf(said, id)]),
  (said) => nodesOf(said).map((one) => [readsOf(one), startInWords(gateOf(one))]),
  (said) => readableAt(said, { node: 'a', in: 'bindings' }, new Map()),
  (said) =>
    names.map((from) => [withNodeRenamed(said, from, 'fresh'), withInputRenamed(said, from, 'fresh')]),
]

const acts: ((stores: ReturnType<typeof open>) => unknown)[] = [
  (stores) => add(stores, { kind: 'task', task: 'log' }),
  (stores) => add(stores, { kind: 'event', event: 'x' }, { after: 'a.failed' }),
  (stores) => rename(stores, 'a', '<script>'),
  (stores) => editGate(stores, 'a', 'Change', () => ({ ok: true, value: null })),
  (stores) => switchJoin(stores, 'a'),
  (stores) => nudge(stores, { x: 8, y: 0 }),
  (stores) => [align(stores, 'left'), distribute(stores, 'x')],
  (stores) => duplicate(stores),
  (stores) => paste(stores, copySelected(stores) ?? ''),
  (stores) => [addNote(stores), frame(stores)],
  (stores) => [walk(stores, 'right'), walk(stores, 'down'), selectReach(stores, 'left')],
  (stores) => [reorder(stores, 'a', 1), setStart(stores, 'a', '(('), waitFor(stores, 'a', 'b.completed')],
  (stores) => selectAll(stores),
  (stores) => removeSelected(stores),
  (stores) => stores.draft.undo(),
]

function open(said: Definition) {
  const text = stringifyYaml(said)
  return { draft: createDraft({ revision: 1, text }, text, () => 0), view: createView() }
}

describe('a definition that says anything', () => {
  it('is drawn at places that can be drawn, every card and note under a name of its own', () => {
    fc.assert(
      fc.property(definition, (said) => {
        const flow = toFlow(said)
        const boxes = [...boxesOf(flow).values(), ...notesOf(said)]
        expect(boxes.filter((box) => !isDrawable(box))).toEqual([])
        const ids = drawingOf(flow).nodes.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  it('is checked, summarized and searched without a throw', () => {
    fc.assert(
      fc.property(definition, (said) => {
        for (const look of looks) look(said)
        const findings = createDraftChecker()({ patch: { kind: 'value', value: said } })
        problemsOf({ findings, of: said, trouble: null }, [])
      }),
    )
  })

  it('is edited without a throw, and every step can be undone', () => {
    fc.assert(
      fc.property(definition, fc.array(fc.constantFrom(...acts), { maxLength: 8 }), (said, steps) => {
        const stores = open(said)
        const before = stores.draft.getState().text
        select(stores, { nodes: new Set(['a', '__proto__']) })
        for (const act of steps) act(stores)
        const { text, definition: now } = stores.draft.getState()
        expect(parseYaml(text)).toEqual({ ok: true, value: now })
        for (let left = 40; left > 0; left -= 1) stores.draft.undo()
        expect(stores.draft.getState().text).toBe(before)
      }),
      { numRuns: 40 },
    )
  })

  it('of more nodes than a pipeline may have is drawn as far as one may have them, and loses none', () => {
    const nodes = Array.from({ length: 30_000 }, (_, n) => ({ id: `n${n}`, task: 'noop' }))
    const stores = open({ id: 'a', nodes })
    expect(toFlow(stores.draft.getState().definition).nodes).toHaveLength(10_000)
    expect(rename(stores, 'n1', 'First')).toBeNull()
    expect(stores.draft.getState().definition['nodes']).toHaveLength(30_000)
  })

  it('has thousands of nodes of one name when they are pasted, each with an id of its own, at once', () => {
    const stores = open({ id: 'a', nodes: [] })
    const nodes = Array.from({ length: 9_000 }, () => ({ id: 'same', task: 'noop' }))
    expect(paste(stores, JSON.stringify({ nodes }))).toBeNull()
    expect(nodesOf(stores.draft.getState().definition)).toHaveLength(9_000)
  })
})
