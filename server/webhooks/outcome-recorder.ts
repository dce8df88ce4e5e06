import type { DeliveryRow } from '@/server/ports/webhooks'

/** A delivery as its outcome left it, and whose it is. */
export type Landed<T> = { readonly endpoint: T; readonly row: DeliveryRow }

/**
 * Records outcomes of deliveries: whatever has landed at once, in one transaction; what lands meanwhile forms the next.
 * `recorded` is called with each batch afterwards, and whether it was written.
 */
export function createOutcomeRecorder<T>(
  write: (rows: readonly DeliveryRow[]) => Promise<void>,
  recorded: (batch: readonly Landed<T>[], failure: { readonly error: unknown } | null) => void,
) {
  const landed: Landed<T>[] = []
  let recording: Promise<void> | null = null

  async function recordLanded(): Promise<void> {
    while (landed.length > 0) {
      const batch = landed.splice(0)
      const failure = await write(batch.map(({ row }) => row)).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      recorded(batch, failure)
    }
  }

  return {
    add(one: Landed<T>): void {
      landed.push(one)
      recording ??= recordLanded().finally(() => (recording = null))
    },
    /** Resolves when nothing is being written. */
    idle: async (): Promise<void> => void (await recording),
  }
}
