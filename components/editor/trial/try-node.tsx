'use client'

import { Pin, Play, Square } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { selectionOf } from '@/components/editor/model/view'
import { BindingsView } from '@/components/ui/bindings-view'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/copyable'
import { Input } from '@/components/ui/field'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'
import { isRecord } from '@/core/pipeline/json'
import { PinDialog } from './pin-dialog'
import { valuesOf } from './pin-sources'
import { StaleNote } from './stale-note'
import { staleness } from '@/components/editor/model/trial/staleness'
import { pin } from './trial'
import { Reads } from './trial-reads'
import { TrialResult } from './trial-result'
import { INPUTS, type TrialActions } from './trial-store'
import { useTrial } from './use-trial'

/** The part of a node's form that tries the node alone and pins sample data in place of its outputs. */
export function TryNode({ id }: { id: string }) {
  const node = useDraft((draft) => nodesOf(draft.definition).find((one) => one.id === id))
  return node === undefined ? null : <TrialPanel key={id} node={node} />
}

function TrialPanel({ node }: { node: NodeFields }) {
  const stores = useEditor()
  const { id } = node
  const definition = useDraft((draft) => draft.definition)
  const [item, setItem] = useState(0)
  /** The node, or the inputs, whose pinned data are edited. */
  const [editing, setEditing] = useState<string | null>(null)
  const trial = useTrial(node, item)
  const { prepared, reads, pinned, running } = trial
  const tried = trial.tried.get(id) ?? null
  const outputs = tried?.answer.status === 'completed' ? tried.outputs : null
  const data = pinned ?? tried
  const stale = data === null ? null : staleness(definition, id, data, pinned === null ? 'tried' : 'pinned')

  function pinOutputs(): void {
    if (tried === null || outputs === null) return setEditing(id)
    const refused = pin(stores, id, tried)
    toast(
      refused === null
        ? { tone: 'good', title: `Pinned the outputs of ${id}` }
        : { tone: 'bad', title: 'Nothing was pinned', text: refused },
    )
  }
  const { start, result } = useStart(trial)
  useTrialActions({ start, pin: pinOutputs })

  return (
    <section aria-label="Try it" className="flex flex-col gap-3 border-t border-line p-4">
      <Heading trial={trial} again={stale !== null} onStart={start} />
      {stale !== null && <StaleNote why={stale} />}
      {isRecord(node['forEach']) && <ItemField item={item} onItem={setItem} />}
      {reads.length > 0 && (
        <Reads
          reads={reads}
          onOpen={(root) => stores.view.setState({ selection: selectionOf(root) })}
          onEdit={setEditing}
        />
      )}
      {prepared?.kind === 'ready' && Object.keys(prepared.trial.input).length > 0 && (
        <details open={tried === null}>
          <summary className="cursor-pointer text-xs font-medium text-muted">Input of the node</summary>
          <div className="mt-1.5">
            <BindingsView value={prepared.trial.input} />
          </div>
        </details>
      )}
      <Obstacles trial={trial} />
      {running === 'this' && (
        <p role="status" className="text-xs text-muted">
          Running… it ends after a minute at the latest.
        </p>
      )}
      {tried !== null && running !== 'this' && (
        <TrialResult key={tried.at} ref={result} answer={tried.answer} />
      )}
      <Pins trial={trial}>
        {outputs !== null && (
          <Button size="small" onClick={pinOutputs}>
            <Pin aria-hidden /> Pin these outputs <Kbd>P</Kbd>
          </Button>
        )}
        <Button size="small" tone={pinned === null ? 'plain' : 'quiet'} onClick={() => setEditing(id)}>
          {pinned === null ? 'Pin sample data…' : 'Edit pinned data…'}
        </Button>
      </Pins>
      {editing !== null && (
        <PinDialog
          of={editing === INPUTS ? 'the inputs' : editing}
          title={editing === INPUTS ? 'Inputs to try with' : `Pinned data of ${editing}`}
          {...valuesOf(editing, trial, definition)}
          onPin={(values, executions) => pin(stores, editing, { outputs: values, executions })}
          onUnpin={trial.pins.has(editing) ? () => stores.trials.unpin(editing) : undefined}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  )
}

type Trial = ReturnType<typeof useTrial>

/** Starts a trial if that is possible, and scrolls to its result. */
function useStart({ obstacle, running, start: run }: Trial) {
  const result = useRef<HTMLElement>(null)
  const awaited = useRef(false)
  useEffect(() => {
    if (running !== null || !awaited.current) return
    awaited.current = false
    result.current?.scrollIntoView({ block: 'nearest' })
  }, [running])
  const start = () => {
    if (running !== null) return
    if (obstacle !== null) return toast({ tone: 'bad', title: 'Nothing was tried', text: obstacle })
    awaited.current = true
    run()
  }
  return { start, result }
}

/** Offers the actions of the panel to the keys of the editor while the panel is open. */
function useTrialActions(actions: TrialActions): void {
  const { trials } = useEditor()
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    trials.setState({ actions: { start: () => latest.current.start(), pin: () => latest.current.pin() } })
    return () => trials.setState({ actions: null })
  }, [trials])
}

