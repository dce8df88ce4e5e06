'use client'

import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { editFlow, editGate, remove } from '@/components/editor/model/actions'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { reconnected, relinked } from '@/components/editor/model/edits'
import { gateOf, nodesOf, type FlowEdge } from '@/components/editor/model/flow'
import { report } from '@/components/editor/report'
import { NOTHING } from '@/components/editor/model/view'
import { Button } from '@/components/ui/button'
import { Input, Select } from '@/components/ui/field'
import { addCondition, removeCondition, setCondition } from '@/core/pipeline/gate/edit'
import { gateShape } from '@/core/pipeline/gate/shape'
import { outcomesOf } from '@/components/editor/model/canvas/flow-drawing'

/** What an edge asks for: which end of its source, or that it does not come, and under which condition. */
export function EdgeBar({ edge }: { edge: FlowEdge }) {
  const stores = useEditor()
  const task = useDraft(
    ({ definition }) => nodesOf(definition).find(({ id }) => id === edge.source)?.['task'],
  )
  const external = edge.outcome === 'event'
  const outcomes = [...new Set([...outcomesOf(task), edge.outcome])]

  function choose(outcome: string): void {
    const event = `${edge.source}.${outcome}`
    const refused = editFlow(stores, `Wait for ${event}`, (flow) =>
      reconnected(flow, edge.id, event, edge.target),
    )
    report(refused)
    // The same edge has another id now.
    if (refused === null)
      stores.view.setState({ selection: { ...NOTHING, edges: new Set([`${event}>${edge.target}`]) } })
  }

  return (
    <div
      role="toolbar"
      aria-label={`Edge from ${edge.source} to ${edge.target}`}
      className="flex items-center gap-1 rounded-lg border border-line bg-surface p-1 text-xs shadow-raised"
    >
      <Button
        tone="quiet"
        size="small"
        aria-pressed={edge.negated}
        title={edge.negated ? 'Must not have happened' : 'Must have happened'}
        className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
        onClick={() =>
          report(
            editFlow(stores, `Turn ${edge.event} into its opposite`, (flow) =>
              relinked(flow, edge.id, { negated: !edge.negated }),
            ),
          )
        }
      >
        not
      </Button>
      {external ? (
        <code className="px-1 text-muted">{edge.source}</code>
      ) : (
        <Select
          aria-label="When it"
          className="h-7 w-28 py-0 text-xs"
          value={edge.outcome}
          onChange={(event) => choose(event.target.value)}
        >
          {outcomes.map((outcome) => (
            <option key={outcome}>{outcome}</option>
          ))}
        </Select>
      )}
      <Condition key={edge.id} edge={edge} />
      <Button
        tone="quiet"
        size="small"
        aria-label="Delete the edge"
        title="Delete the edge"
        onClick={() => report(remove(stores, NOTHING.nodes, new Set([edge.id])))}
      >
        <Trash2 aria-hidden />
      </Button>
    </div>
  )
}

/** Where events are joined by AND their conditions are the gate's: there one is edited that holds for all. */
function Condition({ edge }: { edge: FlowEdge }) {
  const stores = useEditor()
  const gate = useDraft(({ definition }) => {
    const target = nodesOf(definition).find(({ id }) => id === edge.target)
    return target === undefined ? '' : gateOf(target)
  })
  const shape = gateShape(gate)
  const shared = shape.ok && shape.value.join === 'and'
  const shown = shape.ok && shared ? (shape.value.conditions[0]?.source ?? '') : (edge.conditions[0] ?? '')
  const [typed, setTyped] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)

  function take(): void {
    const wanted = typed?.trim() ?? shown
    if (wanted === shown) return leave()
    const label = `Change a condition of ${edge.target}`
    const refused = shared
      ? editGate(stores, edge.target, label, (text) =>
          wanted === ''
            ? removeCondition(text, 0)
            : shown === ''
              ? addCondition(text, wanted)
              : setCondition(text, 0, wanted),
        )
      : editFlow(stores, label, (flow) =>
          relinked(flow, edge.id, {
            conditions: [...(wanted === '' ? [] : [wanted]), ...edge.conditions.slice(1)],
          }),
        )
    if (refused === null) leave()
    else setFault(refused)
  }
  function leave(): void {
    setTyped(null)
    setFault(null)
  }

  return (
    <span className="relative">
      <Input
        aria-label={shared ? 'If, for all of its events' : 'If'}
        title={shared ? 'All events are needed: the condition holds for the whole' : undefined}
        aria-invalid={fault !== null}
        placeholder="if, for example a.rows > 0"
        spellCheck={false}
        autoComplete="off"
        className="h-7 w-52 font-mono text-xs"
        value={typed ?? shown}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
          else if (event.key === 'Escape') {
            event.stopPropagation()
            leave()
          }
        }}
      />
      {fault !== null && (
        <span
          role="alert"
          className="absolute top-full left-0 z-10 mt-1 w-72 rounded-md border border-danger bg-surface px-2 py-1 text-danger shadow-raised"
        >
          {fault}
        </span>
      )}
    </span>
  )
}
