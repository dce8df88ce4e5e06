import { z } from 'zod'
import { count, instantText, jsonObject, jsonValue } from './json'

const fields = {
  id: z.string().meta({ description: '`{execution_id}.{seq}`' }),
  execution_id: z.string(),
  seq: z.int().min(1).meta({ description: '1, 2, 3 … within the execution, without gaps.' }),
  type: z.string(),
  source: z.strictObject({
    entity_type: z.enum(['pipeline', 'node', 'task', 'rollback', 'external']),
    entity_id: z.string(),
  }),
  generation: z.int().min(1).meta({ description: '1, then one more at every rerun or rollback.' }),
  attempt: z.int().min(1).optional(),
  item: count.optional().meta({ description: 'Index of the item of a forEach.' }),
  actor: z.string().optional().meta({ description: 'The name of who caused the event, as it was then.' }),
  actor_id: z.string().optional(),
  payload: jsonObject,
  timestamp: instantText,
}

/** An event as it is stored, streamed and folded. */
export const event = z.strictObject(fields).meta({ id: 'Event' })

/** An event in a list, which may name superseded ones. */
export const listedEvent = z
  .strictObject({
    ...fields,
    superseded: z
      .literal(true)
      .optional()
      .meta({ description: 'A rerun or a rollback has reset what the event is about.' }),
  })
  .meta({ id: 'ListedEvent' })

/** Where a value lies that is too large for a row. */
export const valueRef = z
  .strictObject({ artifact_id: z.string(), digest: z.string(), bytes: count })
  .meta({ id: 'ValueRef', description: 'An artifact of the execution that holds a large value as JSON.' })

/** An event with the variable writes that belong to it. */
export const entry = z
  .strictObject({
    event,
    variables: z.array(z.strictObject({ name: z.string(), value: jsonValue, ref: valueRef.optional() })),
  })
  .meta({ id: 'Entry' })

export const exampleEvent = {
  id: '01JDW3Q8.1',
  execution_id: '01JDW3Q8',
  seq: 1,
  type: 'pipeline.created',
  source: { entity_type: 'pipeline', entity_id: 'seattle_weather' },
  generation: 1,
  actor: 'ada',
  actor_id: 'usr_01jdw3q8',
  payload: {},
  timestamp: '2026-01-31T06:00:00.000Z',
} as const
