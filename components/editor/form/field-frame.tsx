'use client'

import { Braces, ChevronDown, ChevronUp, X, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/components/ui/class-names'
import type { Path } from '@/core/pipeline/json-edits'
import type { Moves } from './controls'
import { fieldMark } from './field-mark'
import type { FieldIssue } from './form-host'

const inks = { error: 'font-medium text-danger', warning: 'text-warning', info: 'text-muted' }

/** The label of a field with its buttons, its control, its hint and its problems. */
export function FieldFrame({
  id,
  path,
  title,
  required,
  hint,
  issues,
  actions,
  group = false,
  children,
}: {
  id: string
  /** Where its value stands in the definition. */
  path: Path
  title: ReactNode
  required: boolean
  hint: string | null
  issues: readonly FieldIssue[]
  actions?: ReactNode
  /** Its control is a group of controls: no label can belong to it. */
  group?: boolean
  children: ReactNode
}) {
  const label = (
    <>
      <span className="truncate">{title}</span>
      {required && <span className="text-xs font-normal text-faint">required</span>}
    </>
  )
  const look = 'flex min-w-0 items-baseline gap-1.5 text-sm font-medium'
  return (
    <div
      className="flex min-w-0 flex-col gap-1"
      {...fieldMark(path)}
      {...(group ? { role: 'group', 'aria-labelledby': `${id}-label` } : {})}
    >
      <div className="flex min-h-6 items-center gap-1.5">
        {group ? (
          <span id={`${id}-label`} className={look}>
            {label}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id} className={look}>
            {label}
          </label>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-1">{actions}</span>
      </div>
      {children}
      {hint !== null && (
        <p id={`${id}-hint`} className="text-xs text-faint">
          <Marked text={hint} />
        </p>
      )}
      <Issues id={id} issues={issues} />
    </div>
  )
}

/** A sentence of a contract, in which names stand in backticks. */
export function Marked({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
}

/** The problems of a field, as sentences that describe its control. */
export function Issues({ id, issues }: { id: string; issues: readonly FieldIssue[] }) {
  if (issues.length === 0) return null
  return (
    <div id={`${id}-issues`} className="flex flex-col gap-0.5">
      {issues.map(({ severity, text }) => (
        <p key={text} className={cn('text-xs', inks[severity])}>
          {text}
        </p>
      ))}
    </div>
  )
}

/** Switches a field between a fixed value and an expression. */
export function ExpressionToggle({
  title,
  on,
  onToggle,
}: {
  title: string
  on: boolean
  onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={`Expression for ${title}`}
      title={on ? 'Write a fixed value' : 'Write an expression'}
      onClick={onToggle}
      className={cn(
        'flex h-6 items-center rounded-md border px-1.5 transition-colors duration-150 [&_svg]:size-3.5',
        on
          ? 'border-accent/40 bg-accent-soft text-accent'
          : 'border-transparent text-faint hover:bg-sunken hover:text-ink',
      )}
    >
      <Braces aria-hidden />
    </button>
  )
}

/** Puts a member of a list before or after its neighbour. What moves keeps the focus, so it can be moved on. */
export function MoveButtons({ what, moves: { up, down } }: { what: string; moves: Moves }) {
  const button = (way: string, Icon: LucideIcon, move: (() => void) | null) => (
    <button
      type="button"
      aria-label={`Move ${what} ${way}`}
      title={`Move ${way}`}
      aria-disabled={move === null}
      onClick={() => move?.()}
      className={cn(
        'flex size-6 shrink-0 items-center justify-center rounded-md text-faint transition-colors duration-150 [&_svg]:size-3.5',
        move === null ? 'opacity-40' : 'hover:bg-sunken hover:text-ink',
      )}
    >
      <Icon aria-hidden />
    </button>
  )
  return (
    <span className="flex">
      {button('up', ChevronUp, up)}
      {button('down', ChevronDown, down)}
    </span>
  )
}

/** Removes a field, a member of a list or a name. */
export function RemoveButton({ what, onRemove }: { what: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove ${what}`}
      title={`Remove ${what}`}
      onClick={onRemove}
      className="flex size-6 shrink-0 items-center justify-center rounded-md text-faint transition-colors duration-150 hover:bg-sunken hover:text-ink [&_svg]:size-3.5"
    >
      <X aria-hidden />
    </button>
  )
}
