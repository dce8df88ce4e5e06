export type StoreErrorCode =
  /** Another server works on the data folder. */
  | 'data_folder_locked'
  | 'unsupported_database_url'
  /** The file is no database of SQLite, or is damaged. */
  | 'database_unreadable'
  /** The file is gone or empty, while its log of commits is still there. */
  | 'database_missing'
  /** The SQLite library has a known corruption bug. */
  | 'sqlite_too_old'
  /** SQLite does not flush at every commit although it is set to. */
  | 'synchronous_not_full'
  /** A commit failed on its way to the disk: nothing may be acknowledged any more. */
  | 'storage_failed'
  /** The caller broke an invariant of the journal; nothing was written. */
  | 'invalid_batch'
  | 'missing_execution_id'
  | 'invalid_cursor'
  | 'invalid_limit'
  | 'invalid_filter'
  | 'store_closed'
  /** A row of an execution that is there and says nothing that can be read; the message says which. */
  | 'row_damaged'
  /** A backup or a restore that would harm something, or cannot be whole; the message says what. */
  | 'backup_refused'
  | 'restore_refused'

/** Recognise it by `code`, never by its class. */
export class StoreError extends Error {
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}
