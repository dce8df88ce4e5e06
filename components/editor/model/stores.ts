import type { DraftStore } from './draft/draft'
import type { ViewStore } from './view'

/** What every action of the editor works on: the draft, and what is selected and open. */
export type EditorStores = { readonly draft: DraftStore; readonly view: ViewStore }
