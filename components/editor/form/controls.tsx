'use client'

import type { ComponentType } from 'react'
import { Input, Select, Textarea } from '@/components/ui/field'
import { textOf } from '@/core/pipeline/json'
import type { Path } from '@/core/pipeline/json-edits'
import { readTypedJson } from '@/core/pipeline/json-text'
import { findNumberFault } from '@/core/pipeline/number-text'
import { CodeField } from './code-field'
import { useFormHost } from './form-host'
import { scalarOf, type Shape } from './shape'
import { useTyped } from './use-typed'

/**
 * Where `{{ }}` is evaluated: nowhere; everywhere; in the arguments of a command that is written out; or in the values for which
 * a definition has a place (`value`, `inputs`, `check`), and not in the fields around them.
 */
export type Templates = 'none' | 'all' | 'arguments' | 'members'

export type Moves = { readonly up: (() => void) | null; readonly down: (() => void) | null }

export type FieldProps = {
  readonly title: string
  readonly hint?: string | null
  readonly required?: boolean
  /** A member of a list or of a map, which stays when it is emptied. */
  readonly member?: boolean
  readonly shape: Shape
  readonly path: Path
  readonly value: unknown
  readonly templates: Templates
  /** Members of a list and values of names have no label of their own. */
  readonly bare?: boolean
  readonly onRemove?: (() => void) | undefined
  /** Moves a member of a list one position forward or back; null where there is no position. */
  readonly moves?: Moves | undefined
  readonly focused?: boolean
  /** The placeholder. */
  readonly prefers?: 'fixed' | 'expression'
}

/** The props of a control of one value, of any type. */
export type ControlProps = {
  readonly id: string
  /** The name of the field, for who cannot see its label. */
  readonly title: string
  readonly path: Path
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly required: boolean
  /** The value of an empty field; undefined: its key is removed. */
  readonly empty: '' | undefined
  readonly invalid: boolean
  readonly describedBy: string | undefined
  readonly templates: Templates
  readonly focused?: boolean
  /** Draws what the value is made of. */
  readonly Field: ComponentType<FieldProps>
}

const common = ({ id, title, invalid, describedBy, focused = false }: ControlProps) => ({
  id,
  'aria-label': title,
  'aria-invalid': invalid,
  'aria-describedby': describedBy,
  autoComplete: 'off',
  spellCheck: false,
  autoFocus: focused,
})

