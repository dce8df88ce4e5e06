/** A plain JSON value: what variables, bindings and payloads are made of. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** A value, or why there is none. Errors are data here; nothing in the language throws for bad input. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E }
