'use client'

import { useState } from 'react'
import { isRecord } from '@/core/pipeline/json'
import { cn } from './class-names'
import { JsonView } from './json-view'
import { Table, Td, Th, Tr } from './table'

/** Rows, columns and members that are laid out at once; the whole is copied or downloaded. */
const MOST_ROWS = 50
const MOST_COLUMNS = 30
const MOST_MEMBERS = 100
/** Text that stands on one line. */
const MOST_TEXT = 80

/** A value as people read it: a list of records as a table, other lists and objects as a tree, a long text as it stands. */
export function ValueView({ value, label }: { value: unknown; label: string }) {
  if (isTable(value)) return <Rows rows={value} label={label} />
  if (typeof value === 'object' && value !== null)
    return (
      <div className="max-h-80 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5">
        <Members value={value} />
      </div>
    )
  if (typeof value === 'string' && (value.includes('\n') || value.length > MOST_TEXT))
    return <JsonView value={value} className="max-h-48" />
  return (
    <p className="font-mono text-xs break-words">
      <Scalar value={value} />
    </p>
  )
}

type Row = { readonly [column: string]: unknown }

function isTable(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, MOST_ROWS).every(isRecord)
}

function Rows({ rows, label }: { rows: readonly Row[]; label: string }) {
  const shown = rows.slice(0, MOST_ROWS)
  const all = [...new Set(shown.flatMap((row) => Object.keys(row)))]
  const columns = all.slice(0, MOST_COLUMNS)
  return (
    <div className="rounded-md border border-line">
      <div className="max-h-80 overflow-auto">
        <Table label={label} className="text-xs">
          <thead>
            <tr>
              {columns.map((column) => (
                <Th key={column} className="h-7 px-2 font-mono sm:px-2">
                  {column}
                </Th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <Tr key={at}>
                {columns.map((column) => (
                  <Td key={column} className="h-7 max-w-60 truncate px-2 font-mono sm:px-2">
                    <Cell value={row[column]} />
                  </Td>
                ))}
              </Tr>
            ))}
          </tbody>
        </Table>
      </div>
      {(rows.length > shown.length || all.length > columns.length) && (
        <p className="border-t border-line px-2 py-1 text-xs text-faint">
          {`${shown.length} of ${rows.length} rows`}
          {all.length > columns.length && `, ${columns.length} of ${all.length} columns`}
        </p>
      )}
    </div>
  )
}

function Cell({ value }: { value: unknown }) {
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />
  const text = JSON.stringify(value)
  return <span title={text.slice(0, 1_000)}>{text.slice(0, MOST_TEXT)}</span>
}

function Members({ value }: { value: object }) {
  const list = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return <span className="text-faint">{list ? '[]' : '{}'}</span>
  return (
    <ul>
      {entries.slice(0, MOST_MEMBERS).map(([name, member]: [string, unknown]) => (
        <li key={name}>
          {typeof member === 'object' && member !== null && Object.keys(member).length > 0 ? (
            <Branch name={name} value={member} />
          ) : (
            <span className="flex gap-2 pl-4">
              <span className="shrink-0 text-muted">{name}</span>
              <span className="min-w-0 break-words">
                <Scalar value={member} />
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

/** Laid out when it is opened: a value may be deeper and wider than any page. */
function Branch({ name, value }: { name: string; value: object }) {
  const [open, setOpen] = useState(false)
  const size = Object.keys(value).length
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded-sm select-none hover:bg-surface">
        <span className="text-muted">{name}</span>{' '}
        <span className="text-faint">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {open && (
        <div className="ml-1.5 border-l border-line pl-2">
          <Members value={value} />
        </div>
      )}
    </details>
  )
}

function Scalar({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return (
    <span className={cn(typeof value !== 'string' && 'text-(--tint-code-ink)')}>
      {text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text}
    </span>
  )
}
