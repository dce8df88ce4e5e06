import type { JsonObject } from './event'
import { LIMITS } from './event'
import { jsonBytes } from './json-bytes'

/** Small outputs stand in the event itself; larger ones by the names of their variables [E-15]. */
export function lightOutputs(outputs: JsonObject, namespace: string): JsonObject {
  return jsonBytes(outputs, LIMITS.eventPayloadAdviceBytes) <= LIMITS.eventPayloadAdviceBytes
    ? { outputs }
    : { data_ref: Object.keys(outputs).map((name) => `${namespace}.${name}`) }
}
