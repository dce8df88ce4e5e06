import { keysOfChord, type Chord } from '@/components/ui/chords'
import type { ShortcutGroup } from '@/components/ui/listed-shortcuts'
import { selectAll, selectReach, walk, type Refusal } from './model/actions'
import type { Alignment } from './model/canvas/arrange'
import { align, distribute, nudge } from './model/canvas/arrange-actions'
import { duplicate } from './model/canvas/clipboard-actions'
import type { EditorStores } from '@/components/editor/model/stores'
import { focusForm } from './node/focus-form'
import { addNote, frame } from './model/canvas/note-actions'
import { removeAndReport } from './report'
import { NOTHING, onlyNode } from './model/view'

/**
 * Everything that can be done by a key or from a menu, once: the keyboard, the list of shortcuts, the menus and their hints all
 * read this table.
 */

/** What a command works with. */
export type Tools = EditorStores & {
  publish(): void
  layOut(): void
  /** Tries the node whose form is open. */
  tryNode(): void
  /** Pins what it gave, or asks for what to pin. */
  pinNode(): void
  /** Into the pipeline that a node runs. */
  enter(node: string): void
  /** The browser's own copy and cut, which ask `copySelected`. */
  clipboard(what: 'copy' | 'cut'): void
}

export type Command = {
  readonly id: string
  readonly title: string
  readonly group: 'Edit' | 'Add' | 'Arrange' | 'Select' | 'View'
  /** Its keys; a command without is in menus only. */
  readonly keys: readonly Chord[]
  /** Its keys count only while the canvas has the keyboard: elsewhere they belong to what is there. */
  readonly canvasOnly?: true
  /** Works while somebody types too. */
  readonly always?: true
  /** The keys are the browser's own: they are listed, and not listened to. */
  readonly native?: true
  /** In the menu at the pointer. */
  readonly menu?: true
  /** Whether there is something to do; absent: there always is. */
  readonly can?: (stores: EditorStores) => boolean
  readonly run: (tools: Tools) => Refusal | void
}

const counts = ({ view }: EditorStores) => {
  const { nodes, notes, edges } = view.getState().selection
  return { cards: nodes.size, things: nodes.size + notes.size, all: nodes.size + notes.size + edges.size }
}
const anything = (stores: EditorStores) => counts(stores).all > 0
const someThings = (stores: EditorStores) => counts(stores).things > 0
const several = (least: number) => (stores: EditorStores) => counts(stores).cards >= least
const one = ({ view }: EditorStores) => onlyNode(view.getState()) !== null

const alignment = (to: Alignment, title: string): Command => ({
  id: `align-${to}`,
  title,
  group: 'Arrange',
  keys: [],
  menu: true,
  can: several(2),
  run: (tools) => align(tools, to),
})

const walking = (key: 'Left' | 'Right' | 'Up' | 'Down', title: string): Command => ({
  id: `walk-${key.toLowerCase()}`,
  title,
  group: 'Select',
  keys: [`Arrow${key}`],
  canvasOnly: true,
  run: (tools) => walk(tools, key.toLowerCase() as Lowercase<typeof key>),
})

/** Units of one press: the fine grid of the canvas. */
const STEP = 8
const moving = (key: 'Left' | 'Right' | 'Up' | 'Down', x: number, y: number): Command => ({
  id: `move-${key.toLowerCase()}`,
  title: `Move ${key.toLowerCase()}`,
  group: 'Arrange',
  keys: [`Alt+Arrow${key}`],
  canvasOnly: true,
  can: someThings,
  run: (tools) => nudge(tools, { x: x * STEP, y: y * STEP }),
})

/** Closes what is open, from the nearest to the selection; false: nothing is. */
function escape({ view }: EditorStores): void {
  const { placing, adding, searching, path } = view.getState()
  if (adding || placing !== null) view.setState({ adding: false, placing: null })
  else if (searching) view.setState({ searching: false })
  else if (path !== null) view.setState({ path: null })
  else view.setState({ selection: NOTHING })
}

