'use client'

import { Pin, Play, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
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
import { INPUTS } from './trial-store'
import { useTrial } from './use-trial'

/** The part of a node's form in which the node is tried by itself, and data are pinned in place of what it gives. */
export function TryNode({ id }: { id: string }) {
  const node = useDraft((draft) => nodesOf(draft.definition).find((one) => one.id === id))
  return node === undefined ? null : <TrialPanel key={id} node={node} />
}

function TrialPanel({ node }: { node: NodeFields }) {
  const stores = useEditor()
  const { id } = node
  const definition = useDraft((draft) => draft.definition)
  const [item, setItem] = useState(0)
  /** Of what the pinned data are edited. */
  const [editing, setEditing] = useState<string | null>(null)
  const trial = useTrial(node, item)
  const { prepared, reads, pinned, running, problem } = trial
  const tried = trial.tried.get(id) ?? null
  const missing = reads.flatMap(({ root, from }) => (from === null ? [root] : []))
  const workless = prepared?.kind === 'refused'
  const outputs = tried?.answer.status === 'completed' ? tried.outputs : null
  const kept = pinned ?? tried
  const stale = kept === null ? null : staleness(definition, id, kept, pinned === null ? 'tried' : 'pinned')

  function pinOutputs(): void {
    if (tried === null || outputs === null) return setEditing(id)
    const refused = pin(stores, id, tried)
    toast(
      refused === null
        ? { tone: 'good', title: `Pinned what ${id} gave` }
        : { tone: 'bad', title: 'Nothing was pinned', text: refused },
    )
  }
  const result = useRef<HTMLElement>(null)
  const awaited = useRef(false)
  const start = () => {
    if (workless || prepared === null || running !== null) return
    awaited.current = true
    trial.start()
  }
  // It comes below everything else: who pressed the key need not look for it.
  useEffect(() => {
    if (running !== null || !awaited.current) return
    awaited.current = false
    result.current?.scrollIntoView({ block: 'nearest' })
  }, [running])
  // Keys are heard elsewhere; they do what the buttons do now.
  const latest = useRef({ start, pinOutputs })
  useEffect(() => {
    latest.current = { start, pinOutputs }
  })
  useEffect(() => {
    stores.trials.setState({
      actions: { start: () => latest.current.start(), pin: () => latest.current.pinOutputs() },
    })
    return () => stores.trials.setState({ actions: null })
  }, [stores])

  return (
    <section aria-label="Try it" className="flex flex-col gap-3 border-t border-line p-4">
      <div className="flex items-center gap-2">
        <h3 className="text-sm font-semibold">Try it</h3>
        {running === 'this' ? (
          <Button size="small" className="ml-auto" onClick={trial.stop}>
            <Square aria-hidden /> Stop
          </Button>
        ) : (
          !workless && (
            <Button
              size="small"
              className="ml-auto"
              disabled={running !== null || prepared === null}
              onClick={start}
            >
              <Play aria-hidden /> {stale === null ? 'Try' : 'Try again'} <Kbd>T</Kbd>
            </Button>
          )
        )}
      </div>
      <p className="text-xs text-faint">
        {workless
          ? prepared.message
          : 'Runs this node alone, outside of any run, over the data below. Its work is real: what it sends is sent.'}
      </p>
      {stale !== null && <StaleNote why={stale} />}
      {isRecord(node['forEach']) && (
        <label className="flex items-center gap-2 text-xs">
          Item
          <Input
            type="number"
            min={1}
            className="w-20"
            value={item + 1}
            onChange={(event) => setItem(Math.max(0, Math.trunc(event.target.valueAsNumber || 1) - 1))}
          />
          of the list
        </label>
      )}
      {reads.length > 0 && (
        <Reads
          reads={reads}
          onOpen={(root) => stores.view.setState({ selection: selectionOf(root) })}
          onEdit={setEditing}
        />
      )}
      {prepared?.kind === 'ready' && Object.keys(prepared.trial.input).length > 0 && (
        <details open={tried === null}>
          <summary className="cursor-pointer text-xs font-medium text-muted">The input it gets</summary>
          <div className="mt-1.5">
            <BindingsView value={prepared.trial.input} />
          </div>
        </details>
      )}
      {prepared?.kind === 'failed' && (
        <p className="text-xs text-warning">
          {missing.length > 0
            ? `Cannot be tried yet: there are no data of ${missing.join(', ')}. Try what comes before, or pin some.`
            : `Cannot be tried yet. ${prepared.error.message}`}
        </p>
      )}
      {(prepared === null || prepared.kind === 'invalid') && (
        <p className="text-xs text-warning">
          Cannot be tried yet: the node has mistakes. The list of problems names them.
        </p>
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
      {running === 'this' && (
        <p role="status" className="text-xs text-muted">
          Running… it ends after a minute at the latest.
        </p>
      )}
      {tried !== null && running !== 'this' && (
        <TrialResult key={tried.at} ref={result} answer={tried.answer} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {outputs !== null && (
          <Button size="small" onClick={pinOutputs}>
            <Pin aria-hidden /> Pin these outputs <Kbd>P</Kbd>
          </Button>
        )}
        <Button size="small" tone={pinned === null ? 'plain' : 'quiet'} onClick={() => setEditing(id)}>
          {pinned === null ? 'Pin sample data…' : 'Edit pinned data…'}
        </Button>
      </div>
      {pinned !== null && (
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <Pin aria-hidden className="size-3.5 text-accent" />
          <span>
            Pinned <RelativeTime at={pinned.at} />
          </span>
        </p>
      )}
      {trial.pins.size > 0 && (
        <p className="text-xs text-faint">
          {trial.pins.size === 1 ? 'One pin' : `${trial.pins.size} pins`} of this pipeline, in this browser.{' '}
          <button
            type="button"
            className="font-medium text-muted underline hover:text-ink"
            onClick={() => stores.trials.unpinAll()}
          >
            Clear all
          </button>
        </p>
      )}
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
