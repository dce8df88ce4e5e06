/** Sizes of memory as people write them. */
export const memoryExamples: readonly string[] = ['256Mi', '512Mi', '1Gi', '4Gi', '16Gi']
export const memoryHint = 'write 512Mi, 1.5Gi or a number of bytes'

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}
const written = /^(\d{1,16}(?:\.\d{1,6})?)(|k|M|G|T|Ki|Mi|Gi|Ti)$/

/** Far above any machine, and exact as a number. */
export const MOST_MEMORY = 2 ** 50

/** Bytes of `512Mi`, `1.5Gi`, `2G` or `1048576`; null when it is no size, or more than 1024 Ti. */
export function parseMemory(text: string): number | null {
  const found = written.exec(text)
  if (found === null) return null
  const bytes = Math.ceil(Number(found[1]) * units[found[2]!]!)
  return bytes > MOST_MEMORY ? null : bytes
}

/** The shortest way to write a number of bytes: `536870912` is `512Mi`. Parses back to the same when `bytes` is whole. */
export function formatMemory(bytes: number): string {
  for (const unit of ['Ti', 'Gi', 'Mi', 'Ki'] as const) {
    const size = units[unit]!
    const amount = bytes / size
    if (amount >= 1 && Number.isInteger(amount * 8)) return `${amount}${unit}`
  }
  return String(bytes)
}
