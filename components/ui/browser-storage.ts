/** Where this browser keeps things between visits; null where it lets a page keep nothing. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}

/** Keeps a text; false where there is no room for it, or nothing is kept. */
export function saveInBrowser(key: string, text: string): boolean {
  try {
    browserStorage()?.setItem(key, text)
    return browserStorage() !== null
  } catch {
    return false
  }
}
