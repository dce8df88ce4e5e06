/** Lines of a message that say what happened; the rest are circumstances. */
const SUMMARY_LINES = 3
const LONGEST_SUMMARY = 300

/**
 * The beginning of a message of an error, and the rest where there is much of it: advice, settings, traces. A summary ends before an
 * empty line, a list or what introduces one, after three lines at most. `rest` is '' where the summary says it all.
 */
export function errorSummary(message: string): { readonly summary: string; readonly rest: string } {
  const lines = message.trim().split('\n')
  let end = 1
  while (end < Math.min(lines.length, SUMMARY_LINES) && !endsSummary(lines[end]!)) end += 1
  const summary = lines.slice(0, end).join('\n')
  const rest = lines.slice(end).join('\n').trim()
  if (summary.length <= LONGEST_SUMMARY) return { summary, rest }
  const space = summary.lastIndexOf(' ', LONGEST_SUMMARY)
  const cut = space > LONGEST_SUMMARY / 2 ? space : LONGEST_SUMMARY
  return { summary: `${summary.slice(0, cut)}…`, rest: message.trim() }
}

const endsSummary = (line: string): boolean => /^\s*$|^\s*[-*•] |:\s*$|^\s+\S+ ?[=:] /.test(line)

/** The first line of a message, for where there is room for one. */
export const firstLine = (message: string): string => message.trim().split('\n', 1)[0]!
