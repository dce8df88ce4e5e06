'use client'

import { useId } from 'react'
import { Field, Input, Select, Textarea } from '@/components/ui/field'
import { hintOf, isRequired, type Draft, type FieldDefinition, type Problems } from './values'

/** One control for each input definition, with its hint and its problem beside it. */
export function InputFields({
  fields,
  draft,
  onChange,
  problems,
}: {
  fields: readonly FieldDefinition[]
  draft: Draft
  onChange: (draft: Draft) => void
  problems: Problems
}) {
  const prefix = useId()
  return (
    <>
      {fields.map((field) => {
        const props: ControlProps = {
          field,
          id: `${prefix}-${field.name}`,
          value: draft.get(field.name) ?? '',
          problem: problems.get(field.name),
          onChange: (next) => onChange(new Map(draft).set(field.name, next)),
        }
        const isTick = field.type === 'boolean' && field.enum === undefined
        return isTick ? <TickField key={field.name} {...props} /> : <TextField key={field.name} {...props} />
      })}
    </>
  )
}

type ControlProps = {
  field: FieldDefinition
  id: string
  value: string | boolean
  problem: string | undefined
  onChange: (value: string | boolean) => void
}

const describedBy = (id: string, problem: string | undefined): string =>
  problem === undefined ? `${id}-hint` : `${id}-error`

function TickField({ field, id, value, problem, onChange }: ControlProps) {
  return (
    <div className="flex items-start gap-2.5">
      <input
        type="checkbox"
        id={id}
        aria-invalid={problem !== undefined}
        aria-describedby={describedBy(id, problem)}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 accent-(--accent)"
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {field.title ?? field.name}
        </label>
        <p id={`${id}-hint`} className="text-xs text-faint">
          {field.description}
        </p>
        {problem !== undefined && (
          <p id={`${id}-error`} role="alert" className="text-xs font-medium text-danger">
            {problem}
          </p>
        )}
      </div>
    </div>
  )
}

function TextField(props: ControlProps) {
  const { field, id, problem } = props
  const hint = hintOf(field)
  return (
    <Field
      id={id}
      required={isRequired(field)}
      error={problem}
      {...(hint === '' ? {} : { hint })}
      label={
        <>
          {field.title ?? field.name}
          {field.title !== undefined && <code className="text-xs font-normal text-faint">{field.name}</code>}
        </>
      }
    >
      <TextControl {...props} />
    </Field>
  )
}

function TextControl({ field, id, value, problem, onChange }: ControlProps) {
  const text = String(value)
  const common = {
    id,
    value: text,
    'aria-invalid': problem !== undefined,
    'aria-required': isRequired(field),
    'aria-describedby': describedBy(id, problem),
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  }
  if (field.enum !== undefined)
    return (
      <Select {...common}>
        {(field.default === undefined || text === '') && <option value="">Choose…</option>}
        {field.enum.map((option) => (
          <option key={String(option)} value={String(option)}>
            {String(option)}
          </option>
        ))}
      </Select>
    )
  if (field.type === 'object' || field.type === 'array')
    return <Textarea {...common} spellCheck={false} className="font-mono text-xs" />
  return <Input {...common} inputMode={field.type === 'number' ? 'decimal' : undefined} autoComplete="off" />
}
