import { isRecord } from '@/core/pipeline/json'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { either, eventsOf, only, outcomesOf, describePossible, type Formula, type Possible } from './formula'
import { errorKind, ReadLog, type LoggedEntry } from './read-log'

export type Subject = {
  readonly definition: PipelineDefinition
  readonly gates: ReadonlyMap<string, Formula>
  readonly log: readonly LoggedEntry[]
  /** Nodes that ended before this seq are judged elsewhere. */
  readonly since?: number
  /** The logs of the executions that its nodes started, by id. */
  readonly childLog: (executionId: string) => readonly LoggedEntry[] | undefined
}

type Work = {
  readonly ending: 'completed' | 'failed'
  readonly kind?: string
  readonly outputs?: unknown
  /** No `retry` begins it again. */
  readonly final?: boolean
}

const FAILURE = /^([a-z]\w*)\.(failed|rejected|timeout)$/
const ENDINGS = ['pipeline.completed', 'pipeline.failed', 'pipeline.cancelled']

function namesCancelled(error: unknown): boolean {
  const { detail } = (error ?? {}) as { readonly detail?: { readonly cancelled_execution_id?: unknown } }
  return detail?.cancelled_execution_id !== undefined
}

/**
 * A second opinion on what a run must come to, made from the rules and from nothing of the engine: given the definition and
 * what the world chose (who decided, what was published, which workers were lost, when somebody cancelled), it says how each node
 * ends, why, with which outputs, and how the run does. Where the order of things decides, it knows all that is allowed.
 * A node is judged by how the nodes before it ended: by induction the whole run is. Answers with where the log says otherwise.
 */
export function disagreements(subject: Subject): string[] {
  return new Judgement(subject).all()
}

/** A run that took too long was ended before it was rolled back, and its `cancelling` is superseded by that. Infinity: it was not. */
function timedOutAt(log: readonly LoggedEntry[]): number {
  const isTimedOut = log.some(
    ({ event }) => event.type === 'pipeline.rolling_back' && event.payload['trigger'] === 'timeout',
  )
  const ended = log.find(
    ({ event }) => event.type.endsWith('.cancelled') || event.payload['reason'] === 'pipeline_cancelled',
  )
  return isTimedOut && ended !== undefined ? ended.event.seq - 1 : Infinity
}

class Judgement {
  readonly #found: string[] = []
  readonly #log
  readonly #failFast: boolean
  readonly #cancelledAt: number
  readonly #firstFailureAt: number

  constructor(readonly subject: Subject) {
    const { definition, log } = subject
    this.#log = new ReadLog(log)
    this.#failFast = definition.policy?.failFast ?? false
    this.#cancelledAt = Math.min(this.#log.at('pipeline.cancelling'), timedOutAt(log))
    const counts = definition.nodes.filter((node) => !node.finally && !node.allowFailure)
    this.#firstFailureAt = Math.min(...counts.map(({ id }) => this.#log.at(`${id}.failed`)))
  }

  all(): string[] {
    for (const node of this.subject.definition.nodes) this.#judge(node)
    this.#judgeRun()
    return this.#found
  }

