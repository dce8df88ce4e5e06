import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition'
import { either, eventsOf, only, outcomesOf, told, type Formula, type Possible } from './formula'

/**
 * A second opinion on what a run must come to, made from SEMANTICS and from nothing of the engine: given the definition and
 * what the world chose (who decided, what was published, which workers were lost, when somebody cancelled), it says how each node
 * ends, why, with which outputs, and how the run does. Where the order of things decides, it knows all that is allowed.
 * A node is judged by how the nodes before it ended: by induction over the graph the whole run is.
 */
export type LoggedEntry = {
  readonly event: {
    readonly seq: number
    readonly type: string
    readonly source: { readonly entity_type: string; readonly entity_id: string }
    readonly attempt?: number
    readonly item?: number
    readonly payload: Readonly<Record<string, unknown>>
  }
  readonly variables: readonly { readonly name: string; readonly value: unknown }[]
}

export type Subject = {
  readonly definition: PipelineDefinition
  readonly gates: ReadonlyMap<string, Formula>
  readonly log: readonly LoggedEntry[]
  /** The logs of the executions that its nodes started, by id. */
  readonly childLog: (executionId: string) => readonly LoggedEntry[] | undefined
}

type Ending = 'completed' | 'failed' | 'skipped' | 'cancelled'
type Work = { readonly ending: 'completed' | 'failed'; readonly kind?: string; readonly outputs?: unknown }

const END = /\.(completed|failed|skipped|cancelled)$/
const FAILURE = /^([a-z]\w*)\.(failed|rejected|timeout)$/
const ENDINGS = ['pipeline.completed', 'pipeline.failed', 'pipeline.cancelled']

/** Where the log and the oracle disagree, in words; nothing is the only good answer. */
export function disagreements(subject: Subject): string[] {
  return new Judgement(subject).all()
}

class Judgement {
  readonly #found: string[] = []
  readonly #first = new Map<string, LoggedEntry>()
  readonly #values = new Map<string, unknown>()
  readonly #failFast: boolean
  readonly #cancelledAt: number
  readonly #firstFailureAt: number

  constructor(readonly subject: Subject) {
    const { definition, log } = subject
    for (const entry of log) {
      if (!this.#first.has(entry.event.type)) this.#first.set(entry.event.type, entry)
      for (const { name, value } of entry.variables) this.#values.set(name, value)
    }
    this.#failFast = definition.policy?.failFast ?? false
    this.#cancelledAt = this.#at('pipeline.cancelling')
    const failures = definition.nodes.filter((node) => !node.finally && !node.allowFailure)
    this.#firstFailureAt = Math.min(...failures.map(({ id }) => this.#at(`${id}.failed`)))
  }

  all(): string[] {
    for (const node of this.subject.definition.nodes) this.#judge(node)
    this.#judgeRun()
    return this.#found
  }

  #at(type: string): number {
    return this.#first.get(type)?.event.seq ?? Infinity
  }

