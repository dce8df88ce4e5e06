/**
 * Ids of traces and spans, as W3C Trace Context writes them. They are functions of what they name: whoever reads a journal, today or after a
 * restart, finds the same ids, and nothing has to remember them.
 */

/** The trace of a run that no other system asked for: 32 hexadecimal digits, never all 0. */
export const traceIdOf = (executionId: string): string => hex(executionId, 4)

/** The span of a run, of a node of it, or of an attempt: 16 hexadecimal digits, never all 0. Parts: execution, node, generation … */
export const spanIdOf = (...parts: readonly (string | number | null)[]): string => hex(parts.join('/'), 2)

/** So many words of 32 bits, each from a hash of its own. */
function hex(text: string, words: number): string {
  let digits = ''
  for (let seed = 1; seed <= words; seed += 1) digits += hash(text, seed).toString(16).padStart(8, '0')
  return /[^0]/.test(digits) ? digits : digits.replace(/0$/, '1')
}

/** Spreads; it protects nothing. */
function hash(text: string, seed: number): number {
  let value = Math.imul(seed, 0x9e3779b1)
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x85ebca6b)
    value ^= value >>> 15
  }
  value = Math.imul(value ^ (value >>> 16), 0xc2b2ae35)
  return (value ^ (value >>> 13)) >>> 0
}

/** A `traceparent` of W3C Trace Context, version 00. */
export const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** What the trace of a run follows from. */
export type Traced = { readonly executionId: string; readonly traceParent: string | null }

/** The trace that a run belongs to. */
export type Trace = {
  readonly traceId: string
  /** The span that asked for the run; null: nobody of the trace did. */
  readonly parentSpanId: string | null
  /** Whether who asked exports its spans; null: nobody has decided. */
  readonly sampled: boolean | null
}

export function traceOf({ executionId, traceParent }: Traced): Trace {
  const [, traceId, parentSpanId = null, flags = '00'] = TRACEPARENT.exec(traceParent ?? '') ?? []
  return traceId === undefined
    ? { traceId: traceIdOf(executionId), parentSpanId: null, sampled: null }
    : { traceId, parentSpanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Whether spans of the trace are exported: as who asked decided, else this share of all traces (0 to 1). */
export function isSampled({ traceId, sampled }: Trace, share: number): boolean {
  return sampled ?? Number.parseInt(traceId.slice(0, 8), 16) < share * 2 ** 32
}

/** What names an attempt in its run. */
type AttemptOf = {
  readonly node: string
  readonly generation: number
  readonly item: number | null
  readonly attempt: number
}

export const attemptSpanId = (executionId: string, { node, generation, item, attempt }: AttemptOf): string =>
  spanIdOf(executionId, node, generation, item, attempt)

/** What an attempt hands to whom it calls, so that their spans are below its own. @param share of all traces that is exported */
export function traceparentOf(run: Traced, attempt: AttemptOf, share: number): string {
  const trace = traceOf(run)
  const flags = isSampled(trace, share) ? '01' : '00'
  return `00-${trace.traceId}-${attemptSpanId(run.executionId, attempt)}-${flags}`
}

/** A header as another system sends it: later versions may say more. What cannot be read is ignored, as the standard asks: null. */
export function readTraceparent(header: string | undefined): string | null {
  const [, ids, flags] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32}-[0-9a-f]{16})-([0-9a-f]{2})(?:-.{0,200})?$/.exec(header ?? '') ?? []
  const text = `00-${ids}-${flags}`
  return TRACEPARENT.test(text) ? text : null
}