  #judge(node: NodeDefinition): void {
    const { id } = node
    const say = (what: string) => this.#found.push(`${id}: ${what}`)
    const end = this.#log.endOf(id)
    if (end === null) return void say('has not exactly one end')
    if (end.at < (this.subject.since ?? 0)) return
    // A person said how it ended, whatever its gate and its work say.
    if (end.entry.event.payload['by_hand'] !== undefined) return
    const startedAt = this.#log.at(`${id}.started`)
    const cancelled = this.#cancelledAt < end.at && !node.finally
    const gate = outcomesOf(this.subject.gates.get(id)!, {
      event: (type, negated) => this.#event(node, type, negated),
      value: (source) => this.#log.values.get(`${source}.v`),
    })
    const payload = end.entry.event.payload
    if (startedAt === Infinity) {
      if (end.ending === 'failed') {
        const kind = errorKind(end.entry.event)
        if (!gate.has('error') || kind !== 'expression_error')
          say(`failed (${kind}) at its gate, which says ${describePossible(gate)}`)
      } else if (end.ending !== 'skipped') say(`is ${end.ending} and never started`)
      else if (!this.#skips(node, gate, String(payload['reason']), end.at))
        say(`skipped (${String(payload['reason'])}), and its gate says ${describePossible(gate)}`)
      return
    }
    if (!gate.has('true')) say(`started, and its gate says ${describePossible(gate)}`)
    if (this.#failFast && !node.finally && startedAt > this.#firstFailureAt && !this.#handlesBy(id))
      say('started after the first failure and handles none')
    if (end.ending === 'skipped') return void say('started and was skipped')
    if (end.ending === 'cancelled') {
      if (!cancelled) say('cancelled, and nobody cancelled the run')
      return
    }
    const work = this.#workOf(node, end.at)
    if (work === null) {
      if (!cancelled) say(`${end.ending}, and nothing says that it ended`)
      return
    }
    if (cancelled && end.ending === 'failed') return
    if (work.ending !== end.ending) return void say(`${end.ending}; ${work.ending} was due`)
    const kind = errorKind(end.entry.event)
    if (work.kind !== undefined && work.kind !== kind) say(`failed as ${kind}; ${work.kind} was due`)
    if (work.outputs !== undefined) {
      const left = Object.fromEntries(
        end.entry.variables.map(({ name, value }) => [name.slice(id.length + 1), value]),
      )
      if (JSON.stringify(sorted(left)) !== JSON.stringify(sorted(work.outputs)))
        say(`left ${JSON.stringify(left)}; ${JSON.stringify(work.outputs)} was due`)
    }
  }

  /** Is the reason one that the rules give? */
  #skips(node: NodeDefinition, gate: Possible, reason: string, at: number): boolean {
    if (reason === 'pipeline_cancelled') return this.#cancelledAt < at
    if (reason === 'fail_fast') return this.#failFast && this.#firstFailureAt < at && !node.finally
    return gate.get('dead')?.has(reason) ?? false
  }

