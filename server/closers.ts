export type Closers = {
  /** What is opened last is closed first. */
  add(close: () => unknown): void
  /** Closes everything, each whatever became of the others. */
  closeAll(): Promise<void>
}

/** @param warn hears of each that failed to close */
export function createClosers(warn: (what: string, error: unknown) => void): Closers {
  const closers: (() => unknown)[] = []
  return {
    add: (close) => void closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close()
        } catch (error) {
          warn('closing failed', error)
        }
      }
    },
  }
}
