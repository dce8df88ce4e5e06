import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry, Event, JsonObject, VariableWrite } from '@/core/engine/event'
import { producerOf } from '@/core/pipeline/gate/event-type'
import type { ExecutionRow, ExecutionWrite } from '@/server/ports/journal'
import type { WebhookRow } from '@/server/ports/webhooks'
import { openMemoryStore } from './memory/open'
import { openStore } from './open'
import type { Store } from './store'

/** Both implementations, for suites that hold every one of them to the same rules. */
export const IMPLEMENTATIONS: readonly { name: string; open: () => Promise<Store & AsyncDisposable> }[] = [
  { name: 'memory', open: async () => disposable(openMemoryStore()) },
  {
    name: 'sqlite',
    async open() {
      const dataDir = temporaryFolder()
      template ??= makeTemplate()
      writeFileSync(join(dataDir, 'penstock.db'), await template)
      return disposable(await openStore({ dataDir, tenantId: 'default' }), () => removeFolder(dataDir))
    },
  },
]

/** An empty database with all migrations applied, made once: applying them is most of the work of opening a new one. */
let template: Promise<Uint8Array> | undefined

async function makeTemplate(): Promise<Uint8Array> {
  const folder = temporaryFolder()
  await (await openStore({ dataDir: folder, tenantId: 'default' })).close()
  const database = readFileSync(join(folder, 'penstock.db'))
  removeFolder(folder)
  return database
}

/** A store that closes at the end of its scope. */
export function disposable<S extends Store>(store: S, clean = () => {}): S & AsyncDisposable {
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close()
      clean()
    },
  }
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'penstock-store-'))
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** The claim that writes name before any engine has claimed the store. */
export const NO_OWNER = { owner: '', epoch: 0 } as const

export const T0 = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

export type EventParts = {
  type: string
  entityType?: Event['source']['entity_type']
  entityId?: string
  generation?: number
  attempt?: number
  item?: number
  actor?: string
  actorId?: string
  payload?: JsonObject
  at?: number
}

export function eventOf(executionId: string, seq: number, parts: EventParts): Event {
  const { type, attempt, item, actor, actorId } = parts
  return {
    id: `${executionId}.${seq}`,
    execution_id: executionId,
    seq,
    type,
    source: {
      entity_type: parts.entityType ?? 'node',
      entity_id: parts.entityId ?? producerOf(type),
    },
    generation: parts.generation ?? 1,
    ...(attempt === undefined ? {} : { attempt }),
    ...(item === undefined ? {} : { item }),
    ...(actor === undefined ? {} : { actor }),
    ...(actorId === undefined ? {} : { actor_id: actorId }),
    payload: parts.payload ?? {},
    timestamp: new Date(parts.at ?? T0 + seq).toISOString(),
  }
}

export function rowOf(executionId: string, changes: Partial<ExecutionRow> = {}): ExecutionRow {
  return {
    executionId,
    pipelineId: 'report',
    revision: 1,
    status: 'running',
    lifecycle: 'EXECUTING',
    priority: 5,
    labels: {},
    requestedBy: 'ada',
    requestedById: 'usr_ada',
    createdAt: T0,
    startedAt: null,
    finishedAt: null,
    closedAt: null,
    nextWakeAt: null,
    error: null,
    handledFailures: 0,
    mocked: false,
    waitingFor: null,
    parentId: null,
    originId: null,
    inputs: {},
    ...changes,
  }
}

/** Entries with these events, in order, after `expectedSeq`; a row when it is the beginning of the execution. */
export function writeOf(
  executionId: string,
  events: readonly (string | (EventParts & { variables?: readonly VariableWrite[] }))[],
  expectedSeq = 0,
): ExecutionWrite {
  const entries = events.map((it, at): Entry => {
    const { variables = [], ...parts } = typeof it === 'string' ? { type: it } : it
    return { event: eventOf(executionId, expectedSeq + at + 1, parts), variables }
  })
  return {
    ...NO_OWNER,
    executionId,
    expectedSeq,
    entries,
    ...(expectedSeq === 0 ? { row: rowOf(executionId) } : {}),
  }
}

/** A webhook as it is stored. */
export function webhookOf(webhookId: string, changes: Partial<WebhookRow> = {}): WebhookRow {
  return {
    webhookId,
    url: 'https://receiver.example/hook?a=1',
    eventTypes: ['pipeline.completed', '*.failed'],
    pipelineId: null,
    retry: { attempts: 10, backoffMs: 5_000, maxDelayMs: 28_800_000 },
    active: true,
    secret: 'sealed',
    previousSecret: null,
    previousUntil: null,
    createdAt: T0,
    createdBy: 'ada',
    createdById: 'usr_ada',
    updatedAt: T0,
    ...changes,
  }
}