  /** Had a failure that its gate names (of that node, when one is given) happened when it started? */
  #handlesBy(id: string, failed?: string): boolean {
    return eventsOf(this.subject.gates.get(id)!).some(({ type, negated }) => {
      const source = FAILURE.exec(type)?.[1]
      if (negated || source === undefined || (failed !== undefined && source !== failed)) return false
      return this.#log.at(type) < this.#log.at(`${id}.started`) && this.#log.first.has(`${id}.started`)
    })
  }

  /** An event at the end of time: it came, or never will; and the word for a skip because of it. */
  #event(node: NodeDefinition, type: string, negated: boolean): Possible {
    const [source] = type.split('.') as [string]
    if (source === 'external') {
      const word = negated ? 'condition_not_met' : 'start_timeout'
      const published = this.#log.at(type)
      const expired = this.subject.log.find(
        ({ event }) => event.type === `${node.id}.waiting` && event.payload['expired'] === true,
      )
      const decided = Math.min(this.#log.at(`${node.id}.started`), this.#log.endOf(node.id)?.at ?? Infinity)
      if (published < (expired?.event.seq ?? decided)) return only('true', word)
      return expired === undefined ? either(word) : only('dead', word)
    }
    const words: Partial<Record<string, string>> = {
      failed: 'upstream_failed',
      skipped: 'upstream_skipped',
      cancelled: 'upstream_cancelled',
    }
    const ending = source === 'pipeline' ? undefined : this.#log.endOf(source)?.ending
    const word = (ending && words[ending]) ?? 'condition_not_met'
    // What was not to happen may have happened long before its node ended.
    return only(this.#log.first.has(type) ? 'true' : 'dead', word, ...(negated ? ['condition_not_met'] : []))
  }

  /** How a node that started ends: as its task says, unless workers were lost or time was over; null: something that was due never came. */
  #workOf(node: NodeDefinition, endAt: number): Work | null {
    if (node.task === 'approval') return this.#approval(node, endAt)
    if (node.forEach === undefined) return this.#tries(node, null)
    const items = (node.forEach.items as readonly unknown[]).map((_, item) => this.#tries(node, item))
    const lenient = node.forEach.allowFailures ?? false
    if (!lenient && items.some((item) => item?.ending === 'failed')) return { ending: 'failed' }
    if (items.includes(null)) return null
    const errors = items.flatMap((item, index) =>
      item?.ending === 'failed' ? [{ index, kind: item.kind }] : [],
    )
    const names = new Set(items.flatMap((item) => Object.keys((item?.outputs as object | undefined) ?? {})))
    if (node.task === 'set') for (const name of Object.keys(node.inputBindings ?? {})) names.add(name)
    if (node.task === 'script.javascript') names.add('result')
    if (node.task === 'wait' || node.pipeline !== undefined) return { ending: 'completed' }
    const lists = [...names].map((name): [string, unknown] => [
      name,
      items.map((item) => (item?.outputs as Record<string, unknown> | undefined)?.[name] ?? null),
    ])
    const left = this.#log.values.get(`${node.id}.item_errors`) as
      { index: number; kind: string }[] | undefined
    const counted = left?.map(({ index, kind }) => ({ index, kind }))
    if (lenient && JSON.stringify(counted) !== JSON.stringify(errors))
      this.#found.push(
        `${node.id}: item_errors are ${JSON.stringify(counted)}, not ${JSON.stringify(errors)}`,
      )
    return {
      ending: 'completed',
      outputs: Object.fromEntries([...lists, ...(lenient ? [['item_errors', left]] : [])]),
    }
  }

  #tries(node: NodeDefinition, item: number | null): Work | null {
    const most = node.retry?.maxAttempts ?? 1
    for (let attempt = 1; ; attempt++) {
      const work = this.#attempt(node, item, attempt)
      const again = attempt < most && (node.retry?.when === undefined || attempt < 3)
      if (work?.ending !== 'failed' || work.final === true || !again) return work
    }
  }

  /** It was stopped by a pause, or there was no room for it any more: the same attempt is tried again later. */
  #isQueuedAgain(node: string, item: number | null, lostAt: number): boolean {
    return this.subject.log.some(
      ({ event }) =>
        event.seq === lostAt + 1 && event.type === `${node}.queued` && (event.item ?? null) === item,
    )
  }

  #attempt(node: NodeDefinition, item: number | null, attempt: number): Work | null {
    const own = this.subject.log.filter(
      ({ event }) =>
        event.type.startsWith(`${node.id}.task.`) &&
        (event.item ?? null) === item &&
        event.attempt === attempt,
    )
    if (own.length === 0) return null
    for (const { event } of own) {
      const { payload } = event
      const kind = errorKind(event)
      if (
        event.type.endsWith('.failed') &&
        kind === 'timeout' &&
        (node.timeout !== undefined || node.finally)
      )
        return { ending: 'failed', kind }
      if (!event.type.endsWith('.lost') || this.#isQueuedAgain(node.id, item, event.seq)) continue
      const stays = node.onLost !== 'fail' && Number(payload['losses']) <= 3
      if (this.#cancelledAt < event.seq && !node.finally) continue
      if (stays !== (payload['next_token'] !== undefined))
        this.#found.push(`${node.id}: lost ${String(payload['losses'])} times, and goes on: ${!stays}`)
      if (!stays) return { ending: 'failed', kind: 'lost' }
    }
    if (node.pipeline !== undefined) return this.#child(own)
    const value = node.inputBindings?.['v']
    switch (node.task) {
      case 'fail':
        return { ending: 'failed', kind: 'task_failed' }
      case 'set':
        return { ending: 'completed', outputs: { v: this.#value(value) } }
      case 'script.javascript': {
        const { fails } = (node.inputBindings?.['input'] ?? { fails: [0] }) as { fails: number[] }
        return attempt <= (fails[(item ?? 0) % fails.length] ?? 0)
          ? { ending: 'failed', kind: 'task_failed' }
          : { ending: 'completed', outputs: { result: 1 } }
      }
      default:
        return { ending: 'completed', ...(node.task === 'wait' ? {} : { outputs: {} }) }
    }
  }

  /** A literal, or `{{ x.v + 1 }}`. */
  #value(binding: unknown): unknown {
    const source = typeof binding === 'string' ? /^\{\{ (\w+)\.v \+ 1 \}\}$/.exec(binding)?.[1] : undefined
    return source === undefined ? binding : (this.#log.values.get(`${source}.v`) as number) + 1
  }

  #child(own: readonly LoggedEntry[]): Work | null {
    const id = own.map(({ event }) => event.payload['child_execution_id']).find((it) => it !== undefined)
    const log = this.subject.childLog(String(id))
    const end = log?.find(({ event }) => ENDINGS.includes(event.type))
    if (log === undefined || end === undefined) return null
    // A run that a person cancelled is not begun again, however far below.
    const final =
      end.event.type === 'pipeline.cancelled' ||
      log.some(({ event }) => event.seq < end.event.seq && namesCancelled(event.payload['error']))
    if (end.event.type !== 'pipeline.completed') return { ending: 'failed', kind: 'child_failed', final }
    const outputs = end.variables.map(({ name, value }) => [name.slice('pipeline.output.'.length), value])
    return { ending: 'completed', outputs: Object.fromEntries(outputs) as unknown }
  }

  /** One voice each: enough approvals approve, one rejection rejects, silence times out. */
  #approval(node: NodeDefinition, endAt: number): Work | null {
    const bindings = node.inputBindings ?? {}
    const votes = (word: string) =>
      this.subject.log.filter(
        ({ event }) => event.type === `external.${node.id}.${word}` && event.seq < endAt,
      ).length
    if (votes('rejected') > 0) return { ending: 'failed', kind: 'rejected' }
    if (votes('approved') >= ((bindings['quorum'] as number | undefined) ?? 1)) return { ending: 'completed' }
    if (bindings['timeout'] === undefined || !this.#log.first.has(`${node.id}.timeout`)) return null
    return bindings['onTimeout'] === 'approve'
      ? { ending: 'completed' }
      : { ending: 'failed', kind: 'timeout' }
  }

  /** The outcome. */
  #judgeRun(): void {
    const outcome = this.subject.log.find(({ event }) => ENDINGS.includes(event.type))
    if (outcome === undefined) return void this.#found.push('the run has no outcome')
    const { type, payload } = outcome.event
    const expect = (due: string, why: string) => {
      if (type !== `pipeline.${due}`) this.#found.push(`the run is ${type.slice(9)}; ${due} was due: ${why}`)
    }
    const cancelling = this.#log.first.get('pipeline.cancelling')
    if (cancelling !== undefined)
      return expect(
        cancelling.event.payload['timed_out'] === true ? 'failed' : 'cancelled',
        'it was cancelled',
      )
    const failed = this.subject.definition.nodes.filter(
      (node) =>
        !node.finally &&
        !node.allowFailure &&
        this.#log.endOf(node.id)?.ending === 'failed' &&
        !this.#handled(node.id),
    )
    // It names what could not be undone, which is not judged here.
    const { error = null } = payload
    if (isRecord(error) && error['kind'] === 'rollback_incomplete')
      return expect('failed', 'its rollback is incomplete')
    if (failed.length > 0) {
      const ids = failed.map(({ id }) => id)
      if (JSON.stringify(payload['failed_nodes']) !== JSON.stringify(ids))
        this.#found.push(
          `the run names ${JSON.stringify(payload['failed_nodes'])}, not ${JSON.stringify(ids)}`,
        )
      return expect('failed', `${ids.join(', ')} failed`)
    }
    const declared = Object.entries(this.subject.definition.outputs ?? {})
    const missing = declared.filter(([id, { required }]) => required && !this.#log.values.has(`${id}.v`))
    if (missing.length > 0) return expect('failed', `${missing.map(([id]) => id).join(', ')} is required`)
    expect('completed', 'nothing failed')
    const outputs = declared.map(([id]) => [`pipeline.output.${id}`, this.#log.values.get(`${id}.v`) ?? null])
    const left = outcome.variables.map(({ name, value }) => [name, value])
    if (JSON.stringify(left) !== JSON.stringify(outputs))
      this.#found.push(`the run left ${JSON.stringify(left)}; ${JSON.stringify(outputs)} was due`)
  }

  #handled(id: string): boolean {
    return [...this.subject.gates.keys()].some(
      (handler) =>
        this.#handlesBy(handler, id) && (!this.#failFast || this.#log.endOf(handler)?.ending === 'completed'),
    )
  }
}

const sorted = (value: unknown) => Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
