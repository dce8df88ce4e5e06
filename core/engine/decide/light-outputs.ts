import type { JsonObject } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { Outputs } from '@/core/engine/typed-event'
import { jsonBytes } from '@/core/engine/json-bytes'

/** Small outputs stand in the event itself; larger ones by the names of their variables [E-15]. */
export function lightOutputs(outputs: JsonObject, namespace: string): Outputs {
  return jsonBytes(outputs, LIMITS.eventPayloadAdviceBytes) <= LIMITS.eventPayloadAdviceBytes
    ? { outputs }
    : { data_ref: Object.keys(outputs).map((name) => `${namespace}.${name}`) }
}
