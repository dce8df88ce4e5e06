import type { Json, ValueRef } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { LargeValues } from '@/core/engine/large-values'
import type { ArtifactStore } from '@/server/ports/artifacts'

/** Bytes of JSON whose values stay in memory for the next expression that reads them. */
const KEPT_BYTES = 64 * 1024 * 1024

type Pending = { readonly ref: ValueRef; readonly value: Json; readonly node: string; readonly name: string }

/**
 * Large values as JSON files of the artifact store, one row an execution that has them. A stored value waits for
 * the commit that names it and is on disk before it. The values read last stay in memory.
 */
export function createLargeValues(
  artifacts: Pick<ArtifactStore, 'putBytes' | 'get' | 'digestOf' | 'contentOf'>,
) {
  const read = new Map<string, { readonly value: Json; readonly bytes: number }>()
  let readBytes = 0
  /** A value that is handed on from run to run is neither written out nor hashed again. */
  const known = new WeakMap<object, ValueRef>()
  const pending = new Map<string, Map<string, Pending>>()

  function remember(ref: ValueRef, value: Json): void {
    if (typeof value === 'object' && value !== null) known.set(value, ref)
    if (read.has(ref.digest)) return
    read.set(ref.digest, { value, bytes: ref.bytes })
    readBytes += ref.bytes
    for (const [digest, oldest] of read) {
      if (readBytes <= KEPT_BYTES || digest === ref.digest) break
      read.delete(digest)
      readBytes -= oldest.bytes
    }
  }

  function refOf(value: Json): ValueRef {
    const before = typeof value === 'object' && value !== null ? known.get(value) : undefined
    if (before !== undefined) return before
    const content = contentOf(value)
    const digest = artifacts.digestOf(content)
    return { artifact_id: `value-${digest}`, digest, bytes: content.byteLength }
  }

  return {
    /** Those of one execution, for the engine. */
    of(executionId: string): LargeValues {
      return {
        mostBytes: LIMITS.largeVariableBytes,
        load(ref) {
          const found = read.get(ref.digest)
          if (found !== undefined) {
            read.delete(ref.digest)
            read.set(ref.digest, found)
            return found.value
          }
          const waiting = pending.get(executionId)?.get(ref.digest)
          if (waiting !== undefined) return waiting.value
          const content = artifacts.contentOf(ref.digest)
          if (content === null) return undefined
          const value = JSON.parse(new TextDecoder().decode(content)) as Json
          remember(ref, value)
          return value
        },
        keep(value, { node, name }) {
          const ref = refOf(value)
          remember(ref, value)
          const own = pending.get(executionId) ?? new Map<string, Pending>()
          own.set(ref.digest, { ref, value, node, name })
          pending.set(executionId, own)
          return ref
        },
      }
    },

    /** Resolves when the values that these executions have stored are on disk. Most have none: they cost nothing. */
    async flush(executionIds: Iterable<string>): Promise<void> {
      if (pending.size === 0) return
      for (const executionId of executionIds) {
        for (const { ref, value, node, name } of pending.get(executionId)?.values() ?? []) {
          if ((await artifacts.get(executionId, ref.artifact_id)) !== null) continue
          await artifacts.putBytes({
            executionId,
            nodeId: node,
            name: `${name.replaceAll('/', '.')}.json`,
            contentType: 'application/json',
            bytes: contentOf(value),
            artifactId: ref.artifact_id,
          })
        }
        pending.delete(executionId)
      }
    },

    /** Values stored for decisions that are void. */
    drop(executionId: string): void {
      pending.delete(executionId)
    },
  }
}

function contentOf(value: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

export type ValuesOfRuns = ReturnType<typeof createLargeValues>
