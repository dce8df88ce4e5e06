import type { Verdict } from '@/core/pipeline/check/check'
import type { Issue } from '@/core/pipeline/issue'

/** A definition as JSON, or as YAML text: one of them. */
export type DefinitionDocument = { readonly definition?: unknown; readonly yaml?: string | undefined }

export type CheckedDocument =
  | {
      readonly ok: true
      /** What was read; of JSON the same value as in the document. */
      readonly value: unknown
      readonly verdict: Verdict
      /** SHA-256 of the value in canonical JSON, hex. */
      readonly digest: string
    }
  /** The text cannot be read. */
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Reads and checks documents. Large ones are checked beside the event loop: nobody else waits for them. Rejects when that breaks or takes
 * too long.
 */
export interface DefinitionCheck {
  check(document: DefinitionDocument): Promise<CheckedDocument>
}