function Heading({
  trial: { prepared, obstacle, running, stop },
  again,
  onStart,
}: {
  trial: Trial
  again: boolean
  onStart: () => void
}) {
  const refused = prepared?.kind === 'refused' ? prepared.message : null
  return (
    <>
      <div className="flex items-center gap-2">
        <h3 className="text-sm font-semibold">Try it</h3>
        {running === 'this' ? (
          <Button size="small" className="ml-auto" onClick={stop}>
            <Square aria-hidden /> Stop
          </Button>
        ) : (
          refused === null && (
            <Button
              size="small"
              className="ml-auto"
              disabled={running !== null || obstacle !== null}
              onClick={onStart}
            >
              <Play aria-hidden /> {again ? 'Try again' : 'Try'} <Kbd>T</Kbd>
            </Button>
          )
        )}
      </div>
      <p className="text-xs text-faint">
        {refused ??
          'Runs this node alone with the data below, outside of any run. It does real work: a request that it sends is really sent.'}
      </p>
    </>
  )
}

function ItemField({ item, onItem }: { item: number; onItem: (item: number) => void }) {
  return (
    <label className="flex items-center gap-2 text-xs">
      Item
      <Input
        type="number"
        min={1}
        className="w-20"
        value={item + 1}
        onChange={(event) => onItem(Math.max(0, Math.trunc(event.target.valueAsNumber || 1) - 1))}
      />
      of the list
    </label>
  )
}

/** Why the node cannot be tried, and why the last trial was refused. */
function Obstacles({ trial: { prepared, obstacle, problem } }: { trial: Trial }) {
  return (
    <>
      {/* The heading says what is refused for good. */}
      {obstacle !== null && prepared?.kind !== 'refused' && (
        <p className="text-xs text-warning">{obstacle}</p>
      )}
      {problem !== null && (
        <div role="alert" className="rounded-md border border-danger/40 px-2.5 py-2 text-xs text-danger">
          <p>{problem.message}</p>
          {problem.issues.map((issue, at) => (
            <p key={at} className="mt-1">
              <span className="font-mono">{issue.path.slice(1).join('.')}</span> {issue.message}
            </p>
          ))}
        </div>
      )}
    </>
  )
}

/** The buttons that pin data, when data were pinned, and how many pins the pipeline has. */
function Pins({ trial: { pinned, pins }, children }: { trial: Trial; children: ReactNode }) {
  const { trials } = useEditor()
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
      {pinned !== null && (
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <Pin aria-hidden className="size-3.5 text-accent" />
          <span>
            Pinned <RelativeTime at={pinned.at} />
          </span>
        </p>
      )}
      {pins.size > 0 && (
        <p className="text-xs text-faint">
          {pins.size === 1 ? 'One pin' : `${pins.size} pins`} of this pipeline, in this browser.{' '}
          <button
            type="button"
            className="font-medium text-muted underline hover:text-ink"
            onClick={() => trials.unpinAll()}
          >
            Clear all
          </button>
        </p>
      )}
    </>
  )
}
