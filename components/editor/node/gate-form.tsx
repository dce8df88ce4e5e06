'use client'

import { Plus } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { waitForEvent } from '@/components/editor/model/actions'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { START } from '@/components/editor/model/flow'
import type { Path } from '@/core/pipeline/json-edits'
import { CodeField } from '@/components/editor/form/code-field'
import { FieldFrame, Issues, RemoveButton } from '@/components/editor/form/field-frame'
import { issuesAt, useFormHost, type FormHost } from '@/components/editor/form/form-host'
import { useTyped, type TypedPlace } from '@/components/editor/form/use-typed'
import { WaitFor } from '@/components/editor/outline/wait-for'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Select } from '@/components/ui/field'
import {
  addCondition,
  addEvent,
  relabelEvent,
  removeCondition,
  removeEvent,
  setCondition,
  type EditedGate,
} from '@/core/pipeline/gate/edit'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { gateShape, type GateShape } from '@/core/pipeline/gate/shape'
import { joinedAs, signsOf } from '@/components/editor/model/node/gate-text'
import { NotButton } from './not-button'
import { PreviewLine } from './preview-line'
import { eventsAt, eventsOf } from '@/components/editor/model/node/readable'

/** When a node starts: the events and conditions of its gate one by one, where the gate is simple enough, and the gate as text. */
export function GateForm({ nodeId, path, gate }: { nodeId: string; path: Path; gate: string }) {
  const id = useId()
  const host = useFormHost()
  const stores = useEditor()
  const shape = gateShape(gate)
  const issues = issuesAt(host.issues, path, true)
  const [refused, setRefused] = useState<string | null>(null)
  const write = (edited: EditedGate) => {
    setRefused(edited.ok ? null : `${edited.error.message}.`)
    if (edited.ok) host.edit(path, edited.value ?? START)
  }
  const wait = (type: string) => {
    if (eventTypeOf(type).level === 'pipeline') return write(addEvent(gate, type, 'and'))
    setRefused(waitForEvent(stores, nodeId, type))
  }
  return (
    <div className="flex flex-col gap-2 px-4 pt-3 pb-4">
      <FieldFrame
        id={id}
        path={path}
        title="Starts when"
        required={false}
        hint={null}
        issues={issues}
        actions={
          shape.ok && <Joint gate={gate} shape={shape.value} onJoin={(text) => host.edit(path, text)} />
        }
      >
        <CodeField
          id={id}
          label="Starts when"
          value={gate}
          grammar="gate"
          names={() => host.namesAt(path)}
          invalid={issues.some(({ severity }) => severity === 'error')}
          describedBy={issues.length > 0 ? `${id}-issues` : undefined}
          onChange={(text) => host.edit(path, text === '' ? undefined : text)}
        />
      </FieldFrame>
      {shape.ok && (
        <Terms
          host={host}
          nodeId={nodeId}
          path={path}
          gate={gate}
          shape={shape.value}
          write={write}
          wait={wait}
        />
      )}
      <Issues
        id={`${id}-refused`}
        issues={
          refused === null ? [] : [{ path, severity: 'error', text: `Nothing was changed. ${refused}` }]
        }
      />
    </div>
  )
}

/** Whether all events are needed, or one is enough. */
function Joint({ gate, shape, onJoin }: { gate: string; shape: GateShape; onJoin: (text: string) => void }) {
  if (shape.edges.length < 2) return null
  if (shape.join === 'mixed') return <span className="text-xs text-faint">AND and OR mixed</span>
  return (
    <span role="group" aria-label="How the events are joined" className="flex rounded-md border border-line">
      {(['and', 'or'] as const).map((join) => {
        const on = shape.join === join
        return (
          <button
            key={join}
            type="button"
            aria-pressed={on}
            onClick={() => {
              const text = on ? null : joinedAs(gate, join)
              if (text !== null) onJoin(text)
            }}
            className={cn(
              'h-6 px-2 text-xs first:rounded-l-md last:rounded-r-md',
              on ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:bg-sunken',
            )}
          >
            {join === 'and' ? 'all of them' : 'any of them'}
          </button>
        )
      })}
    </span>
  )
}

/** How many events and conditions the form shows at first: a join of a thousand nodes has as many fields. */
const FIRST_SHOWN = 50

type TermsProps = {
  host: FormHost
  nodeId: string
  path: Path
  gate: string
  shape: GateShape
  write: (edited: EditedGate) => void
  /** Adds an event that the node waits for. */
  wait: (type: string) => void
}

