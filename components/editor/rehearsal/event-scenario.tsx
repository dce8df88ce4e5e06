'use client'

import { Choice, DurationField, JsonField, Refusal } from './plan-fields'
import { withEvent, type ChangeScenario, type Scenario } from '@/components/editor/model/rehearsal/scenario'
import { eventNameOf } from '@/core/pipeline/gate/event-type'

/** Whether and when an event comes from outside, and what it brings. */
export function EventScenario({
  type,
  plan,
  change,
}: {
  type: string
  plan: Scenario['plan']
  change: ChangeScenario
}) {
  const at = (plan.events ?? []).findIndex((event) => event.type === type)
  const own = plan.events?.[at]
  const name = eventNameOf(type)
  return (
    <div className="flex flex-col gap-3">
      <Choice
        label={`Event ${name}`}
        value={own === undefined ? 'never' : 'comes'}
        options={[
          { value: 'never', text: 'never arrives' },
          { value: 'comes', text: 'arrives' },
        ]}
        onChange={(next) => change(withEvent(type, next === 'comes' ? {} : null))}
      />
      {own !== undefined && (
        <div className="flex flex-col gap-3 border-l-2 border-line pl-3">
          <DurationField
            label="After the start"
            path={['events', at, 'after']}
            value={own.after}
            usual="at once"
            onChange={(after) => change(withEvent(type, { after }))}
          />
          <JsonField
            label="Payload"
            path={['events', at, 'payload']}
            value={own.payload}
            onChange={(payload) => change(withEvent(type, { payload }))}
          />
          <Refusal path={['events', at]} />
        </div>
      )}
    </div>
  )
}
