/** Names that are not free to choose: the owner's two, and those under which the server itself acts. */
const RESERVED: readonly string[] = ['owner', 'bootstrap', 'engine', 'system', 'examples']

/** No `_` and no `:`: a handle is never equal to the id of a principal (`usr_…`), nor to `schedule:…` or `hook:…`. */
const handlePattern = /^[a-z][a-z0-9.-]{0,62}$/

/**
 * What is wrong with a handle that somebody wants, in a sentence for them, or null. Whether somebody else has it, the database says: it
 * holds one of each per tenant.
 */
export function handleFault(handle: string): string | null {
  if (!handlePattern.test(handle))
    return 'A name has 1 to 63 small letters, digits, dots and hyphens, and begins with a letter.'
  return RESERVED.includes(handle) ? `"${handle}" is reserved: choose another name.` : null
}
