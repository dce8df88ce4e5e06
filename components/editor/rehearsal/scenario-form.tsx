'use client'

import { X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { InputFields } from '@/components/forms/input-fields'
import { fieldsOf, initialDraft, issuesByField, valuesOf } from '@/components/forms/values'
import { Button } from '@/components/ui/button'
import { SLOTS } from '@/core/pipeline/definition/demand'
import { poolText } from '@/core/pipeline/definition/pool-text'
import type { Issue } from '@/core/pipeline/issue'
import { isRecord, type Json } from '@/core/pipeline/json'
import { DurationsFrom } from './durations-from'
import { EventScenario } from './event-scenario'
import { Decisions } from './node-scenario'
import { AmountField, Choice, CountField, DurationField, Refusal } from './plan-fields'
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

/** Most approvals and events in the form. More are set at their nodes. */
const MOST = 20
/** Most nodes in the list. */
const MOST_NODES = 60

/** The scenario of the run: inputs, durations, attempts at once, decisions and external events. */
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
  /** The inputs of the definition, unchecked. */
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
            All nodes work as usual. Select a node to let it fail, take longer or return other outputs.
          </p>
        ) : (
          <PlannedNodes
            planned={planned.slice(0, MOST_NODES)}
            pipeline={pipeline}
            plan={plan}
            change={change}
            onSelect={onSelect}
          />
        )}
        {named.length > planned.length && (
          <p className="text-xs text-muted">
            {planned.length > 0 ? 'The other nodes repeat what they' : 'Every node repeats what it'}
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
        {poolsOf(pipeline).map((pool) => (
          <AmountField
            key={pool}
            label={`Capacity of ${poolText(pool)}`}
            path={['pools', pool]}
            value={plan.pools?.[pool]}
            onChange={(amount) => change(withPool(pool, amount))}
          />
        ))}
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
        <Part title="External events">
          {events.slice(0, MOST).map((type) => (
            <EventScenario key={type} type={type} plan={plan} change={change} />
          ))}
        </Part>
      )}
    </>
  )
}

/** What nodes of the pipeline demand besides slots. */
function poolsOf({ nodes }: RehearsedPipeline): readonly string[] {
  const names = [...nodes.values()].flatMap(({ demands }) => demands.map(({ pool }) => pool))
  return [...new Set(names)].filter((pool) => pool !== SLOTS)
}

const withPool =
  (pool: string, amount: number | string | undefined): Parameters<ChangeScenario>[0] =>
  ({ pools = {}, ...plan }) => {
    const { [pool]: _, ...others } = pools
    const next = amount === undefined ? others : { ...others, [pool]: amount }
    return Object.keys(next).length === 0 ? plan : { ...plan, pools: next }
  }

/** The nodes for which something is planned, each with a button that clears it. */
function PlannedNodes({
  planned,
  pipeline,
  plan,
  change,
  onSelect,
}: {
  planned: readonly string[]
  pipeline: RehearsedPipeline
  plan: Scenario['plan']
  change: ChangeScenario
  onSelect: (node: string) => void
}) {
  return (
    <ul aria-label="What is planned" className="-mx-2">
      {planned.map((id) => (
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
            aria-label={`Clear ${id}`}
            onClick={() => change(withoutNode(id))}
          >
            <X aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
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

/** Problems of planned nodes that no longer exist: they have no field. */
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
  const found = issues.filter(({ path }) => gone.includes(String(path[1])))
  return found.map(({ message, hint }) => (
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
  // Inputs of another case replace the fields; text that was typed here stays as typed.
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

/** A plan holds only what differs: inputs that equal their default are left out. */
function withoutDefaults(
  values: { readonly [name: string]: Json },
  fields: readonly { readonly name: string; readonly default?: unknown }[],
): { [name: string]: Json } {
  const usual = new Map(fields.map(({ name, default: value }) => [name, JSON.stringify(value)]))
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== usual.get(name)),
  )
}
