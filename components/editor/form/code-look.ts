import { HighlightStyle } from '@codemirror/language'
import { tags } from '@lezer/highlight'

/** Colours of the house, which have one value in the light and another in the dark. */
export const ink = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--tint-data-ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--tint-code-ink)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--muted)' },
  { tag: [tags.labelName, tags.meta, tags.typeName], color: 'var(--tint-gate-ink)' },
])
