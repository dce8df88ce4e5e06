export type SecretErrorCode = 'unknown_key' | 'damaged'

/** A sealed value that cannot be opened. Its message never holds the value. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
  constructor(
    readonly code: SecretErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
