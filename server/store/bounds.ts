import { StoreError } from './store-error'

const ID_MAX = 256

/**
 * Every question to the event and variable stores names one execution [N-6, N-7, E-11].
 * @throws StoreError `missing_execution_id` when the id is not a text of 1 to 256 characters
 */
export function requireExecutionId(executionId: string): string {
  if (typeof executionId !== 'string' || executionId.length === 0 || executionId.length > ID_MAX) {
    throw new StoreError('missing_execution_id', 'An execution id of 1 to 256 characters is needed.')
  }
  return executionId
}

/**
 * The number of rows to read: a whole number from 1 to `most`. Too large a limit is an error, not silently cut.
 * @throws StoreError `invalid_limit`
 */
export function requireLimit(limit: number | undefined, most: number, fallback = most): number {
  const wanted = limit ?? fallback
  if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > most) {
    throw new StoreError('invalid_limit', `A limit is a whole number from 1 to ${most}.`)
  }
  return wanted
}
