'use client'

import { useMemo, useState } from 'react'
import { JsonView } from './json-view'
import { largeValueBytes } from './large-value'
import { RowsView } from './rows-view'
import { bytesText } from './times'
import { isTable } from './value-rows'
import { Scalar } from './value-scalar'
import { findInValue } from './value-search'

/** Members that are drawn; copying or downloading gives all. */
const MOST_MEMBERS = 100
const MOST_MATCHES = 100
/** Characters of a text on one line. */
const MOST_TEXT = 80
/** Characters of a text in a tree, and of a text with a search match. */
const MOST_IN_TREE = 400
const MOST_FOUND = 160
/** A branch with at most this many members, and not deeper than this, is open at first. */
const OPEN_MEMBERS = 8
const OPEN_DEPTH = 3

const BOX =
  'max-h-80 max-sm:max-h-52 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5'

/**
 * A value for people: a list of records as a table, other lists and objects as a tree, long text unchanged. With `query`,
 * only the members whose key or text contains it.
 */
export function ValueView({ value, label, query = '' }: { value: unknown; label: string; query?: string }) {
  if (query.trim() !== '') return <Matches value={value} label={label} query={query} />
  if (isTable(value)) return <RowsView rows={value} label={label} />
  const bytes = largeValueBytes(value)
  if (bytes !== null)
    return (
      <p className="font-mono text-xs">
        <LargeValue bytes={bytes} />
      </p>
    )
  if (typeof value === 'object' && value !== null)
    return (
      <div className={BOX} tabIndex={0} role="region" aria-label={label}>
        <Members value={value} depth={1} />
      </div>
    )
  if (isLongText(value)) return <JsonView value={value} className="max-h-64" />
  return (
    <p className="font-mono text-xs break-words">
      <Scalar value={value} />
    </p>
  )
}

const isLongText = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes('\n') || value.length > MOST_TEXT)

/** Named values: tables and multi-line texts each under its name, all others as one tree. */
export function NamedValues({
  values,
  label,
  query = '',
}: {
  values: { readonly [name: string]: unknown }
  label: string
  query?: string
}) {
  if (query.trim() !== '') return <Matches value={values} label={label} query={query} />
  const isBlock = (value: unknown) => isTable(value) || (typeof value === 'string' && value.includes('\n'))
  const entries = Object.entries(values)
  const rest = Object.fromEntries(entries.filter(([, value]) => !isBlock(value)))
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {(Object.keys(rest).length > 0 || entries.length === 0) && <ValueView value={rest} label={label} />}
      {entries
        .filter(([, value]) => isBlock(value))
        .map(([name, value]) => (
          <div key={name} className="min-w-0">
            <p className="mb-1 font-mono text-xs text-muted">{name}</p>
            <ValueView value={value} label={`${label}: ${name}`} />
          </div>
        ))}
    </div>
  )
}

function Matches({ value, label, query }: { value: unknown; label: string; query: string }) {
  const { matches, more } = useMemo(() => findInValue(value, query, MOST_MATCHES), [value, query])
  if (matches.length === 0)
    return (
      <p className="text-xs text-faint">{more ? 'Nothing found in its first members.' : 'Nothing found.'}</p>
    )
  return (
    <ul className={BOX} aria-label={`${label}: found`}>
      {matches.map(({ path, value: found }) => (
        <li key={path} className="break-words">
          <span className="text-muted">{path}</span>{' '}
          {typeof found === 'object' && found !== null ? (
            <span className="text-faint">{sizeOf(found)}</span>
          ) : (
            <Scalar value={found} most={MOST_FOUND} query={query} />
          )}
        </li>
      ))}
      {more && <li className="text-faint">… and more</li>}
    </ul>
  )
}

const sizeOf = (value: object): string => {
  const size = Object.keys(value).length
  return Array.isArray(value) ? `[${size}]` : `{${size}}`
}

/** The placeholder of a value that is stored as a file; the file is listed with the artifacts. */
const LargeValue = ({ bytes }: { bytes: number }) => (
  <span className="text-faint">{bytesText(bytes)}, saved as a file</span>
)

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length > 0 &&
  largeValueBytes(value) === null

function Members({ value, depth }: { value: object; depth: number }) {
  const list = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return <span className="text-faint">{list ? '[]' : '{}'}</span>
  return (
    <ul>
      {entries.slice(0, MOST_MEMBERS).map(([name, member]: [string, unknown]) => (
        <li key={name}>
          {isBranch(member) ? (
            <Branch name={name} value={member} depth={depth} />
          ) : (
            <span className="flex gap-2 pl-4">
              <span className="shrink-0 text-muted">{name}</span>
              <span className="min-w-0 break-words">
                {largeValueBytes(member) !== null ? (
                  <LargeValue bytes={largeValueBytes(member)!} />
                ) : typeof member === 'object' && member !== null ? (
                  <span className="text-faint">{Array.isArray(member) ? '[]' : '{}'}</span>
                ) : (
                  <Scalar value={member} most={MOST_IN_TREE} />
                )}
              </span>
            </span>
          )}
        </li>
      ))}
      {entries.length > MOST_MEMBERS && (
        <li className="pl-4 text-faint">{`… ${entries.length - MOST_MEMBERS} more`}</li>
      )}
    </ul>
  )
}

/** Drawn when it is opened: a value may be deeper and larger than a page can show. */
function Branch({ name, value, depth }: { name: string; value: object; depth: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH && Object.keys(value).length <= OPEN_MEMBERS)
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded-sm select-none hover:bg-surface">
        <span className="text-muted">{name}</span> <span className="text-faint">{sizeOf(value)}</span>
      </summary>
      {open && (
        <div className="ml-1.5 border-l border-line pl-2">
          <Members value={value} depth={depth + 1} />
        </div>
      )}
    </details>
  )
}
