import type { Expression } from './expression'

/** A node's gate: its `startWhen` as a tree. `&&` and `||` are flat: no term of an `and` is an `and`. */
export type StartWhen =
  | { kind: 'or' | 'and'; terms: readonly StartWhen[] }
  | { kind: 'not'; term: StartWhen }
  | EventAtom
  | ConditionAtom

/** `event:TYPE`; `type` is for instance `extract.completed`, `pipeline.started`, `external.data_ready`. */
export type EventAtom = { kind: 'event'; type: string }

/** `{{ source }}`; `source` is trimmed. */
export type ConditionAtom = { kind: 'condition'; source: string; expression: Expression }
