import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import type { OpenDocument } from '@/core/pipeline/yaml/document'
import { rangeOf } from '@/core/pipeline/yaml/source-ranges'
import type { YamlIssue } from '@/core/pipeline/yaml/yaml'

/** Where in the code problems are marked. Pure. */

/** Most marks in a text. */
const MOST_MARKS = 200

/** Syntax errors, each at its line. */
export const marksOfText = (issues: readonly YamlIssue[], text: Text): Diagnostic[] =>
  issues.map(({ message, line = 1, column = 1 }) => {
    const at = text.line(Math.min(Math.max(1, line), text.lines))
    return { from: Math.min(at.from + column - 1, at.to), to: at.to, severity: 'error', message }
  })

/** Problems of the definition, each marked from its key to the end of that line, because marking a whole node hides the rest. */
export function marksOf(problems: readonly Problem[], document: OpenDocument, text: Text): Diagnostic[] {
  return problems.slice(0, MOST_MARKS).map(({ path, severity, text: message }) => {
    const { from, to } = lineOf(document, path, text)
    return { from, to, severity, message }
  })
}

/** The first line of what a path leads to; of the definition as a whole, its first line that says something. */
export function lineOf(
  document: OpenDocument,
  path: Problem['path'],
  text: Text,
): { readonly from: number; readonly to: number } {
  const place = rangeOf(document, path)
  const from = Math.min(
    path.length === 0 ? Math.max(0, document.text.search(/^[^#\s]/m)) : place.from,
    text.length,
  )
  return { from, to: Math.min(Math.max(from, place.to), text.lineAt(from).to) }
}
