'use client'

import { useId, useState, type ReactNode } from 'react'
import { Select } from '@/components/ui/field'
import type { Path } from '@/core/pipeline/json-edits'
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
import { ExpressionControl } from './expression-control'
import { ExpressionToggle, FieldFrame, Issues, Marked, MoveButtons, RemoveButton } from './field-frame'
import { fieldMark } from './field-mark'
import { expressionOf, fixedOf, isText, optionOf } from './field-value'
import { issuesAt, useFormHost, type FieldIssue } from './form-host'
import { ListControl, MapControl, ObjectControl } from './members'
import { fits, type Shape } from './shape'

/** A value of any kind in a narrow field. */
const scalarOrJson: Shape = { kind: 'scalar' }

const isGroup = ({ kind }: Shape): boolean => ['list', 'map', 'object'].includes(kind)

/** A field of any shape. It can be switched between a fixed value and an expression without losing either. */
export function SchemaField(field: FieldProps) {
  const { title, hint = null, required = false, bare = false } = field
  const { id, option, shape, isDrawn, expression, issues, props, json, choose, toggle } = useField(field)
  const control = expression ? (
    <ExpressionControl {...props} text={isText(field.shape)} mayBeText={fits(field.shape, 'text')} />
  ) : (
    <Control {...props} shape={isDrawn ? shape : { kind: 'any' }} json={json} />
  )
  const actions = (
    <FieldActions {...field} expression={expression} option={option} choose={choose} toggle={toggle} />
  )
  if (bare)
    return (
      <div className="flex min-w-0 flex-1 flex-col gap-1" {...fieldMark(field.path)}>
        <div className="flex min-w-0 items-start gap-1">
          <div className="flex min-w-0 flex-1 flex-col gap-1">{control}</div>
          <span className="flex h-8 shrink-0 items-center gap-1">{actions}</span>
        </div>
        <Issues id={id} issues={issues} />
      </div>
    )
  if (shape.kind === 'boolean' && isDrawn)
    return (
      <CheckboxFrame id={id} path={field.path} title={title} hint={hint} issues={issues} actions={actions}>
        {control}
      </CheckboxFrame>
    )
  return (
    <FieldFrame
      id={id}
      path={field.path}
      title={title}
      required={required}
      hint={hint}
      issues={issues}
      actions={actions}
      group={isDrawn && isGroup(shape)}
    >
      {control}
    </FieldFrame>
  )
}

/** The state of a field: fixed or expression, which of its forms, and its problems. */
function useField({
  title,
  hint = null,
  required = false,
  member = false,
  shape,
  path,
  value,
  templates,
  bare = false,
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
  /** The value before the field was switched, so that switching back loses nothing. */
  const [other, setOther] = useState<unknown>(undefined)
  const [chosen, setChosen] = useState<number | null>(null)
  const inline = bare && shape.kind === 'any'
  const isWhole = typeof value === 'object' && value !== null
  const option = optionOf(inline && !isWhole ? scalarOrJson : shape, value, chosen)
  const isDrawn = !expression && fits(option.shape, value)
  const issues = issuesAt(host.issues, path, expression || !isGroup(option.shape) || !isDrawn)
  const describedBy = [hint === null || bare ? '' : `${id}-hint`, issues.length === 0 ? '' : `${id}-issues`]
    .join(' ')
    .trim()
  const change = (next: unknown) => {
    // Text with braces becomes an expression.
    const begun = switchable && !expression && typeof next === 'string' && next.includes('{{')
    // An expression that is emptied stays one: the field must keep the focus.
    if (begun || (expression && asked === null)) setAsked('expression')
    host.edit(path, begun ? withRoom(next) : next)
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
  return {
    id,
    option: option.titles.length > 1 && !expression && !inline ? option : null,
    shape: option.shape,
    json: option.json,
    isDrawn,
    expression,
    issues,
    props,
    /** Switches between the forms of the shape. */
    choose(at: number) {
      setChosen(at)
      const next = option.switched(at, other)
      setOther(value)
      if (value !== undefined || next !== undefined) host.edit(path, next)
    },
    /** Switches between a fixed value and an expression. */
    toggle: switchable
      ? () => {
          setAsked(expression ? 'fixed' : 'expression')
          const next = expression
            ? fixedOf(option.shape, value, other)
            : expressionOf(option.shape, value, other)
          if (next === value) return
          setOther(value)
          host.edit(path, next)
        }
      : null,
  }
}

/** The buttons of a field: its form, fixed value or expression, move, remove. */
function FieldActions({
  title,
  moves,
  onRemove,
  expression,
  option,
  choose,
  toggle,
}: Pick<FieldProps, 'title' | 'moves' | 'onRemove'> &
  Pick<ReturnType<typeof useField>, 'expression' | 'option' | 'choose' | 'toggle'>) {
  return (
    <>
      {option !== null && (
        <Select
          aria-label={`Kind of ${title}`}
          className="h-6 w-auto py-0 pr-6 pl-1.5 text-xs text-muted shadow-none"
          value={option.at}
          onChange={(event) => choose(Number(event.target.value))}
        >
          {option.titles.map((each, at) => (
            <option key={each} value={at}>
              {each}
            </option>
          ))}
        </Select>
      )}
      {toggle !== null && <ExpressionToggle title={title} on={expression} onToggle={toggle} />}
      {moves !== undefined && <MoveButtons what={title} moves={moves} />}
      {onRemove !== undefined && <RemoveButton what={title} onRemove={onRemove} />}
    </>
  )
}

/** A checkbox with its label beside it. */
function CheckboxFrame({
  id,
  path,
  title,
  hint,
  issues,
  actions,
  children,
}: {
  id: string
  path: Path
  title: string
  hint: string | null
  issues: readonly FieldIssue[]
  actions: ReactNode
  children: ReactNode
}) {
  return (
    <div className="flex min-w-0 items-start gap-2.5" {...fieldMark(path)}>
      <span className="mt-1 flex">{children}</span>
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
      return <ChoiceControl {...props} shape={shape} />
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
