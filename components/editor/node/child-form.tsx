'use client'

import { useQuery } from '@tanstack/react-query'
import { api, problemOf } from '@/components/api'
import type { Path } from '@/core/pipeline/json-edits'
import { ObjectControl } from '@/components/editor/form/members'
import { SchemaField } from '@/components/editor/form/schema-field'
import type { FieldShape, Shape } from '@/components/editor/form/shape'
import { isRequired } from '@/core/pipeline/definition/inputs'
import { isRecord } from '@/core/pipeline/json'

/** What a pipeline that a node runs is given: its own inputs, by the names and types that it declares. */
export function ChildInputs({ pipelineId, path, value }: { pipelineId: string; path: Path; value: unknown }) {
  const { data, error } = useQuery(
    api.pipelines.get.queryOptions({ pipeline_id: pipelineId }, { staleTime: 60_000, retry: false }),
  )
  if (error !== null)
    return (
      <>
        <p className="text-xs text-warning">
          {problemOf(error).code === 'not_found'
            ? `There is no pipeline '${pipelineId}' yet. Publish it before this one runs.`
            : problemOf(error).message}
        </p>
        <SchemaField title="Inputs" shape={{ kind: 'any' }} path={path} value={value} templates="all" />
      </>
    )
  if (data === undefined) return <p className="text-xs text-faint">Loading its inputs…</p>
  const fields = inputsOf(data.definition.inputs ?? {})
  if (fields.length === 0 && value === undefined)
    return <p className="text-xs text-faint">This pipeline takes no inputs.</p>
  return (
    <ObjectControl
      id=""
      title="Inputs"
      onChange={() => undefined}
      required={false}
      empty={undefined}
      invalid={false}
      describedBy={undefined}
      all
      path={path}
      value={value}
      templates="all"
      fields={fields}
      Field={SchemaField}
    />
  )
}

type Inputs = Parameters<typeof isRequired>[0]

function inputsOf(inputs: { readonly [name: string]: Inputs }): readonly FieldShape[] {
  return Object.entries(inputs)
    .filter(([, input]) => isRecord(input))
    .map(([name, input]) => ({
      name,
      title: input.title ?? name,
      hint: input.description ?? null,
      required: isRequired(input),
      shape: shapeOfInput(input),
    }))
}

function shapeOfInput({ type, enum: options, minValue, maxValue }: Inputs): Shape {
  if (options !== undefined) return { kind: 'choice', options }
  switch (type) {
    case 'number':
      return { kind: 'number', whole: false, least: minValue ?? null, most: maxValue ?? null }
    case 'boolean':
      return { kind: 'boolean', absent: false }
    case 'object':
      return { kind: 'map', value: { kind: 'any' } }
    case 'array':
      return { kind: 'list', item: { kind: 'any' } }
    case 'string':
    case 'file':
      return { kind: 'text', long: false, language: null, examples: [] }
  }
}