function Terms({ host, nodeId, path, gate, shape, write, wait }: TermsProps) {
  const named = new Set(shape.edges.map(({ type }) => type))
  const condition = (at: number) => {
    const { source, negated, edge } = shape.conditions[at]!
    return (
      <Condition
        key={at}
        place={host.typedAt([...path, at])}
        label={`Condition ${at + 1}`}
        source={source}
        negated={negated}
        host={host}
        path={path}
        nodeId={nodeId}
        indented={edge !== null && shape.edges.length > 1}
        onSource={(next) => setCondition(gate, at, next)}
        write={write}
        onRemove={() => write(removeCondition(gate, at))}
      />
    )
  }
  const at = [...shape.conditions.keys()]
  const signs = useMemo(() => signsOf(gate), [gate])
  const [shown, setShown] = useState(FIRST_SHOWN)
  const free = at.filter((each) => shape.conditions[each]?.edge === null)
  const left = Math.max(shape.edges.length, free.length) - shown
  return (
    <div className="flex flex-col gap-1.5">
      {shape.edges.slice(0, shown).map(({ type, negated }, edge) => (
        <div key={`${type} ${edge}`} className="flex flex-col gap-1.5">
          <div className="flex items-center gap-1.5">
            <NotButton
              what={type}
              on={negated}
              onToggle={() => {
                const text = signs[edge]?.()
                if (text !== undefined) host.edit(path, text)
              }}
              disabled={(signs[edge] ?? null) === null}
            />
            <EventSelect
              label={`Event ${edge + 1}`}
              nodeId={nodeId}
              type={type}
              named={named}
              onChoose={(to) => write(relabelEvent(gate, type, to))}
            />
            <RemoveButton what={`event:${type}`} onRemove={() => write(removeEvent(gate, type))} />
          </div>
          {at.filter((each) => shape.conditions[each]?.edge === edge).map(condition)}
        </div>
      ))}
      {free.slice(0, shown).map(condition)}
      {left > 0 && (
        <div className="flex items-center gap-2 text-xs text-muted">
          {shown} of {shown + left} are shown
          <Button tone="quiet" size="small" onClick={() => setShown(shown + FIRST_SHOWN)}>
            Show {Math.min(left, FIRST_SHOWN)} more
          </Button>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-1.5">
        <AddEvent nodeId={nodeId} named={named} onAdd={wait} />
        <NewCondition host={host} path={path} onAdd={(source) => addCondition(gate, source)} write={write} />
      </div>
    </div>
  )
}

/** The event of an edge. How the other node ends is a choice in place; another node is chosen by search. */
function EventSelect({
  label,
  nodeId,
  type,
  named,
  onChoose,
}: {
  label: string
  nodeId: string
  type: string
  /** Events that the gate names already. */
  named: ReadonlySet<string>
  onChoose: (type: string) => void
}) {
  const definition = useDraft((draft) => draft.definition)
  const [asking, setAsking] = useState(false)
  const ofSource = eventsOf(definition, type, nodeId).filter((event) => event === type || !named.has(event))
  return (
    <>
      <Select
        aria-label={label}
        className="min-w-0 flex-1 font-mono text-xs"
        value={type}
        onChange={(event) => (event.target.value === '' ? setAsking(true) : onChoose(event.target.value))}
      >
        {!ofSource.includes(type) && <option value={type}>{type}</option>}
        {ofSource.map((event) => (
          <option key={event} value={event}>
            {event}
          </option>
        ))}
        <option value="">another event…</option>
      </Select>
      {asking && (
        <Requester nodeId={nodeId} named={named} onClose={() => setAsking(false)} onTake={onChoose} />
      )}
    </>
  )
}

function Requester({
  nodeId,
  named,
  onClose,
  onTake,
}: {
  nodeId: string
  named: ReadonlySet<string>
  onClose: () => void
  onTake: (type: string) => void
}) {
  const definition = useDraft((draft) => draft.definition)
  const choices = useMemo(
    () =>
      eventsAt(definition, nodeId)
        .filter(({ type }) => !named.has(type))
        .map(({ type, doc }) => ({ event: type, text: doc === '' ? type : `${sourceOf(type)}: ${doc}` })),
    [definition, nodeId, named],
  )
  return <WaitFor node={nodeId} choices={choices} onClose={onClose} onTake={onTake} />
}

function sourceOf(type: string): string {
  const { level, node } = eventTypeOf(type)
  return level === 'external' ? type : node
}

function AddEvent({
  nodeId,
  named,
  onAdd,
}: {
  nodeId: string
  named: ReadonlySet<string>
  onAdd: (type: string) => void
}) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button tone="quiet" size="small" onClick={() => setAsking(true)}>
        <Plus aria-hidden /> Event
      </Button>
      {asking && <Requester nodeId={nodeId} named={named} onClose={() => setAsking(false)} onTake={onAdd} />}
    </>
  )
}

