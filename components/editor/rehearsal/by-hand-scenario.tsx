'use client'

import { Choice, DurationField, JsonField, Refusal, TextField } from './plan-fields'
import { withoutAbsent, type NodePlan } from '@/components/editor/model/rehearsal/scenario'

type ByHand = NonNullable<NodePlan['byHand']>

/** Whether somebody completes a node by hand once it has failed: after how long, with which outputs. */
export function ByHandScenario({
  id,
  outputNames,
  byHand,
  onChange,
}: {
  id: string
  outputNames: readonly string[]
  byHand: ByHand | undefined
  onChange: (byHand: ByHand | undefined) => void
}) {
  const path = ['nodes', id, 'byHand']
  const put = (change: { readonly [Key in keyof ByHand]?: ByHand[Key] | undefined }) =>
    onChange(withoutAbsent<ByHand>({ ...byHand, ...change }))
  return (
    <>
      <Choice
        label="Once it has failed"
        value={byHand === undefined ? 'stays' : 'by_hand'}
        options={[
          { value: 'stays', text: 'it stays failed' },
          { value: 'by_hand', text: 'it is completed by hand' },
        ]}
        onChange={(next) => onChange(next === 'stays' ? undefined : {})}
      />
      {byHand !== undefined && (
        <div className="flex flex-col gap-3 border-l-2 border-line pl-3">
          <div className="grid grid-cols-2 gap-3">
            <DurationField
              label="After"
              path={[...path, 'after']}
              value={byHand.after}
              usual="at once"
              onChange={(after) => put({ after })}
            />
            <TextField
              label="By"
              path={[...path, 'by']}
              value={byHand.by}
              usual="who started the run"
              onChange={(by) => put({ by })}
            />
          </div>
          <JsonField
            label="Outputs by hand"
            path={[...path, 'outputs']}
            value={byHand.outputs}
            hint={
              outputNames.length === 0
                ? 'As JSON; this node has none of its own.'
                : `All of them, as JSON: ${outputNames.slice(0, 8).join(', ')}.`
            }
            onChange={(outputs) => put({ outputs })}
          />
          <Refusal path={path} />
        </div>
      )}
    </>
  )
}
