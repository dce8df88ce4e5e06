import type { Json, ValueRef, VariableWrite } from './event'
import { LIMITS } from './event'
import { jsonBytes } from './json-bytes'

/**
 * Where values live that are too large for the journal. An entry names such a value by a reference beside its (then
 * null) value: a value that only looks like a reference is a value, so nobody can forge one. Contents are addressed by their
 * digest: the same reference gives the same value whenever it is asked for.
 */
export type LargeValues = {
  /** Bytes of JSON that one value may have at most. */
  readonly mostBytes: number
  /** The value of a reference, or undefined when its content is not there. Whoever gets it must not change it. */
  load(ref: ValueRef): Json | undefined
  /** Takes a value of more than an inline one's and at most `mostBytes`; durable before the entry that names it. */
  keep(value: Json, about: { readonly node: string; readonly name: string }): ValueRef
}

/** For folds that write nothing, where no large value can occur. */
export const NO_LARGE_VALUES: LargeValues = {
  mostBytes: LIMITS.inlineVariableBytes,
  load: () => undefined,
  keep() {
    throw new Error('invariant: large values cannot be stored here')
  },
}

/** The value of a variable, or undefined when its content is not there. */
export function valueOf(
  values: LargeValues,
  { value, ref }: { readonly value: Json; readonly ref?: ValueRef },
): Json | undefined {
  return ref === undefined ? value : values.load(ref)
}

export type Sized = { readonly bytes: number; readonly inline: boolean }

/** How large a value is (counted until it passes what is allowed), and whether it stands in the entry itself. */
export function sizeOf(values: LargeValues, value: Json): Sized {
  const bytes = jsonBytes(value, values.mostBytes)
  return { bytes, inline: bytes <= LIMITS.inlineVariableBytes }
}

/** The write of a variable, by reference when it is large. Its size has been looked at. */
export function variableWrite(
  values: LargeValues,
  { name, node, value, inline }: { name: string; node: string; value: Json; inline: boolean },
): VariableWrite {
  return inline ? { name, value } : { name, value: null, ref: values.keep(value, { node, name }) }
}

/** What an error says of a reference whose content is gone. */
export function lostContent(ref: ValueRef): string {
  return `its content (SHA-256 ${ref.digest}) is missing from the data folder or damaged: restore it from a backup`
}
