'use client'

import { Sparkles } from 'lucide-react'
import { NodeHeading } from '@/components/graph/node-heading'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { nodeStatus, StatusBadge } from '@/components/ui/status'
import { durationText } from '@/components/ui/times'
import { formatDuration } from '@/core/pipeline/duration'
import { Choice, CountField, DurationField, JsonField, Refusal, TextField, useIssueAt } from './plan-fields'
import type { RehearsedPipeline, RehearsedValue, Shown } from '@/components/editor/model/rehearsal/rehearser'
import { ByHandScenario } from './by-hand-scenario'
import { EventScenario } from './event-scenario'
import {
  externalEvents,
  withDecisions,
  withNode,
  withoutAbsent,
  withoutNode,
  type ChangeScenario,
  type Decision,
  type NodePlan,
  type Scenario,
} from '@/components/editor/model/rehearsal/scenario'

type Node = NonNullable<ReturnType<RehearsedPipeline['nodes']['get']>>

/** What the scenario plans for one node, and how the node ended. */
export function NodeScenario({
  node,
  pipeline,
  shown,
  plan,
  change,
  onClose,
}: {
  node: Node
  pipeline: RehearsedPipeline
  shown: Shown | null
  plan: Scenario['plan']
  change: ChangeScenario
  onClose: () => void
}) {
  const { id, kind } = node
  const events = externalEvents({ nodes: new Map([[id, node]]) }).filter((type) =>
    externalEvents(pipeline).includes(type),
  )
  const isPlanned = plan.nodes?.[id] !== undefined || plan.approvals?.[id] !== undefined
  const wrong = useIssueAt(['nodes', id])
  return (
    <section aria-label={`Scenario of ${id}`}>
      <NodeHeading node={node} onClose={onClose} />
      <Fate id={id} shown={shown} />
      <div className="flex flex-col gap-4 px-4 py-4">
        {kind === 'approval' ? (
          <Decisions id={id} plan={plan} change={change} />
        ) : kind === 'wait' ? (
          <p className="text-muted">
            It waits as long as its definition says. A scenario cannot change that.
          </p>
        ) : (
          <Work node={node} plan={plan} change={change} />
        )}
        <Refusal path={['nodes', id]} />
        {(kind === 'approval' || kind === 'wait') && wrong !== undefined && (
          <p role="alert" className="text-xs font-medium text-danger">
            {wrong}
          </p>
        )}
        {events.map((type) => (
          <EventScenario key={type} type={type} plan={plan} change={change} />
        ))}
        {isPlanned && (
          <Button size="small" className="self-start" onClick={() => change(withoutNode(id))}>
            Clear
          </Button>
        )}
      </div>
    </section>
  )
}

/** How the node ended in the rehearsal, why, and its values. */
function Fate({ id, shown }: { id: string; shown: Shown | null }) {
  const fate = shown?.nodes.get(id)
  if (fate === undefined) return null
  const { byHand, startedAfter, finishedAfter, attempts, duration, restsOn } = fate
  const why = fate.error?.message ?? fate.skipReason?.replaceAll('_', ' ') ?? fate.waitingFor?.text
  const sources = {
    plan: 'as planned',
    estimate: 'as estimated',
    history: 'as usual',
    default: 'no estimate: 1 s a try',
  }
  return (
    <div className="flex flex-col gap-1.5 border-b border-line px-4 py-3 text-xs">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
        <StatusBadge status={nodeStatus(fate)} />
        {byHand && <span>by hand</span>}
        {startedAfter !== null && (
          <span>
            {durationText(startedAfter)}
            {finishedAfter !== null && ` to ${durationText(finishedAfter)}`} into the run
          </span>
        )}
        {attempts > 1 && <span>{attempts} tries</span>}
        {duration !== null && <span>{sources[duration]}</span>}
      </p>
      {why !== undefined && <p className="break-words text-muted">{why}</p>}
      <Values values={shown?.values[id] ?? []} />
      {restsOn.length > 0 && (
        <p className="flex gap-1.5 break-words text-muted">
          <Sparkles aria-hidden className="mt-px size-3.5 shrink-0 text-warning" />
          <span>
            It reads made-up values: <code>{restsOn.join(', ')}</code>
          </span>
        </p>
      )}
    </div>
  )
}

