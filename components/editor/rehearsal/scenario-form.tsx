'use client'

import { X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { InputFields } from '@/components/forms/input-fields'
import { fieldsOf, initialDraft, issuesByField, valuesOf } from '@/components/forms/values'
import { Button } from '@/components/ui/button'
import type { Issue } from '@/core/pipeline/issue'
import { isRecord, type Json } from '@/core/pipeline/json'
import { DurationsFrom } from './durations-from'
import { EventScenario } from './event-scenario'
import { Decisions } from './node-scenario'
import { Choice, CountField, DurationField, Refusal } from './plan-fields'
import type { RehearsedPipeline } from '@/components/editor/model/rehearsal/rehearser'
import {
  AS_IN_RUN,
  externalEvents,
  plannedText,
  withoutNode,
  type ChangeScenario,
  type Scenario,
  type ScenarioStore,
} from '@/components/editor/model/rehearsal/scenario'

/** Approvals and events that stand in the form; of more each is found at its node. */
const MOST = 20
/** Nodes that are listed. */
const MOST_NODES = 60

/** The scenario as a whole: what a run is given, how much of it goes on at once, who decides, what comes from outside. */
export function ScenarioForm({
  pipelineId,
  pipeline,
  inputs,
  scenario,
  state: { plan, durations },
  issues,
  onSelect,
}: {
  pipelineId: string
  pipeline: RehearsedPipeline
  /** The inputs of the definition, as they stand there. */
  inputs: unknown
  scenario: ScenarioStore
  state: Scenario
  issues: readonly Issue[]
  onSelect: (node: string) => void
}) {
  const { change } = scenario
  const approvals = [...pipeline.nodes.values()].filter(({ kind }) => kind === 'approval')
  const events = externalEvents(pipeline)
  const named = [...new Set([...Object.keys(plan.nodes ?? {}), ...Object.keys(plan.approvals ?? {})])]
  const planned = named.filter((id) => plannedText(plan, id) !== AS_IN_RUN)
  return (
    <>
      <Part title="Nodes">
        {named.length === 0 ? (
          <p className="text-muted">
            Everything does its work. Select a node to let it fail, take longer, or give something else.
          </p>
        ) : (
          <ul aria-label="What is planned" className="-mx-2">
            {planned.slice(0, MOST_NODES).map((id) => (
              <li key={id} className="flex items-center gap-1 rounded-md hover:bg-sunken">
                <button
                  type="button"
                  onClick={() => onSelect(id)}
                  className="flex min-h-8 min-w-0 flex-1 items-baseline gap-2 rounded-md px-2 py-1 text-left"
                >
                  <span className="min-w-0 shrink truncate font-medium">
                    {pipeline.nodes.get(id)?.definition.name ?? id}
                  </span>
                  <span className="min-w-0 truncate text-xs text-muted">{plannedText(plan, id)}</span>
                </button>
                <Button
                  tone="quiet"
                  size="icon"
                  className="size-7"
                  aria-label={`As usual again: ${id}`}
                  onClick={() => change(withoutNode(id))}
                >
                  <X aria-hidden />
                </Button>
              </li>
            ))}
          </ul>
        )}
        {named.length > planned.length && (
          <p className="text-xs text-muted">
            {planned.length > 0 ? 'The others do what they' : 'Every node does what it'}
            did in the run.
          </p>
        )}
        {planned.length > MOST_NODES && (
          <p className="text-xs text-faint">And {planned.length - MOST_NODES} more: select them.</p>
        )}
        <UnknownNodes planned={named} pipeline={pipeline} issues={issues} />
      </Part>
      <Part title="Time">
        <DurationsFrom
          pipelineId={pipelineId}
          pipeline={pipeline}
          scenario={scenario}
          durations={durations}
        />
        <CountField
          label="Attempts at once"
          path={['slots']}
          value={plan.slots}
          usual="any number"
          onChange={(slots) => change((before) => ({ ...before, slots }) as Scenario['plan'])}
        />
        <Cancel plan={plan} change={change} />
      </Part>
      <Inputs definitions={inputs} plan={plan} change={change} issues={issues} />
      {approvals.length > 0 && (
        <Part title="People">
          {approvals.slice(0, MOST).map(({ id, definition }) => (
            <Decisions key={id} id={id} label={definition.name ?? id} plan={plan} change={change} />
          ))}
        </Part>
      )}
      {events.length > 0 && (
        <Part title="From outside">
          {events.slice(0, MOST).map((type) => (
            <EventScenario key={type} type={type} plan={plan} change={change} />
          ))}
        </Part>
      )}
    </>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex flex-col gap-4 border-b border-line px-4 py-4 last:border-b-0"
    >
      <h3 className="text-xs font-semibold tracking-wide text-faint uppercase">{title}</h3>
      {children}
    </section>
  )
}

/** What is planned of nodes that are gone has no field but its own line. */
function UnknownNodes({
  planned,
  pipeline,
  issues,
}: {
  planned: readonly string[]
  pipeline: RehearsedPipeline
  issues: readonly Issue[]
}) {
  const gone = planned.filter((id) => !pipeline.nodes.has(id))
  const told = issues.filter(({ path }) => gone.includes(String(path[1])))
  return told.map(({ message, hint }) => (
    <p key={message} role="alert" className="text-xs font-medium text-danger">
      {message}
      {hint !== undefined && ` (${hint})`}
    </p>
  ))
}

function Cancel({ plan, change }: { plan: Scenario['plan']; change: ChangeScenario }) {
  const put = (cancel: Scenario['plan']['cancel']) =>
    change(({ cancel: _before, ...rest }) => (cancel === undefined ? rest : { ...rest, cancel }))
  return (
    <>
      <Choice
        label="The run is"
        value={plan.cancel === undefined ? 'left' : 'cancelled'}
        options={[
          { value: 'left', text: 'left alone' },
          { value: 'cancelled', text: 'cancelled' },
        ]}
        onChange={(next) => put(next === 'left' ? undefined : { after: '1m' })}
      />
      {plan.cancel !== undefined && (
        <DurationField
          label="After"
          path={['cancel', 'after']}
          value={plan.cancel.after}
          onChange={(after) => put({ ...plan.cancel, after: after ?? '' })}
        />
      )}
      <Refusal path={['cancel']} />
    </>
  )
}

function Inputs({
  definitions,
  plan,
  change,
  issues,
}: {
  definitions: unknown
  plan: Scenario['plan']
  change: ChangeScenario
  issues: readonly Issue[]
}) {
  const fields = useMemo(() => fieldsOf(isRecord(definitions) ? definitions : null), [definitions])
  const given = plan.inputs
  const written = JSON.stringify(given ?? {})
  const [draft, setDraft] = useState(() => initialDraft(fields, given))
  // What another case brings is shown; what was typed here stays as it was typed.
  const known = useRef(written)
  useEffect(() => {
    if (known.current === written) return
    known.current = written
    setDraft(initialDraft(fields, JSON.parse(written) as { [name: string]: Json }))
  }, [written, fields])
  if (fields.length === 0) return null
  const read = valuesOf(fields, draft)
  const found = issues.filter(({ path }) => path[0] === 'inputs')
  return (
    <Part title="Inputs">
      <InputFields
        fields={fields}
        draft={draft}
        problems={read.ok ? issuesByField(fields, found).problems : read.problems}
        onChange={(next) => {
          setDraft(next)
          const result = valuesOf(fields, next)
          if (!result.ok) return
          const said = withoutDefaults(result.values, fields)
          known.current = JSON.stringify(said)
          change((before) => ({ ...before, inputs: said }))
        }}
      />
    </Part>
  )
}

/** A plan says what differs: an input that is what it would be anyway is not in it. */
function withoutDefaults(
  values: { readonly [name: string]: Json },
  fields: readonly { readonly name: string; readonly default?: unknown }[],
): { [name: string]: Json } {
  const usual = new Map(fields.map(({ name, default: value }) => [name, JSON.stringify(value)]))
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== usual.get(name)),
  )
}
