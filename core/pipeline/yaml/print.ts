import { isRecord } from '@/core/pipeline/json'

/**
 * The usual style of YAML: what stands in `examples/`. Words stand plain where nobody could misread them and in single
 * quotes elsewhere (conditions and events always), text of several lines as a block, small objects and lists of words
 * on one line; nodes and sections are set apart by blank lines.
 */

/** Longest line that a list or an object is put on. */
const width = 110

/** What holds one line an entry, whatever would fit on one. */
const blockFields = new Set(['inputs', 'outputs', 'nodes', 'layout', 'inputBindings', 'outputVariables'])

/** Fields of a pipeline that are set apart by a blank line. */
export const sections: ReadonlySet<string> = new Set([
  'inputs',
  'outputs',
  'triggers',
  'policy',
  'phases',
  'verify',
  'nodes',
  'layout',
  'notes',
  'rehearsals',
])

/** Words that a YAML reader of some version takes for something else than text. */
const readOtherwise = /^(?:null|~|true|false|yes|no|on|off|<<|=)$/i
const numberLike = /^[-+]?(?:0x[\da-f]+|0o[\da-f]+|[\d_]*\.?[\d_]+\.?(?:e[-+]?\d+)?|\.(?:inf|nan))$/i
const plainStart = /^[^\s\-?:,[\]{}#&*!|>'"%@`.=~<]|^\.(?=[\w/])/
const printableLine =
  /^[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u
const invisible = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Text in single quotes, or null when it holds what only double quotes can say. */
export function singleQuoted(text: string): string | null {
  return printableLine.test(text) ? `'${text.replaceAll("'", "''")}'` : null
}

/** Text in double quotes: as JSON, with nothing invisible in it. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    invisible,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A text on one line; plain only where it stays the same text inside `[ ]` and `{ }` too, when `inFlow`. */
function textOnOneLine(text: string, inFlow: boolean): string {
  const plain =
    plainStart.test(text) &&
    printableLine.test(text) &&
    !readOtherwise.test(text) &&
    !numberLike.test(text) &&
    !/: |:$| #|\s$|\{\{|event:/.test(text) &&
    !(inFlow && /[,[\]{}:]/.test(text))
  return plain ? text : (singleQuoted(text) ?? doubleQuoted(text))
}

/** A word, a number, true, false or null on one line. */
export function scalarText(value: unknown, inFlow = false): string {
  return typeof value === 'string' ? textOnOneLine(value, inFlow) : JSON.stringify(value ?? null)
}

/** Whether a text has several lines and can stand as a block. */
function isBlockText(value: unknown): value is string {
  if (typeof value !== 'string' || !value.includes('\n')) return false
  if (/^(?:\s|$)|\s$/.test(value.replace(/\n$/, ''))) return false
  return value.split('\n').every((line) => printableLine.test(line.replaceAll('\t', ' ')))
}

function isScalarValue(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}

/** The value inside `[ ]` or `{ }`, whatever its length. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`
  if (!isRecord(value)) return scalarText(value, true)
  const members = membersOf(value).map(([key, member]) => `${scalarText(key, true)}: ${flowText(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Whether a value is small enough to be read on one line: words, and at most one level of lists or objects of words. */
function isSmall(value: unknown, levels: number): boolean {
  if (isScalarValue(value)) return !isBlockText(value)
  if (levels === 0) return false
  const members = Array.isArray(value) ? value : membersOf(value as object).map(([, member]) => member)
  return members.every((member) => isSmall(member, Array.isArray(value) ? 0 : levels - 1))
}

/** Past this a key must not stand before a colon on a line of its own. */
const longestKey = 500

function onOneLine(value: unknown, field: string | null, room: number): string | null {
  if (isScalarValue(value)) return isBlockText(value) ? null : scalarText(value)
  const members = membersOf(value as object)
  if (members.length === 0 || (!Array.isArray(value) && members.some(([key]) => key.length > longestKey))) {
    return flowText(value)
  }
  if ((field !== null && blockFields.has(field)) || !isSmall(value, 2)) return null
  const text = flowText(value)
  return text.length <= room ? text : null
}

const shifted = (lines: readonly string[]) => lines.map((line) => (line === '' ? '' : `  ${line}`))

/**
 * The lines of one entry, from column 0: `lead` is `key:` or `-`. `comment` (` # …`, or nothing) ends the first line.
 * `field` names what the value is, and `indent` how far the lines will be moved to the right.
 */
export function entryLines(
  lead: string,
  value: unknown,
  { field, indent, comment = '' }: { field: string | null; indent: number; comment?: string },
): string[] {
  const line = onOneLine(value, field, width - indent - lead.length - 1)
  if (line !== null) return [`${lead} ${line}${comment}`]
  if (isBlockText(value)) {
    const body = value.endsWith('\n') ? value.slice(0, -1) : value
    return [`${lead} ${value.endsWith('\n') ? '|' : '|-'}${comment}`, ...shifted(body.split('\n'))]
  }
  const lines = shifted(blockLines(value as object, field, indent + 2))
  if (lead !== '-' || comment !== '') return [`${lead}${comment}`, ...lines]
  return [`-${lines[0]?.slice(1) ?? ''}`, ...lines.slice(1)]
}

function blockLines(value: object, field: string | null, indent: number): string[] {
  if (!Array.isArray(value)) {
    return membersOf(value).flatMap(([key, member]) =>
      entryLines(keyLead(key), member, { field: key, indent }),
    )
  }
  // Nodes are apart from each other, and never on one line.
  const item = field === 'nodes' ? 'nodes' : null
  return value.flatMap((member: unknown, at) => {
    const lines = entryLines('-', member, { field: item, indent })
    return item !== null && at > 0 ? ['', ...lines] : lines
  })
}

/** A key and its colon. */
export function keyLead(key: string): string {
  return `${scalarText(key, true)}:`
}

/** A whole document. */
export function documentText(value: unknown): string {
  if (!isRecord(value) || membersOf(value).length === 0) {
    return `${isScalarValue(value) ? scalarText(value) : flowText(value)}\n`
  }
  if (Object.keys(value).some((key) => key.length > longestKey)) return `${flowText(value)}\n`
  const lines = membersOf(value).flatMap(([key, member], at) => {
    const entry = entryLines(keyLead(key), member, { field: key, indent: 0 })
    return at > 0 && sections.has(key) ? ['', ...entry] : entry
  })
  return `${lines.join('\n')}\n`
}