type ConditionProps = {
  place: TypedPlace
  label: string
  source: string
  negated: boolean
  indented: boolean
  host: FormHost
  path: Path
  nodeId: string
  onSource: (source: string) => EditedGate
  write: (edited: EditedGate) => void
  onRemove: () => void
}

/** One condition. Text that does not parse stays in its field and does not change the gate. */
function Condition(props: ConditionProps) {
  const { place, label, source, negated, indented, host, path, nodeId, onSource, write, onRemove } = props
  const id = useId()
  const [text, setText] = useTyped(source, () => source, place)
  const written = text.trim() === source ? null : onSource(text)
  const fault = written === null || written.ok ? null : written.error.message
  return (
    <div className={cn('flex flex-col gap-1', indented && 'ml-11')}>
      <div className="flex items-center gap-1.5">
        {negated && <span className="text-xs text-danger">not</span>}
        <div className="min-w-0 flex-1">
          <CodeField
            id={id}
            label={label}
            value={text}
            grammar="expression"
            names={() => host.namesAt(path)}
            invalid={fault !== null}
            describedBy={fault === null ? undefined : `${id}-issues`}
            onChange={(typed) => {
              const edited = onSource(typed)
              setText(typed, edited.ok ? typed.trim() : source)
              if (edited.ok) write(edited)
            }}
          />
        </div>
        <RemoveButton what={label} onRemove={onRemove} />
      </div>
      <Issues id={id} issues={fault === null ? [] : [{ path, severity: 'error', text: `${fault}.` }]} />
      {fault === null && <PreviewLine text={`{{ ${source} }}`} place={{ node: nodeId, in: 'gate' }} />}
    </div>
  )
}

function NewCondition({
  host,
  path,
  onAdd,
  write,
}: {
  host: FormHost
  path: Path
  onAdd: (source: string) => EditedGate
  write: (edited: EditedGate) => void
}) {
  const id = useId()
  const place = host.typedAt([...path, 'new'])
  const [typed, setText] = useState(() => place.found()?.text ?? null)
  const [back, setBack] = useState(false)
  // An unfinished condition is shown again, without taking the focus.
  const [opened, setOpened] = useState(false)
  const setTyped = (text: string | null) => {
    setText(text)
    place.keep(text === null ? null : { text, gives: null })
  }
  if (typed === null)
    return (
      <Button
        tone="quiet"
        size="small"
        autoFocus={back}
        onClick={() => {
          setOpened(true)
          setTyped('')
        }}
      >
        <Plus aria-hidden /> Condition
      </Button>
    )
  const edited = onAdd(typed)
  const empty = typed.trim() === ''
  const close = (toButton: boolean) => {
    setBack(toButton)
    setTyped(null)
  }
  const take = (toButton: boolean) => {
    if (empty || !edited.ok) return
    write(edited)
    close(toButton)
  }
  const fault = empty || edited.ok ? null : edited.error.message
  return (
    <form
      className="flex w-full flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        take(true)
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Leaving the form takes the condition. A blur of the whole window does not leave it.
        if (currentTarget.contains(relatedTarget) || currentTarget.contains(document.activeElement)) return
        if (empty) close(false)
        else take(false)
      }}
    >
      <CodeField
        id={id}
        label="New condition"
        value={typed}
        grammar="expression"
        names={() => host.namesAt(path)}
        focused={opened}
        invalid={fault !== null}
        describedBy={fault === null ? undefined : `${id}-issues`}
        hint="for example extract.row_count > 0"
        onChange={setTyped}
        onEnter={() => take(true)}
      />
      <Issues id={id} issues={fault === null ? [] : [{ path, severity: 'error', text: `${fault}.` }]} />
      <div className="flex gap-1.5">
        <Button type="submit" size="small" disabled={empty || !edited.ok}>
          Add condition
        </Button>
        <Button tone="quiet" size="small" onClick={() => close(true)}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
