/** Where this browser keeps things between visits; null where it lets a page keep nothing. */
export function storageHere(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}

/** Keeps a text; false where there is no room for it, or nothing is kept. */
export function keepHere(key: string, text: string): boolean {
  try {
    storageHere()?.setItem(key, text)
    return storageHere() !== null
  } catch {
    return false
  }
}