  #endOf(id: string): { ending: Ending; at: number; entry: LoggedEntry } | null {
    const ends = (['completed', 'failed', 'skipped', 'cancelled'] as const).filter((end) =>
      this.#first.has(`${id}.${end}`),
    )
    if (ends.length !== 1) return null
    const entry = this.#first.get(`${id}.${ends[0]!}`)!
    return { ending: ends[0]!, at: entry.event.seq, entry }
  }

  #judge(node: NodeDefinition): void {
    const { id } = node
    const say = (what: string) => this.#found.push(`${id}: ${what}`)
    const end = this.#endOf(id)
    if (end === null) return void say('has not exactly one end')
    const startedAt = this.#at(`${id}.started`)
    const cancelled = this.#cancelledAt < end.at && !node.finally
    const gate = outcomesOf(this.subject.gates.get(id)!, {
      event: (type, negated) => this.#event(node, type, negated),
      value: (source) => this.#values.get(`${source}.v`),
    })
    const payload = end.entry.event.payload

    if (startedAt === Infinity) {
      if (end.ending === 'failed') {
        const { kind } = payload['error'] as { kind: string }
        if (!gate.has('error') || kind !== 'expression_error')
          say(`failed (${kind}) at its gate, which says ${told(gate)}`)
      } else if (end.ending !== 'skipped') say(`is ${end.ending} and never started`)
      else if (!this.#skips(node, gate, String(payload['reason']), end.at))
        say(`skipped (${String(payload['reason'])}), and its gate says ${told(gate)}`)
      return
    }
    if (!gate.has('true')) say(`started, and its gate says ${told(gate)}`)
    if (
      this.#failFast &&
      !node.finally &&
      startedAt > this.#firstFailureAt &&
      !this.#handlesBy(id, startedAt)
    )
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
    const kind = (payload['error'] as { kind: string } | undefined)?.kind
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

  /** Did a failure that it names happen before it started? */
  #handlesBy(id: string, startedAt: number): boolean {
    return eventsOf(this.subject.gates.get(id)!).some(
      ({ type, negated }) => !negated && FAILURE.test(type) && this.#at(type) < startedAt,
    )
  }

  /** An event at the end of time: it came, or never will; and the word for a skip because of it. */
  #event(node: NodeDefinition, type: string, negated: boolean): Possible {
    const [source] = type.split('.') as [string]
    if (source === 'external') {
      const word = negated ? 'condition_not_met' : 'start_timeout'
      const published = this.#at(type)
      const expired = this.subject.log.find(
        ({ event }) => event.type === `${node.id}.waiting` && event.payload['expired'] === true,
      )
      const decided = Math.min(this.#at(`${node.id}.started`), this.#endOf(node.id)?.at ?? Infinity)
      if (published < (expired?.event.seq ?? decided)) return only('true', word)
      return expired === undefined ? either(word) : only('dead', word)
    }
    const words: Partial<Record<Ending, string>> = {
      failed: 'upstream_failed',
      skipped: 'upstream_skipped',
      cancelled: 'upstream_cancelled',
    }
    const ending = source === 'pipeline' ? undefined : this.#endOf(source)?.ending
    const word = (ending && words[ending]) ?? 'condition_not_met'
    // What was not to happen may have happened long before its node ended.
    return only(this.#first.has(type) ? 'true' : 'dead', word, ...(negated ? ['condition_not_met'] : []))
  }

  // Work: attempts end as their task says, unless their worker was lost or their time was over.

  /** How a node that started ends; null: something that was due never came. */
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
    const left = this.#values.get(`${node.id}.item_errors`) as { index: number; kind: string }[] | undefined
    const told = left?.map(({ index, kind }) => ({ index, kind }))
    if (lenient && JSON.stringify(told) !== JSON.stringify(errors))
      this.#found.push(`${node.id}: item_errors are ${JSON.stringify(told)}, not ${JSON.stringify(errors)}`)
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
      if (work?.ending !== 'failed' || !again) return work
    }
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
      const kind = (payload['error'] as { kind: string } | undefined)?.kind
      if (
        event.type.endsWith('.failed') &&
        kind === 'timeout' &&
        (node.timeout !== undefined || node.finally)
      )
        return { ending: 'failed', kind }
      if (!event.type.endsWith('.lost') || payload['reason'] === 'stopped by a pause') continue
      const stays = node.onLost !== 'fail' && (payload['losses'] as number) <= 3
      if (this.#cancelledAt < event.seq) continue
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
        const { fails } = node.inputBindings?.['input'] as { fails: number[] }
        return attempt <= (fails[(item ?? 0) % fails.length] ?? 0)
          ? { ending: 'failed', kind: 'task_failed' }
          : { ending: 'completed', outputs: { result: 1 } }
      }
      case 'wait':
        return { ending: 'completed' }
      default:
        return { ending: 'completed', outputs: {} }
    }
  }

  /** A literal, or `{{ x.v + 1 }}`. */
  #value(binding: unknown): unknown {
    const source = typeof binding === 'string' ? /^\{\{ (\w+)\.v \+ 1 \}\}$/.exec(binding)?.[1] : undefined
    return source === undefined ? binding : (this.#values.get(`${source}.v`) as number) + 1
  }

  #child(own: readonly LoggedEntry[]): Work | null {
    const id = own.map(({ event }) => event.payload['child_execution_id']).find((it) => it !== undefined)
    const log = this.subject.childLog(String(id))
    const end = log?.find(({ event }) => ENDINGS.includes(event.type))
    if (log === undefined || end === undefined) return null
    if (end.event.type !== 'pipeline.completed') return { ending: 'failed', kind: 'child_failed' }
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
    if (bindings['timeout'] === undefined || !this.#first.has(`${node.id}.timeout`)) return null
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
    const cancelling = this.#first.get('pipeline.cancelling')
    if (cancelling !== undefined)
      return expect(
        cancelling.event.payload['timed_out'] === true ? 'failed' : 'cancelled',
        'it was cancelled',
      )
    const failed = this.subject.definition.nodes.filter(
      (node) =>
        !node.finally &&
        !node.allowFailure &&
        this.#endOf(node.id)?.ending === 'failed' &&
        !this.#handled(node.id),
    )
    if (failed.length > 0) {
      const ids = failed.map(({ id }) => id)
      if (JSON.stringify(payload['failed_nodes']) !== JSON.stringify(ids))
        this.#found.push(
          `the run names ${JSON.stringify(payload['failed_nodes'])}, not ${JSON.stringify(ids)}`,
        )
      return expect('failed', `${ids.join(', ')} failed`)
    }
    const declared = Object.entries(this.subject.definition.outputs ?? {})
    const missing = declared.filter(([id, { required }]) => required && !this.#values.has(`${id}.v`))
    if (missing.length > 0) return expect('failed', `${missing.map(([id]) => id).join(', ')} is required`)
    expect('completed', 'nothing failed')
    const outputs = declared.map(([id]) => [`pipeline.output.${id}`, this.#values.get(`${id}.v`) ?? null])
    const left = outcome.variables.map(({ name, value }) => [name, value])
    if (JSON.stringify(left) !== JSON.stringify(outputs))
      this.#found.push(`the run left ${JSON.stringify(left)}; ${JSON.stringify(outputs)} was due`)
  }

  #handled(id: string): boolean {
    return [...this.subject.gates].some(([handler, gate]) => {
      const startedAt = this.#at(`${handler}.started`)
      const named = eventsOf(gate).some(
        ({ type, negated }) =>
          !negated && FAILURE.exec(type)?.[1] === id && this.#at(type) < startedAt && startedAt < Infinity,
      )
      return named && (!this.#failFast || this.#endOf(handler)?.ending === 'completed')
    })
  }
}

const sorted = (value: unknown) => Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
