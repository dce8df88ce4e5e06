/**
 * Where an engine is in its life. `loading`: everything that is open comes into memory and nothing moves. `recovering`: what was in
 * flight is taken up. `ready`: requests are taken. `stopped`: nothing is taken any more.
 */
export type Phase = 'new' | 'loading' | 'recovering' | 'ready' | 'stopped'

/** The phase of one engine, which its parts share. */
export type PhaseOf = { now: Phase }

/** @throws when no requests are taken */
export function demandReady({ now }: PhaseOf): void {
  if (now !== 'ready') throw new Error(`the orchestrator is ${now} and takes no requests`)
}
