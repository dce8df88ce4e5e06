import type { PipelineEvent } from './typed-event'

/** Who holds a pause: a person, or of a child the run that waits for it. */
export type PauseHolder = 'person' | 'parent'

/** `soft`: what runs ends by itself. `hard`: what runs was stopped, and is done again after the resume. */
export type PauseMode = 'soft' | 'hard'

/** The pauses that are held now, by holder. A run goes on when nobody holds one. */
export type Pauses = { readonly [Holder in PauseHolder]: PauseMode | null }

export const NO_PAUSES: Pauses = { person: null, parent: null }

/** The events that change who holds one. */
export type PauseEvent = Extract<PipelineEvent, { word: 'paused' | 'resumed' }>

export const isHeld = ({ person, parent }: Pauses): boolean => person !== null || parent !== null

/** How firmly a run is paused, over all holders: what it asks of its own children. */
export function modeOf({ person, parent }: Pauses): PauseMode | null {
  return person === 'hard' || parent === 'hard' ? 'hard' : (person ?? parent)
}

/**
 * The pauses after `pipeline.paused` or `pipeline.resumed`. Entries of earlier versions name no holder: there a pause of the actor
 * `engine` is the parent's, and any resume ended every pause. A resume by a person is recorded only when
 * no parent holds the run, so that it ends every pause in new entries as well.
 */
export function pausesAfter(before: Pauses, typed: PauseEvent): Pauses {
  const { holder } = typed.payload
  if (typed.word === 'resumed') return holder === 'parent' ? { ...before, parent: null } : NO_PAUSES
  const mode: PauseMode = typed.payload.hard ? 'hard' : 'soft'
  return holder === 'parent' || (typed.event.actor === 'engine' && typed.event.actor_id === undefined)
    ? { ...before, parent: mode }
    : { ...before, person: mode }
}
