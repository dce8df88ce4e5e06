'use client'

import { Workflow } from 'lucide-react'
import { useState } from 'react'
import type { Definition } from '@/components/editor/model/draft/draft'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { Fold } from '@/components/editor/form/fold'
import { FormHostProvider, useFormHost, type FormHost } from '@/components/editor/form/form-host'
import { SchemaField } from '@/components/editor/form/schema-field'
import { inWords, shapeOf, type FieldShape } from '@/components/editor/form/shape'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { useNow } from '@/components/ui/time'
import { nextFires, zoneOf } from '@/components/editor/model/draft/next-fires'
import { useSchedules } from '@/components/editor/draft/use-schedules'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import { isRecord, textOf } from '@/core/pipeline/json'
import { FormPanel } from './inspector'
import { withInputRenamed } from '@/components/editor/model/node/rename'
import { useEditorFormHost } from './use-form-host'

const shape = shapeOf(pipelineDefinitionSchema)
const fields: ReadonlyMap<string, FieldShape> = new Map(
  shape.kind === 'object' ? shape.fields.map((field) => [field.name, field]) : [],
)

/** The form of the pipeline itself. */
export function PipelineForm({ problems, onClose }: { problems: readonly Problem[]; onClose: () => void }) {
  const definition = useDraft((draft) => draft.definition)
  const plain = useEditorFormHost(problems)
  const [refused, setRefused] = useState<string | null>(null)
  const host = useRenames(plain, setRefused)
  const id = typeof definition['id'] === 'string' ? definition['id'] : ''
  const name = typeof definition['name'] === 'string' ? definition['name'] : ''
  return (
    <FormHostProvider value={host}>
      <FormPanel
        icon={<Workflow aria-hidden className="size-5 shrink-0 text-accent" />}
        title={name || id}
        subtitle={`${id} · pipeline`}
        onClose={onClose}
      >
        <div className="flex flex-col gap-4 px-4 pt-3 pb-4">
          <Top name="name" definition={definition} />
          <Top name="description" definition={definition} />
        </div>
        {refused !== null && (
          <p role="alert" className="px-4 pb-3 text-xs font-medium text-danger">
            {refused}
          </p>
        )}
        <Part
          name="inputs"
          hint="What a run gets, read as {{ pipeline.input.name }}."
          definition={definition}
        />
        <Part
          name="outputs"
          hint="What a run returns, evaluated when it completes."
          definition={definition}
        />
        <Part
          name="verify"
          hint="What must hold when every node has ended. Otherwise the run fails."
          definition={definition}
        />
        <Part name="triggers" hint="What starts runs automatically." definition={definition} />
        <Part name="policy" hint={null} definition={definition} />
        <Part
          name="phases"
          hint="The stages of a run, in order. Each node can name its phase."
          definition={definition}
        />
        <Part
          name="labels"
          hint="Key and value pairs to find the pipeline and its runs by."
          definition={definition}
        />
        <Unknown definition={definition} />
      </FormPanel>
    </FormHostProvider>
  )
}

/** Renaming an input changes every expression that reads it. */
function useRenames(host: FormHost, report: (refused: string | null) => void): FormHost {
  const { draft } = useEditor()
  return {
    ...host,
    edit(path, value, alone) {
      const { definition } = draft.getState()
      const change = path.length === 1 && path[0] === 'inputs' ? renamedIn(definition['inputs'], value) : null
      if (change === null) return host.edit(path, value, alone)
      const renamed = withInputRenamed(definition, change.from, change.to)
      report(renamed.ok ? null : renamed.error)
      if (renamed.ok) draft.edit(`Rename the input ${change.from} to ${change.to}`, () => renamed.value)
    },
  }
}

/** The one name that was changed, if nothing else was. */
function renamedIn(before: unknown, after: unknown): { readonly from: string; readonly to: string } | null {
  if (!isRecord(before) || !isRecord(after)) return null
  const [had, has] = [Object.keys(before), Object.keys(after)]
  const at = had.findIndex((name, place) => name !== has[place])
  const [from, to] = [had[at], has[at]]
  return had.length === has.length && from !== undefined && to !== undefined ? { from, to } : null
}

type TopProps = { readonly name: string; readonly definition: Definition }

function Top({ name, definition }: TopProps) {
  const field = fields.get(name)
  if (field === undefined) return null
  return (
    <SchemaField
      title={field.title}
      hint={field.hint}
      shape={field.shape}
      path={[name]}
      value={definition[name]}
      templates="none"
    />
  )
}

/** Fields with expressions. */
const templated = new Set(['outputs', 'triggers', 'verify'])

function Part({ name, hint, definition }: TopProps & { hint: string | null }) {
  const field = fields.get(name)
  const value = definition[name]
  const stored = useSchedules(name === 'triggers')
  if (field === undefined) return null
  return (
    <Fold title={field.title} summary={summaryOf(value)} paths={[[name]]}>
      {hint !== null && <p className="text-xs text-muted">{hint}</p>}
      <SchemaField
        bare
        title={field.title}
        shape={field.shape}
        path={[name]}
        value={value}
        templates={templated.has(name) ? 'members' : 'none'}
      />
      {name === 'triggers' &&
        Array.isArray(value) &&
        value.map((trigger, at) => (
          <NextTimes
            key={at}
            trigger={trigger}
            isOff={stored.some((row) => isRecord(trigger) && row.trigger_id === trigger['id'] && !row.active)}
          />
        ))}
    </Fold>
  )
}

function summaryOf(value: unknown): string | null {
  if (Array.isArray(value))
    return value
      .map((each: unknown) => (isRecord(each) ? textOf(each['id'] ?? each['name']) : textOf(each)))
      .join(', ')
  if (!isRecord(value)) return value === undefined ? 'none' : null
  return Object.keys(value).map(inWordsOnce).join(', ') || 'none'
}

const inWordsOnce = (name: string): string => (/[A-Z]/.test(name) ? inWords(name).toLowerCase() : name)

/** How many of the next times of a schedule are shown. */
const MOST_TIMES = 3

/** When a schedule fires next, in its own time zone. `isOff`: somebody switched it off where it runs. */
function NextTimes({ trigger, isOff }: { trigger: unknown; isOff: boolean }) {
  const now = useNow()
  if (now === 0 || !isRecord(trigger) || typeof trigger['cron'] !== 'string') return null
  const zone = zoneOf(trigger['timezone'])
  const times = nextFires(trigger['cron'], zone, now, MOST_TIMES)
  if (times.length === 0) return null
  const id = textOf(trigger['id'])
  return (
    <p role="note" className="text-xs text-muted" aria-label={`Next times of ${id}`}>
      {id}:{' '}
      {trigger['enabled'] === false
        ? 'switched off; would run '
        : isOff
          ? 'switched off now; would run '
          : 'next '}
      {times.join(' · ')} ({zone})
    </p>
  )
}

/** Unknown members of the definition: they stay and are shown until the author removes them. */
function Unknown({ definition }: { definition: Definition }) {
  const host = useFormHost()
  const names = Object.keys(definition).filter((name) => !fields.has(name))
  if (names.length === 0) return null
  return (
    <Fold title="Other fields" summary={names.join(', ')} paths={names.map((name) => [name])}>
      {names.map((name) => (
        <SchemaField
          key={name}
          title={inWords(name)}
          shape={{ kind: 'any' }}
          path={[name]}
          value={definition[name]}
          templates="none"
          onRemove={() => host.edit([name], undefined)}
        />
      ))}
    </Fold>
  )
}
