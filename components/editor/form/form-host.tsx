'use client'

import { createContext, useContext, type ReactNode } from 'react'
import type { Path } from '@/core/pipeline/json-edits'
import type { Names } from './completion'
import type { TypedPlace } from './use-typed'

export type FieldIssue = {
  readonly path: Path
  readonly severity: 'error' | 'warning' | 'info'
  readonly text: string
}

/** What the fields of a form need of the editor around them. Paths are those of the definition. */
export type FormHost = {
  /** Another value at a path; undefined takes the member away. What is typed at a place is one step of the history; `alone`: this is one. */
  readonly edit: (path: Path, value: unknown, alone?: boolean) => void
  /** The problems that are known, by path. */
  readonly issues: readonly FieldIssue[]
  /** What an expression at a path may read; called only when completions are offered. */
  readonly namesAt: (path: Path) => Names
  /** Text that was typed at a path and is not a value yet. */
  readonly typedAt: (path: Path) => TypedPlace
  /** What is shown below an expression at a path. */
  readonly preview: (text: string, path: Path) => ReactNode
}

const FormContext = createContext<FormHost | null>(null)

export const FormHostProvider = FormContext

export function useFormHost(): FormHost {
  const host = useContext(FormContext)
  if (host === null) throw new Error('useFormHost belongs below a FormHostProvider')
  return host
}

const startsWith = (path: Path, start: Path): boolean =>
  path.length >= start.length && start.every((part, at) => String(part) === String(path[at]))

/** What is wrong at a path, and with `inside` at what lies below it. */
export function issuesAt(issues: readonly FieldIssue[], path: Path, inside: boolean): readonly FieldIssue[] {
  return issues.filter((issue) =>
    inside ? startsWith(issue.path, path) : issue.path.length === path.length && startsWith(issue.path, path),
  )
}