/** What the node gave in the rehearsal. What only a real run has is marked. */
function Values({ values }: { values: readonly RehearsedValue[] }) {
  if (values.length === 0) return null
  return (
    <dl aria-label="Values" className="flex flex-col gap-1">
      {values.map(({ name, text, madeUp }) => (
        <div key={name} className="flex min-w-0 items-baseline gap-1.5">
          <dt className="shrink-0 font-mono text-faint">{name}</dt>
          <dd className="flex min-w-0 items-baseline gap-1.5">
            <code className={cn('min-w-0 truncate', madeUp && 'text-warning')} title={text}>
              {text}
            </code>
            {madeUp && (
              <span
                className="inline-flex shrink-0 items-center gap-1 text-warning"
                title="Nobody knows it before a run"
              >
                <Sparkles aria-hidden className="size-3" /> made up
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type Ending = 'usual' | 'fails' | 'lost' | 'never'

function Work({ node, plan, change }: { node: Node; plan: Scenario['plan']; change: ChangeScenario }) {
  const { id, estimateMs, outputNames } = node
  const own = plan.nodes?.[id]
  const { failure } = own ?? {}
  const ending: Ending =
    failure !== undefined
      ? failure.kind === 'lost'
        ? 'lost'
        : 'fails'
      : own?.duration === null
        ? 'never'
        : 'usual'
  const put = (next: Parameters<typeof withNode>[1]) => change(withNode(id, next))
  const usual =
    estimateMs !== null
      ? `${formatDuration(estimateMs)}, its estimate`
      : plan.history?.[id] === undefined
        ? '1s, without an estimate'
        : `${Math.round(plan.history[id])}ms, its median`
  const path = ['nodes', id]
  return (
    <>
      <Choice
        label="The node"
        value={ending}
        options={[
          { value: 'usual', text: 'works' },
          { value: 'fails', text: 'fails' },
          { value: 'lost', text: 'loses its worker' },
          { value: 'never', text: 'never ends' },
        ]}
        onChange={(next) =>
          put({
            failure: next === 'fails' ? {} : next === 'lost' ? { kind: 'lost' } : undefined,
            byHand: next === 'fails' || next === 'lost' ? own?.byHand : undefined,
            duration: next === 'never' ? null : own?.duration === null ? undefined : own?.duration,
            // A node that never ends does not repeat what it did in the run.
            ...(next === 'never' ? { attempts: undefined } : {}),
          })
        }
      />
      {own?.attempts !== undefined && failure === undefined && (
        <p className="text-xs text-muted">
          It repeats what it did in the run.{' '}
          <button
            type="button"
            className="font-medium text-accent hover:underline"
            onClick={() => put({ attempts: undefined })}
          >
            Clear
          </button>
        </p>
      )}
      {failure !== undefined && <FailureFields node={node} failure={failure} put={put} />}
      {failure !== undefined && (
        <ByHandScenario
          id={id}
          outputNames={outputNames}
          byHand={own?.byHand}
          onChange={(byHand) => put({ byHand })}
        />
      )}
      {ending !== 'never' && (
        <DurationField
          label="Takes"
          path={[...path, 'duration']}
          value={own?.duration}
          usual={usual}
          onChange={(duration) => put({ duration, attempts: undefined })}
        />
      )}
      {ending === 'usual' && (outputNames.length > 0 || node.kind === 'pipeline') && (
        <JsonField
          label="Outputs"
          path={[...path, 'outputs']}
          value={own?.outputs}
          hint={
            outputNames.length === 0
              ? 'What other nodes read, as JSON.'
              : `What other nodes read, as JSON: ${outputNames.slice(0, 8).join(', ')}. Missing values are made up.`
          }
          onChange={(outputs) => put({ outputs, attempts: undefined })}
        />
      )}
    </>
  )
}

/** How often, for which items and with which error a node fails. */
function FailureFields({
  node,
  failure,
  put,
}: {
  node: Node
  failure: NonNullable<NodePlan['failure']>
  put: (change: { readonly failure: NonNullable<NodePlan['failure']> }) => void
}) {
  const { definition } = node
  const tries = failure.attempts
  const path = ['nodes', node.id]
  return (
    <>
      <CountField
        label="Tries that fail"
        path={[...path, 'failure', 'attempts']}
        value={typeof tries === 'number' ? tries : undefined}
        usual="all of them"
        onChange={(attempts) => put({ failure: withoutAbsent({ ...failure, attempts }) })}
      />
      {definition.forEach !== undefined && (
        <TextField
          label="Only these items, from 0"
          path={[...path, 'failure', 'items']}
          value={failure.items?.join(', ')}
          usual="all of them; such as 0, 2"
          onChange={(text) =>
            put({
              failure: withoutAbsent({
                ...failure,
                items: text === undefined ? undefined : numbersIn(text),
              }),
            })
          }
        />
      )}
      <TextField
        label="Message"
        path={[...path, 'failure', 'message']}
        value={failure.message}
        usual="failed as planned"
        onChange={(message) => put({ failure: withoutAbsent({ ...failure, message }) })}
      />
      {failure.kind !== 'lost' && (
        <TextField
          label="Kind of error"
          path={[...path, 'failure', 'kind']}
          value={failure.kind}
          usual={node.kind === 'pipeline' ? 'child_failed' : 'task_failed'}
          onChange={(kind) => put({ failure: withoutAbsent({ ...failure, kind }) })}
        />
      )}
    </>
  )
}

/** An item that is not a number is passed on: the plan is refused, and the field shows why. */
const numbersIn = (text: string): number[] =>
  text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)

/** What people decide about an approval: several, where it needs a quorum. */
export function Decisions({
  id,
  plan,
  change,
  label = 'The approval is',
}: {
  id: string
  plan: Scenario['plan']
  change: ChangeScenario
  label?: string
}) {
  const decisions = plan.approvals?.[id] ?? []
  const wrong = useIssueAt(['approvals', id])
  const put = (next: readonly Decision[]) => change(withDecisions(id, next))
  const [first] = decisions
  return (
    <div className="flex flex-col gap-3">
      <Choice
        label={label}
        value={first?.decision ?? 'nobody'}
        options={[
          { value: 'nobody', text: 'not decided' },
          { value: 'approved', text: 'approved' },
          { value: 'rejected', text: 'rejected' },
        ]}
        onChange={(decision) =>
          put(decision === 'nobody' ? [] : [{ ...first, decision }, ...decisions.slice(1)])
        }
      />
      {decisions.map((own, at) => {
        const set = (member: 'after' | 'by' | 'comment', value: string | undefined) => {
          const { [member]: _old, ...rest } = own
          put(decisions.with(at, value === undefined ? rest : { ...rest, [member]: value }))
        }
        return (
          <div key={at} className="flex flex-col gap-3 border-l-2 border-line pl-3">
            {at > 0 && (
              <div className="flex items-end gap-2">
                <Choice
                  label={`Person ${at + 1}`}
                  value={own.decision}
                  options={[
                    { value: 'approved', text: 'approves' },
                    { value: 'rejected', text: 'rejects' },
                  ]}
                  onChange={(decision) => put(decisions.with(at, { ...own, decision }))}
                />
                <Button size="normal" tone="quiet" onClick={() => put(decisions.toSpliced(at, 1))}>
                  Remove
                </Button>
              </div>
            )}
            <div className="grid grid-cols-2 gap-3">
              <DurationField
                label="After"
                path={['approvals', id, at, 'after']}
                value={own.after}
                usual="at once"
                onChange={(after) => set('after', after)}
              />
              <TextField
                label="By"
                path={['approvals', id, at, 'by']}
                value={own.by}
                usual="anyone who may"
                onChange={(by) => set('by', by)}
              />
            </div>
            <Refusal path={['approvals', id, at]} />
          </div>
        )
      })}
      {decisions.length > 0 && decisions.length < 100 && (
        <Button
          size="small"
          tone="quiet"
          className="self-start"
          onClick={() => put([...decisions, { decision: decisions.at(-1)?.decision ?? 'approved' }])}
        >
          Add another person
        </Button>
      )}
      {decisions.length === 0 && wrong !== undefined && (
        <p role="alert" className="text-xs font-medium text-danger">
          {wrong}
        </p>
      )}
    </div>
  )
}
