/**
 * The texts that an editor has given and that its owner has not given back yet. Owners render later than people type: what comes
 * back then is older than what the editor shows, and written into it would take letters away and close the list of completions.
 */
export function createEchoes() {
  let given: string[] = []
  return {
    gave: (text: string): void => void given.push(text),

    /** Whether the owner has set a text that the editor has to take over. `shown`: what the editor shows. */
    isForeign(text: string, shown: string): boolean {
      if (text === shown) {
        given = []
        return false
      }
      const at = given.indexOf(text)
      given = at < 0 ? [] : given.slice(at + 1)
      return at < 0
    },
  }
}