export const commands: readonly Command[] = [
  {
    id: 'save',
    title: 'Publish…',
    group: 'Edit',
    keys: ['Mod+S'],
    always: true,
    run: ({ publish }) => publish(),
  },
  { id: 'undo', title: 'Undo', group: 'Edit', keys: ['Mod+Z'], run: ({ draft }) => draft.undo() },
  {
    id: 'redo',
    title: 'Redo',
    group: 'Edit',
    keys: ['Mod+Shift+Z', 'Mod+Y'],
    run: ({ draft }) => draft.redo(),
  },
  {
    id: 'cut',
    title: 'Cut',
    group: 'Edit',
    keys: ['Mod+X'],
    native: true,
    menu: true,
    can: someThings,
    run: ({ clipboard }) => clipboard('cut'),
  },
  {
    id: 'copy',
    title: 'Copy',
    group: 'Edit',
    keys: ['Mod+C'],
    native: true,
    menu: true,
    can: someThings,
    run: ({ clipboard }) => clipboard('copy'),
  },
  { id: 'paste', title: 'Paste', group: 'Edit', keys: ['Mod+V'], native: true, run: () => {} },
  {
    id: 'duplicate',
    title: 'Duplicate',
    group: 'Edit',
    keys: ['Mod+D'],
    menu: true,
    can: someThings,
    run: duplicate,
  },
  {
    id: 'rename',
    title: 'Rename',
    group: 'Edit',
    keys: ['F2'],
    canvasOnly: true,
    menu: true,
    can: one,
    run: ({ view }) => view.setState({ typing: { kind: 'node', id: onlyNode(view.getState()) ?? '' } }),
  },
  { id: 'try', title: 'Try the node', group: 'Edit', keys: ['T'], can: one, run: ({ tryNode }) => tryNode() },
  {
    id: 'pin',
    title: 'Pin its outputs',
    group: 'Edit',
    keys: ['P'],
    can: one,
    run: ({ pinNode }) => pinNode(),
  },
  {
    id: 'delete',
    title: 'Delete',
    group: 'Edit',
    keys: ['Delete', 'Backspace'],
    canvasOnly: true,
    menu: true,
    can: anything,
    run: removeAndReport,
  },
  {
    id: 'add',
    title: 'Add a node',
    group: 'Add',
    keys: ['N'],
    menu: true,
    run: ({ view }) => view.setState({ adding: true }),
  },
  {
    // Elsewhere, and without a selection, Tab moves the focus, so that the canvas is no focus trap.
    id: 'add-after',
    title: 'Add after the selected node (in the editor)',
    group: 'Add',
    keys: ['Tab'],
    canvasOnly: true,
    can: one,
    run: ({ view }) => view.setState({ adding: true }),
  },
  { id: 'note', title: 'Add a note', group: 'Add', keys: ['Shift+S'], menu: true, run: addNote },
  {
    id: 'group',
    title: 'Frame the selection',
    group: 'Add',
    keys: ['Mod+G'],
    menu: true,
    can: someThings,
    run: frame,
  },
  {
    id: 'layout',
    title: 'Lay out the graph',
    group: 'Arrange',
    keys: ['Shift+L'],
    menu: true,
    run: ({ layOut }) => layOut(),
  },
  alignment('left', 'Align left'),
  alignment('centre', 'Align centres'),
  alignment('right', 'Align right'),
  alignment('top', 'Align tops'),
  alignment('middle', 'Align middles'),
  alignment('bottom', 'Align bottoms'),
  {
    id: 'distribute-x',
    title: 'Distribute across',
    group: 'Arrange',
    keys: [],
    menu: true,
    can: several(3),
    run: (tools) => distribute(tools, 'x'),
  },
  {
    id: 'distribute-y',
    title: 'Distribute down',
    group: 'Arrange',
    keys: [],
    menu: true,
    can: several(3),
    run: (tools) => distribute(tools, 'y'),
  },
  moving('Left', -1, 0),
  moving('Right', 1, 0),
  moving('Up', 0, -1),
  moving('Down', 0, 1),
  { id: 'all', title: 'Select all', group: 'Select', keys: ['Mod+A'], menu: true, run: selectAll },
  walking('Right', 'Next node'),
  walking('Left', 'Previous node'),
  walking('Up', 'Node above'),
  walking('Down', 'Node below'),
  {
    id: 'downstream',
    title: 'Select everything after',
    group: 'Select',
    keys: ['Shift+ArrowRight'],
    canvasOnly: true,
    menu: true,
    can: several(1),
    run: (tools) => selectReach(tools, 'right'),
  },
  {
    id: 'upstream',
    title: 'Select everything before',
    group: 'Select',
    keys: ['Shift+ArrowLeft'],
    canvasOnly: true,
    menu: true,
    can: several(1),
    run: (tools) => selectReach(tools, 'left'),
  },
  {
    id: 'enter',
    title: 'Open the pipeline that it runs',
    group: 'View',
    keys: ['Mod+Enter'],
    canvasOnly: true,
    can: one,
    run: ({ view, enter }) => enter(onlyNode(view.getState()) ?? ''),
  },
  {
    id: 'outline',
    title: 'Outline',
    group: 'View',
    keys: ['O'],
    run: ({ view }) => view.setState(({ panel }) => ({ panel: panel === 'outline' ? 'node' : 'outline' })),
  },
  {
    id: 'pipeline',
    title: 'Pipeline settings',
    group: 'View',
    keys: ['Shift+P'],
    run: ({ view }) => {
      view.setState({ panel: 'pipeline', selection: NOTHING })
      focusForm('Pipeline')
    },
  },
  {
    id: 'find',
    title: 'Find a node',
    group: 'View',
    keys: ['Mod+F', '/'],
    run: ({ view }) => view.setState({ searching: true }),
  },
  {
    id: 'code',
    title: 'Code',
    group: 'View',
    keys: ['C'],
    run: ({ view }) => view.setState(({ panel }) => ({ panel: panel === 'code' ? 'node' : 'code' })),
  },
  {
    id: 'fit',
    title: 'Fit the whole graph',
    group: 'View',
    keys: ['1'],
    run: ({ view }) => view.canvas()?.fit(),
  },
  {
    id: 'reset',
    title: 'Zoom to full size',
    group: 'View',
    keys: ['0'],
    run: ({ view }) => view.canvas()?.zoomTo(1),
  },
  {
    id: 'zoom-in',
    title: 'Zoom in',
    group: 'View',
    keys: ['+', '='],
    run: ({ view }) => view.canvas()?.zoomIn(),
  },
  {
    id: 'zoom-out',
    title: 'Zoom out',
    group: 'View',
    keys: ['-'],
    run: ({ view }) => view.canvas()?.zoomOut(),
  },
  { id: 'escape', title: 'Close or deselect', group: 'View', keys: ['Escape'], run: escape },
]

