/** What JSON text says and its value does not, with the place; lines and columns count from 1. */
export type JsonTextFault = {
  readonly kind: 'duplicate_key' | 'number_too_large'
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly line: number
  readonly column: number
}

/** An object or a list on the way to where the text is read; `at` is the key or the index that is read now. */
type Open = { readonly keys: Set<string> | null; at: string | number }

const numberText = /-?[0-9][0-9.eE+-]*/y

/**
 * Looks through text that `JSON.parse` has read for what it changes in silence: of a key that is written twice it takes the last, and a
 * number beyond what a double holds becomes infinite. Answers the first fault, in one pass and without recursion.
 */
export function findTextFault(json: string): JsonTextFault | null {
  const open: Open[] = []
  let isKey = false
  for (let at = 0; at < json.length; at += 1) {
    const inner = open.at(-1)
    switch (json[at]) {
      case '{':
        open.push({ keys: new Set(), at: '' })
        isKey = true
        break
      case '[':
        open.push({ keys: null, at: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ':':
        isKey = false
        break
      case ',':
        if (typeof inner?.at === 'number') inner.at += 1
        isKey = inner?.keys !== null
        break
      case '"': {
        const end = endOfString(json, at)
        if (isKey && inner !== undefined && inner.keys !== null) {
          const key = JSON.parse(json.slice(at, end)) as string
          inner.at = key
          if (inner.keys.has(key)) return faultAt(json, at, 'duplicate_key', open)
          inner.keys.add(key)
        }
        at = end - 1
        break
      }
      default: {
        const number = numberAt(json, at)
        if (number === '') break
        if (!Number.isFinite(Number(number))) return faultAt(json, at, 'number_too_large', open)
        at += number.length - 1
      }
    }
  }
  return null
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code === 0x5c) at += 1
  }
  return json.length
}

function numberAt(json: string, at: number): string {
  const code = json.charCodeAt(at)
  if (code !== 0x2d && (code < 0x30 || code > 0x39)) return ''
  numberText.lastIndex = at
  return numberText.exec(json)?.[0] ?? ''
}

function faultAt(
  json: string,
  at: number,
  kind: JsonTextFault['kind'],
  open: readonly Open[],
): JsonTextFault {
  const before = json.slice(0, at).split('\n')
  const path = open.map((part) => part.at)
  const message =
    kind === 'duplicate_key'
      ? `the key '${String(path.at(-1)).slice(0, 80)}' is written twice`
      : `${numberAt(json, at).slice(0, 80)} is larger than a number can be`
  return { kind, message, path, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
