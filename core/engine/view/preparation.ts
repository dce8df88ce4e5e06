/**
 * What an attempt that was handed to the workers and has not begun waits for: the end of an earlier attempt of the same work, a worker with
 * room, or its own files and process.
 */
export type Preparation =
  | { readonly waitsFor: 'earlier_attempt'; readonly attempt: number }
  | { readonly waitsFor: 'worker' }
  | { readonly waitsFor: 'process' }

/** The same in words, after "attempt 2". null: nobody asked the workers. */
export function preparationText(preparation: Preparation | null): string {
  switch (preparation?.waitsFor) {
    case 'earlier_attempt':
      return `waits to begin: attempt ${preparation.attempt} of the same work has not ended yet`
    case 'worker':
      return 'waits to begin: every worker is busy'
    case 'process':
      return 'waits to begin: its files and its process are made ready'
    case undefined:
      return 'waits to begin'
  }
}
