/** What the palette finds for a text. */

export type Group = 'page' | 'actions' | 'pages' | 'pipelines' | 'work' | 'decisions' | 'schedules' | 'runs'

export const GROUPS: readonly { readonly id: Group; readonly title: string; readonly first: number }[] = [
  { id: 'page', title: 'On this page', first: 8 },
  { id: 'actions', title: 'Actions', first: 5 },
  { id: 'pages', title: 'Pages', first: 5 },
  { id: 'pipelines', title: 'Pipelines', first: 5 },
  { id: 'work', title: 'Run or rehearse', first: 0 },
  { id: 'decisions', title: 'Decisions', first: 3 },
  { id: 'schedules', title: 'Schedules', first: 0 },
  { id: 'runs', title: 'Runs', first: 3 },
]

/** Found in each group, where something is typed. */
const MOST = 7

export type Findable = {
  readonly group: Group
  readonly label: string
  readonly detail: string
  /** What it is now, where that matters; never cut. */
  readonly state?: string
  /** The server has found it by the text, in what is not shown. */
  readonly found?: boolean
}

/**
 * The choices that contain every word of the text, in the order of the groups; in a group those first whose label begins with it, then
 * those with the words in the label. Without a text: the first of each group.
 */
export function matching<T extends Findable>(all: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return GROUPS.flatMap(({ id, first }) => {
    const own = all.filter(({ group }) => group === id)
    if (words.length === 0) return own.slice(0, first)
    return own
      .map((choice) => ({ choice, rank: rankOf(choice, words) }))
      .filter(({ rank }) => rank < Infinity)
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, MOST)
      .map(({ choice }) => choice)
  })
}

function rankOf({ label, detail, state = '', found = false }: Findable, words: readonly string[]): number {
  const name = label.toLowerCase()
  const all = `${name} ${detail.toLowerCase()} ${state.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return found ? 3 : Infinity
  if (name.startsWith(words.join(' '))) return 0
  return words.every((word) => name.includes(word)) ? 1 : 2
}