/** Steps with the keyboard on the canvas, and what the browser does by its own keys: no palette offers them. */
const isStep = ({ id, native }: Command): boolean =>
  native === true || id === 'escape' || /^(?:walk|move)-/.test(id)

/** The commands that have something to do now, for the palette; the first of a group is the most used. */
export const offered = (stores: EditorStores): readonly Command[] =>
  commands.filter((one) => !isStep(one) && (one.can?.(stores) ?? true))

/** One step of each: what is done with the pointer and has no key. */
const byHand: ShortcutGroup = {
  title: 'With the pointer',
  rows: [
    { keys: ['Space', 'drag'], text: 'Move the view' },
    { keys: ['Shift', 'drag'], text: 'Select an area' },
    { keys: ['Ctrl', 'click'], text: 'Add to the selection' },
    { keys: ['double-click'], text: 'Open the form of a node' },
    { keys: ['Ctrl', 'double-click'], text: 'Open the pipeline that it runs' },
  ],
}

/** The commands that have keys, for the list of shortcuts. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  ...(['Edit', 'Add', 'Arrange', 'Select', 'View'] as const).map((title) => ({
    title,
    rows: commands
      .filter(({ group, keys }) => group === title && keys.length > 0)
      .map(({ title: text, keys: [chord] }) => ({ keys: keysOfChord(chord ?? ''), text })),
  })),
  byHand,
]