export function TextControl(props: ControlProps & { shape: Extract<Shape, { kind: 'text' }> }) {
  const { value, onChange, empty, shape } = props
  const text = typeof value === 'string' ? value : ''
  const change = (next: string) => onChange(next === '' ? empty : next)
  const control = { ...common(props), value: text }
  return shape.long ? (
    <Textarea {...control} rows={3} onChange={(event) => change(event.target.value)} />
  ) : (
    <>
      <Input
        {...control}
        {...(shape.examples.length > 0 ? { list: `${props.id}-examples` } : {})}
        onChange={(event) => change(event.target.value)}
      />
      {shape.examples.length > 0 && (
        <datalist id={`${props.id}-examples`}>
          {shape.examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
    </>
  )
}

const codeProps = ({ id, title, invalid, describedBy, focused = false }: ControlProps) => ({
  id,
  label: title,
  invalid,
  describedBy,
  focused,
})

export function NumberControl(props: ControlProps) {
  const { value, onChange, empty } = props
  const [text, setText] = useTyped(value, (number) => (number === undefined ? '' : String(number)))
  return (
    <Input
      {...common(props)}
      inputMode="decimal"
      className="font-mono"
      value={text}
      onChange={(event) => {
        const typed = event.target.value
        // Text that is not a number is kept as typed: nothing is lost, and the contract reports it.
        const number = Number(typed)
        const isHeld = Number.isFinite(number) && findNumberFault(typed) === null
        const next = typed.trim() === '' ? empty : isHeld ? number : typed
        setText(typed, next)
        onChange(next)
      }}
    />
  )
}

/** Scalars that would read as something else stand in quotes. */
function showScalar(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && typeof scalarOf(value) !== 'string'
    ? JSON.stringify(value)
    : textOf(value)
}

/** `json`: lists and objects may be written too. */
function readScalar(text: string, json: boolean): unknown {
  const read = json && /^\s*[[{]/.test(text) ? readTypedJson(text) : null
  if (read?.ok) return read.value
  const quoted = /^"(.*)"$/.exec(text)?.[1]
  return quoted !== undefined && typeof scalarOf(quoted) !== 'string' ? quoted : scalarOf(text)
}

export function ScalarControl({ json, ...props }: ControlProps & { json: boolean }) {
  const { value, onChange, empty } = props
  const [text, setText] = useTyped(value, showScalar)
  return (
    <Input
      {...common(props)}
      value={text}
      onChange={(event) => {
        const typed = event.target.value
        const next = typed === '' ? empty : readScalar(typed, json)
        setText(typed, next)
        onChange(next)
      }}
    />
  )
}

export function BooleanControl({ absent, ...props }: ControlProps & { absent: boolean }) {
  const { id, title, value, onChange, describedBy } = props
  return (
    <input
      type="checkbox"
      id={id}
      aria-label={title}
      aria-describedby={describedBy}
      autoFocus={props.focused ?? false}
      checked={typeof value === 'boolean' ? value : absent}
      onChange={({ target: { checked } }) =>
        onChange(checked === absent && !props.required ? undefined : checked)
      }
      className="size-4 accent-(--accent)"
    />
  )
}

export function ChoiceControl({
  shape: { options, absent },
  ...props
}: ControlProps & { shape: Extract<Shape, { kind: 'choice' }> }) {
  const { value, onChange, required, empty } = props
  const at = options.findIndex((option) => option === value)
  return (
    <Select
      {...common(props)}
      value={at < 0 ? '' : String(at)}
      onChange={(event) => onChange(event.target.value === '' ? empty : options[Number(event.target.value)])}
    >
      {(at < 0 || !required) && (
        <option value="">
          {required ? 'Choose…' : absent === undefined ? 'not set' : `${String(absent)}, the default`}
        </option>
      )}
      {options.map((option, index) => (
        <option key={String(option)} value={String(index)}>
          {String(option)}
        </option>
      ))}
    </Select>
  )
}

/** Any JSON. A text is written as it is, everything else as JSON; which of the two is what the value is, or what its author chose. */
export function JsonControl({ as, ...props }: ControlProps & { as: 'text' | 'json' }) {
  const { value, onChange, templates, empty, path } = props
  const host = useFormHost()
  const [text, setText] = useTyped(
    value,
    (json) => (json === undefined || json === '' ? '' : JSON.stringify(json, null, 2)),
    host.typedAt(path),
  )
  const completion =
    templates === 'all' ? { grammar: 'template' as const, names: () => host.namesAt(path) } : {}
  if (as === 'text')
    return (
      <CodeField
        {...codeProps(props)}
        value={typeof value === 'string' ? value : ''}
        onChange={(next) => onChange(next === '' ? empty : next)}
        {...completion}
      />
    )
  const read = text.trim() === '' ? null : readTypedJson(text)
  const broken = read === null || read.ok ? null : read.error
  return (
    <>
      <CodeField
        {...codeProps(props)}
        invalid={props.invalid || broken !== null}
        value={text}
        language="json"
        hint='for example { "name": "value" }'
        onChange={(typed) => {
          const next = typed.trim() === '' ? { ok: true, value: empty } : readTypedJson(typed)
          if (!next.ok) return setText(typed, value)
          setText(typed, next.value)
          onChange(next.value)
        }}
        {...completion}
      />
      {broken !== null && (
        <p className="text-xs font-medium text-danger">The value has not changed. {broken}</p>
      )}
    </>
  )
}
