import type { Choice } from '@/components/editor/model/actions'
import { taskCatalog } from '@/tasks/contracts'

/** What can be put onto the canvas, and how it is found. Pure. */

export type PaletteEntry = {
  readonly key: string
  readonly title: string
  readonly type: string
  readonly description: string
  readonly text: string
  /** What is added; `ask` and `with` where a name must be entered first. */
  readonly choice:
    Choice | { readonly ask: string; readonly with: (name: string) => Choice; readonly pattern: RegExp }
}

const entries: readonly PaletteEntry[] = [
  ...[...taskCatalog.values()].map(({ type, title, description, category, keywords = '' }) => ({
    key: type,
    title,
    type,
    description,
    text: `${type} ${title} ${description} ${category} ${keywords}`.toLowerCase(),
    choice: { kind: 'task' as const, task: type },
  })),
  {
    key: 'pipeline',
    title: 'Run another pipeline',
    type: 'pipeline',
    description: 'Runs a pipeline of its own as one node, with inputs and outputs.',
    text: 'pipeline run another pipeline sub-pipeline child nested',
    choice: {
      ask: 'Id of the pipeline',
      with: (pipeline) => ({ kind: 'pipeline', pipeline }),
      pattern: /^[a-z][a-z0-9_]*$/,
    },
  },
  {
    key: 'event',
    title: 'Wait for an event from outside',
    type: 'external event',
    description: 'Continues when a person or another system sends the event to the run.',
    text: 'wait for an event from outside external webhook signal message',
    choice: {
      ask: 'Name of the event',
      with: (event) => ({ kind: 'event', event }),
      pattern: /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/,
    },
  },
]

/** What is a node in other tools and a part of every node here: the words that people search for, and where to find it. */
const hints: readonly { readonly words: readonly string[]; readonly text: string }[] = [
  {
    words: ['if', 'condition', 'branch', 'switch', 'decide', 'decision'],
    text: 'A branch needs no node of its own. Select the node that should run only if a condition holds, and add the condition under “Starts when”.',
  },
  {
    words: ['loop', 'foreach', 'each', 'map', 'iterate', 'list', 'parallel', 'fan'],
    text: 'Any node can run once for each item of a list. Select it and open “For each item”.',
  },
  {
    words: ['handle', 'handler', 'error', 'catch', 'failure', 'fallback'],
    text: 'Any node can handle a failure. Draw an edge to it from “failed” of the node that may fail.',
  },
  {
    words: ['retry', 'retries', 'timeout'],
    text: 'Retries and timeouts are settings of each node. Select it and open “Retry” or “Time and order”.',
  },
  {
    words: ['trigger', 'schedule', 'cron', 'webhook', 'start'],
    text: 'Triggers are settings of the pipeline. Press Shift+P to open them.',
  },
]

/** The hints for the words of a search. Words of one letter do not count. */
export const paletteHints = (asked: readonly string[]) =>
  hints.filter(({ words }) =>
    asked.some((word) => word.length > 1 && words.some((known) => known.startsWith(word))),
  )

/** The entries that have all words, those that have them in their name first. */
export function findEntries(words: readonly string[]): readonly PaletteEntry[] {
  const fitting = entries.filter(({ text }) => words.every((word) => text.includes(word)))
  const isNamed = ({ title, type }: PaletteEntry) =>
    words.every((word) => `${type} ${title}`.toLowerCase().includes(word))
  return [...fitting.filter(isNamed), ...fitting.filter((entry) => !isNamed(entry))]
}
