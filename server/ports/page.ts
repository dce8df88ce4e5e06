/** One page of a list. `nextCursor` asks for the page after it; null: this is the last one. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null }
