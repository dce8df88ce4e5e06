'use client'

import { useId, useState } from 'react'
import { Select } from '@/components/ui/field'
import { CodeControl } from './code-control'
import { withRoom } from './braces'
import {
  BooleanControl,
  ChoiceControl,
  JsonControl,
  NumberControl,
  ScalarControl,
  TextControl,
  type ControlProps,
  type FieldProps,
} from './controls'
import { bareOf, ExpressionControl } from './expression-control'
import { ExpressionToggle, FieldFrame, Issues, Marked, MoveButtons, RemoveButton } from './field-frame'
import { issuesAt, useFormHost } from './form-host'
import { ListControl, MapControl, ObjectControl } from './members'
import { emptyOf, fits, type Shape } from './shape'

/** A value of any kind that has little room. */
const scalarOrJson: Shape = { kind: 'scalar' }

const isGroup = ({ kind }: Shape): boolean => ['list', 'map', 'object'].includes(kind)

/** One field, whatever its shape: a fixed value or an expression, between which it can be switched without losing either. */
export function SchemaField({
  title,
  hint = null,
  required = false,
  member = false,
  shape,
  path,
  value,
  templates,
  bare = false,
  onRemove,
  moves,
  focused = false,
  prefers = 'fixed',
}: FieldProps) {
  const id = useId()
  const host = useFormHost()
  const written = typeof value === 'string' && value.includes('{{')
  const [asked, setAsked] = useState<'fixed' | 'expression' | null>(null)
  const switchable = templates === 'all'
  const wanted = asked ?? (value === undefined || value === '' ? prefers : 'fixed')
  const expression = switchable && (written || wanted === 'expression')
  /** What the field was in the other way of writing it. */
  const [other, setOther] = useState<unknown>(undefined)
  const [chosen, setChosen] = useState<number | null>(null)
  const inline = bare && shape.kind === 'any'
  const isWhole = typeof value === 'object' && value !== null
  const option = useOption(inline && !isWhole ? scalarOrJson : shape, value, chosen)
  const actual = option.shape
  const drawn = !expression && fits(actual, value)
  const deep = expression || !isGroup(actual) || !drawn
  const issues = issuesAt(host.issues, path, deep)
  const describedBy = [hint === null || bare ? '' : `${id}-hint`, issues.length === 0 ? '' : `${id}-issues`]
    .join(' ')
    .trim()
  const change = (next: unknown) => {
    // The first braces of a text make an expression of it, in which one goes on writing.
    const begun = switchable && !expression && typeof next === 'string' && next.includes('{{')
    // One that is emptied stays one, too, or the keys that follow would go to another field, or to none.
    if (begun || (expression && asked === null)) setAsked('expression')
    host.edit(path, begun ? withRoom(next) : next)
  }
  const toggle = () => {
    setAsked(expression ? 'fixed' : 'expression')
    const next = expression ? fixedOf(actual, value, other) : expressionOf(actual, value, other)
    if (next === value) return
    setOther(value)
    host.edit(path, next)
  }
  const props: ControlProps = {
    id,
    title,
    path,
    value,
    onChange: change,
    required: required || member,
    empty: member || prefers === 'expression' || (required && isText(shape)) ? '' : undefined,
    invalid: issues.some(({ severity }) => severity === 'error'),
    describedBy: describedBy === '' ? undefined : describedBy,
    templates,
    Field: SchemaField,
    focused: focused || asked !== null,
  }
  const control = expression ? (
    <ExpressionControl {...props} text={isText(shape)} />
  ) : (
    <Control {...props} shape={drawn ? actual : { kind: 'any' }} json={option.json} />
  )
  const actions = (
    <>
      {option.titles.length > 1 && !expression && !inline && (
        <Select
          aria-label={`Kind of ${title}`}
          className="h-6 w-auto py-0 pr-6 pl-1.5 text-xs text-muted shadow-none"
          value={option.at}
          onChange={(event) => {
            const at = Number(event.target.value)
            setChosen(at)
            const next = option.switched(at, other)
            setOther(value)
            if (value !== undefined || next !== undefined) host.edit(path, next)
          }}
        >
          {option.titles.map((each, at) => (
            <option key={each} value={at}>
              {each}
            </option>
          ))}
        </Select>
      )}
      {switchable && <ExpressionToggle title={title} on={expression} onToggle={toggle} />}
      {moves !== undefined && <MoveButtons what={title} moves={moves} />}
      {onRemove !== undefined && <RemoveButton what={title} onRemove={onRemove} />}
    </>
  )
  if (bare)
    return (
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex min-w-0 items-start gap-1">
          <div className="flex min-w-0 flex-1 flex-col gap-1">{control}</div>
          <span className="flex h-8 shrink-0 items-center gap-1">{actions}</span>
        </div>
        <Issues id={id} issues={issues} />
      </div>
    )
  if (actual.kind === 'boolean' && drawn)
    return (
      <div className="flex min-w-0 items-start gap-2.5">
        <span className="mt-1 flex">{control}</span>
        <div className="min-w-0 flex-1">
          <div className="flex min-h-6 items-center gap-1.5">
            <label htmlFor={id} className="text-sm font-medium">
              {title}
            </label>
            <span className="ml-auto flex items-center gap-1">{actions}</span>
          </div>
          {hint !== null && (
            <p id={`${id}-hint`} className="text-xs text-faint">
              <Marked text={hint} />
            </p>
          )}
          <Issues id={id} issues={issues} />
        </div>
      </div>
    )
  return (
    <FieldFrame
      id={id}
      title={title}
      required={required}
      hint={hint}
      issues={issues}
      actions={actions}
      group={drawn && isGroup(actual)}
    >
      {control}
    </FieldFrame>
  )
}

