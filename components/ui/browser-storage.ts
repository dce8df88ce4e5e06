/** The local storage of the browser; null where it is blocked. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}

/** Saves a text; false where storage is full or blocked. */
export function saveInBrowser(key: string, text: string): boolean {
  try {
    browserStorage()?.setItem(key, text)
    return browserStorage() !== null
  } catch {
    return false
  }
}
