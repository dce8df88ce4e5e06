import { DomainError } from '@/server/operations/domain-error'

/** What stands for bytes that are not UTF-8; somebody may have written it, too. */
const REPLACEMENT = '\ufffd'
const WRITTEN = /%ef%bf%bd|\ufffd/i

/**
 * The fields of a query, each once and in its order.
 * @throws DomainError `invalid_request` for one that is repeated: nobody could say which of its values is meant; `malformed` for what is not
 *   UTF-8
 */
export function readQueryFields(query: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, text] of new URLSearchParams(query)) {
    if ((name + text).includes(REPLACEMENT) && !WRITTEN.test(query))
      throw new DomainError('malformed', 'The query is not valid UTF-8.')
    if (fields.has(name)) {
      const word = name.slice(0, 80)
      throw new DomainError('invalid_request', `The query says "${word}" twice.`, [
        { path: [word], code: 'duplicate_field', message: `"${word}" stands twice in the query.` },
      ])
    }
    fields.set(name, text)
  }
  return fields
}
