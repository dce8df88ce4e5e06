export type ArtifactErrorCode =
  /** The name could leave its folder, or a link stands in the way. */
  | 'unsafe_name'
  /** Name or content type cannot be stored. */
  | 'invalid_artifact'
  | 'artifact_too_large'
  /** What should become an artifact is not a plain file. */
  | 'not_a_file'
  | 'invalid_range'
  /** The row is there, its content is not. */
  | 'artifact_missing'

/** Recognise it by `code`, never by its class. */
export class ArtifactError extends Error {
  readonly code: ArtifactErrorCode

  constructor(code: ArtifactErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'ArtifactError'
    this.code = code
  }
}