function Control({ shape, json, ...props }: ControlProps & { shape: Shape; json: 'text' | 'json' }) {
  switch (shape.kind) {
    case 'text':
      return shape.language === null ? (
        <TextControl {...props} shape={shape} />
      ) : (
        <CodeControl {...props} language={shape.language} />
      )
    case 'number':
      return <NumberControl {...props} />
    case 'boolean':
      return <BooleanControl {...props} absent={shape.absent} />
    case 'choice':
      return <ChoiceControl {...props} options={shape.options} />
    case 'scalar':
      return <ScalarControl {...props} json={shape === scalarOrJson} />
    case 'list':
      return <ListControl {...props} item={shape.item} />
    case 'map':
      return <MapControl {...props} shape={shape.value} />
    case 'object':
      return <ObjectControl {...props} fields={shape.fields} />
    case 'either':
    case 'any':
      return <JsonControl {...props} as={json} />
  }
}

const isText = ({ kind }: Shape): boolean => kind === 'text' || kind === 'scalar'

/** Of a shape with several forms the one that is drawn: what the value is, else what its author chose, else the first. */
function useOption(shape: Shape, value: unknown, chosen: number | null) {
  if (shape.kind === 'any') {
    const titles = ['Text', 'JSON']
    const at = value === undefined || value === '' ? (chosen ?? 0) : typeof value === 'string' ? 0 : 1
    return {
      shape,
      titles,
      at,
      json: at === 0 ? ('text' as const) : ('json' as const),
      switched: (to: number, other: unknown) =>
        to === 0
          ? typeof other === 'string' || value === undefined
            ? other
            : JSON.stringify(value)
          : typeof value === 'string' && value !== ''
            ? parsed(value)
            : other,
    }
  }
  if (shape.kind !== 'either')
    return { shape, titles: [], at: 0, json: 'json' as const, switched: () => value }
  const fitting = shape.options.findIndex((option) => value !== undefined && fits(option.shape, value))
  const at = fitting >= 0 ? fitting : (chosen ?? 0)
  return {
    shape: shape.options[at]?.shape ?? shape,
    titles: shape.options.map(({ title }) => title),
    at,
    json: 'json' as const,
    switched: (to: number, other: unknown) => {
      const next = shape.options[to]?.shape
      if (next === undefined) return value
      return other !== undefined && fits(next, other) ? other : emptyOf(next)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return { value: text }
  }
}

/** A fixed value as an expression that gives it. */
function expressionOf(shape: Shape, value: unknown, other: unknown): unknown {
  if (typeof other === 'string' && other.includes('{{')) return other
  if (value === undefined || (typeof value === 'string' && isText(shape))) return value
  return `{{ ${JSON.stringify(value)} }}`
}

/** An expression as the fixed value that it was, or that it says; undefined where it says none. */
function fixedOf(shape: Shape, value: unknown, other: unknown): unknown {
  if (other !== undefined && !(typeof other === 'string' && other.includes('{{'))) return other
  const bare = typeof value === 'string' ? bareOf(value) : null
  if (typeof value === 'string' && !value.includes('{{')) return value
  if (bare === null) return undefined
  try {
    const literal: unknown = JSON.parse(bare)
    return fits(shape, literal) ? literal : undefined
  } catch {
    return undefined
  }
}
