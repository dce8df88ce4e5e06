'use client'

import { useId } from 'react'
import { Field, Input, Select, Textarea } from '@/components/ui/field'
import { isRequired, type Draft, type FieldDefinition, type Problems } from './values'

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
        const id = `${prefix}-${field.name}`
        const problem = problems.get(field.name)
        const value = draft.get(field.name) ?? ''
        const set = (next: string | boolean) => onChange(new Map(draft).set(field.name, next))
        const common = {
          id,
          'aria-invalid': problem !== undefined,
          'aria-required': isRequired(field),
          'aria-describedby': problem !== undefined ? `${id}-error` : `${id}-hint`,
        }
        const label = field.title ?? field.name
        if (field.type === 'boolean' && field.enum === undefined)
          return (
            <div key={field.name} className="flex items-start gap-2.5">
              <input
                type="checkbox"
                {...common}
                aria-required={undefined}
                checked={value === true}
                onChange={(event) => set(event.target.checked)}
                className="mt-0.5 size-4 accent-(--accent)"
              />
              <div>
                <label htmlFor={id} className="text-sm font-medium">
                  {label}
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
        const text = typeof value === 'string' ? value : String(value)
        const hint = [
          field.description,
          field.type === 'object' || field.type === 'array' ? 'JSON' : null,
          field.type === 'file' ? 'path of a file' : null,
        ]
          .filter((part) => part !== undefined && part !== null && part !== '')
          .join(' · ')
        return (
          <Field
            key={field.name}
            id={id}
            required={isRequired(field)}
            error={problem}
            {...(hint === '' ? {} : { hint })}
            label={
              <>
                {label}
                {field.title !== undefined && (
                  <code className="text-xs font-normal text-faint">{field.name}</code>
                )}
              </>
            }
          >
            {field.enum !== undefined ? (
              <Select {...common} value={text} onChange={(event) => set(event.target.value)}>
                {(field.default === undefined || text === '') && <option value="">Choose…</option>}
                {field.enum.map((option) => (
                  <option key={String(option)} value={String(option)}>
                    {String(option)}
                  </option>
                ))}
              </Select>
            ) : field.type === 'object' || field.type === 'array' ? (
              <Textarea
                {...common}
                spellCheck={false}
                className="font-mono text-xs"
                value={text}
                onChange={(event) => set(event.target.value)}
              />
            ) : (
              <Input
                {...common}
                inputMode={field.type === 'number' ? 'decimal' : undefined}
                autoComplete="off"
                value={text}
                onChange={(event) => set(event.target.value)}
              />
            )}
          </Field>
        )
      })}
    </>
  )
}
