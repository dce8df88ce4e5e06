import { eventNameOf, producerOf } from '@/core/pipeline/gate/event-type'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { conditionKey } from '@/core/pipeline/gate/condition-key'
import { constantOf, isCertain } from '@/core/pipeline/expression/certain-reads'
import type { Expression } from '@/core/pipeline/expression/expression'
import { falsely, isNot, no, truly, valueOf, yes, type Claim } from './claim'
import { ends, endsMaking, endsOf, endsWith, failures, outcomeOf, started, type Outcome } from './outcomes'
import type { ConditionAtom, StartWhen } from '@/core/pipeline/gate/start-when'

/**
 * The ways in which a run may go, as far as gates see it. Every node ends in one way; whether it starts follows from its gate, and
 * how it ends is its own choice. Conditions and external events are free, equal conditions alike. As Kleene's logic never takes
 * back what it has decided, the ends of a run say whether a gate was ever true.
 *
 * A *possible* scenario leaves out nothing that can happen: what holds in none of them never happens. A *certain* scenario can
 * really be brought about: what a condition reads is there, and under `failFast` nothing fails that the claim does not need.
 */
export type Kind = 'possible' | 'certain'

/** A way in which a run may go. */
export type Scenario = {
  /** How a node ends. */
  outcome(id: string): Outcome
  /** The nodes whose end matters for the claim, in topological order. */
  involved: readonly string[]
  /** The nodes that fail in it. */
  failed: readonly string[]
  /** Ids of nodes in topological order. */
  inOrder(ids: Iterable<string>): string[]
}

/** Null: there is none. `unknown`: the search was too long. */
export type Found = Scenario | null | 'unknown'

/** Steps that one claim may take, and all claims together. */
const mostSteps = 4_000
const mostStepsTogether = 200_000
/** Where a gate has more atoms than this, a claim may take more steps for each of them, and all claims those of so many. */
const wideAtoms = 400
const stepsOfAtom = 10
const wideClaims = 50
/** Alternatives within alternatives: more would be a matter of the stack. */
const mostDepth = 500

/** One for all: finding where the error was made would cost more than the search itself. */
const spent = new Error('the search was too long')

// Of a definition that is edited most stays: compiled nodes and their levels are the same objects.
const orders = new WeakMap<CompiledPipeline['levels'], Order>()
const possibleEnds = new WeakMap<CompiledNode, number>()

type Order = { readonly order: readonly string[]; readonly indexes: ReadonlyMap<string, number> }

function orderOf(levels: CompiledPipeline['levels']): Order {
  const known = orders.get(levels)
  if (known !== undefined) return known
  const order = levels.flat()
  const found = { order, indexes: new Map(order.map((id, index) => [id, index])) }
  orders.set(levels, found)
  return found
}

/** The ways in which a node may end in such scenarios. */
function endsIn(kind: Kind, node: CompiledNode): number {
  if (kind === 'certain') return endsOf(node, false)
  const ends = possibleEnds.get(node) ?? endsOf(node, node.gateConditions.length > 0)
  possibleEnds.set(node, ends)
  return ends
}

export class Scenarios {
  /** Ids in topological order; their indexes are their variables. */
  private readonly order: readonly string[]
  private readonly indexes: ReadonlyMap<string, number>
  /** What is left to each variable: nodes, then whatever else a gate names. */
  private readonly left: number[] = []
  private readonly free = new Map<string, number>()
  /** Variable of a condition → all that hold the same against a literal: when one is true, the others are false. */
  private readonly excluding = new Map<number, readonly number[]>()
  private readonly conditionsOf = new Map<string, number[]>()
  private readonly opens = new Map<string, Claim>()
  private readonly closes = new Map<string, Claim>()
  /** Nodes that start or not whatever their gate says: it is never true, and whoever mends it wants to know of the others. */
  private readonly released = new Set<number>()
  /** The ends when all goes well: every gate that can be true is, and no variable is one of several literals. */
  private readonly well: number[] = []
  private readonly trail: { variable: number; before: number }[] = []
  private mayFail: ReadonlySet<string> | null = null
  private steps = 0
  /** Steps that one claim may take here. */
  readonly effort: number
  private budget: number

  constructor(
    private readonly pipeline: CompiledPipeline,
    private readonly kind: Kind,
  ) {
    const { order, indexes } = orderOf(pipeline.levels)
    this.order = order
    this.indexes = indexes
    let widest = 0
    for (const id of order) {
      const node = this.node(id)
      this.left.push(endsIn(kind, node))
      widest = Math.max(widest, node.gateAtoms.length)
    }
    const more = widest > wideAtoms ? widest * stepsOfAtom : 0
    this.effort = mostSteps + more
    this.budget = mostStepsTogether + more * wideClaims
  }

  /** From now on the node's gate decides nothing. */
  release(id: string): void {
    this.released.add(this.indexOf(id))
  }

  /**
   * Whether the node starts when all goes well: as given, where the caller knows it, else computed. In topological order, since it
   * follows from what starts before.
   */
  goesWell(id: string, known?: boolean): boolean {
    const index = this.indexOf(id)
    const goes = known ?? valueOf(this.starts(id), this.well) === true
    this.well[index] = goes || this.released.has(index) ? ends.completed : ends.skipped
    return goes
  }

  /** The node ends in one of these ways. */
  ends(id: string, allowed: number): Claim {
    return { op: 'is', variable: this.indexOf(id), allowed }
  }

  /** The node's gate is true at last. */
  starts(id: string): Claim {
    return this.kept(this.opens, id, false)
  }

  /** It is dead. */
  skips(id: string): Claim {
    return this.kept(this.closes, id, true)
  }

  /** A gate that the node might have is true at last (`negated`: dead); without `asks` by its events alone. */
  holds(gate: StartWhen, node: CompiledNode, negated = false, asks = true): Claim {
    switch (gate.kind) {
      case 'not':
        return this.holds(gate.term, node, !negated, asks)
      case 'and':
      case 'or':
        return {
          op: (gate.kind === 'and') === negated ? 'or' : 'and',
          terms: gate.terms.map((term) => this.holds(term, node, negated, asks)),
        }
      case 'condition':
        return asks ? this.condition(gate, negated) : falsely
      case 'event':
        return this.event(gate.type, node, negated)
    }
  }

  /** Whether a claim holds in all scenarios (true), in none (false), or unknown (null), without a search. */
  atOnce(claim: Claim): boolean | null {
    return valueOf(claim, this.left)
  }

  /** A scenario in which all claims hold. `mayFail`: the nodes that may fail in it though the pipeline is `failFast`. */
  find(claims: readonly Claim[], mayFail: readonly string[] = []): Found {
    if (this.budget <= 0) return 'unknown'
    const mark = this.trail.length
    this.mayFail = this.kind === 'certain' && this.pipeline.failFast ? new Set(mayFail) : null
    this.steps = Math.min(this.effort, this.budget)
    const given = this.steps
    try {
      return this.solve([...claims], [], 0) ? this.scenario() : null
    } catch (fault) {
      if (fault === spent) return 'unknown'
      throw fault
    } finally {
      this.budget -= given - Math.max(0, this.steps)
      this.undo(mark)
    }
  }

  private node(id: string): CompiledNode {
    const node = this.pipeline.nodes.get(id)
    if (node === undefined) throw new Error(`'${id}' is not a node of the pipeline`)
    return node
  }

  private indexOf(id: string): number {
    const index = this.indexes.get(id)
    if (index === undefined) throw new Error(`'${id}' is not a node of the pipeline`)
    return index
  }

  private kept(claims: Map<string, Claim>, id: string, negated: boolean): Claim {
    const known = claims.get(id)
    if (known) return known
    const node = this.node(id)
    const claim = this.holds(node.gate, node, negated)
    const whole = negated && this.kind === 'certain' ? this.withoutError(claim, node) : claim
    claims.set(id, whole)
    return whole
  }

  /** A condition that fails decides a gate before another that is false: all that any of them reads must be there. */
  private withoutError(dead: Claim, node: CompiledNode): Claim {
    const there = node.gateConditions.flatMap((expression) =>
      isCertain(expression) ? this.made(expression) : [],
    )
    if (node.gateConditions.length < 2 || there.length === 0) return dead
    const byEvents = this.holds(node.gate, node, true, false)
    return { op: 'and', terms: [dead, { op: 'or', terms: [byEvents, { op: 'and', terms: there }] }] }
  }

  /** What an expression reads of nodes is there. */
  private made({ reads }: Expression): Claim[] {
    return reads.flatMap(({ root, variable }): Claim[] => {
      const producer = this.pipeline.nodes.get(root)
      return producer ? [this.ends(root, endsMaking(producer, variable))] : []
    })
  }

  private event(type: string, node: CompiledNode, negated: boolean): Claim {
    const source = producerOf(type)
    const name = eventNameOf(type)
    if (source === 'pipeline') return this.pipelineEvent(name, negated)
    const producer = this.pipeline.nodes.get(source)
    // Each node that sets a start timeout has a deadline of its own; without one it can only wait for what does not come.
    if (producer === undefined) {
      if (node.startTimeoutMs !== null) return this.is(`${type} ${node.id}`, !negated)
      return negated ? falsely : this.is(type, true)
    }
    // After the end everything may have happened to a node: a cancel asks no gate.
    if (node.finally && !producer.finally) return this.is(type, !negated)
    const { surely, perhaps } = endsWith(producer, name)
    const variable = this.indexOf(source)
    const sure: Claim = { op: 'is', variable, allowed: negated ? ~surely : surely }
    if (perhaps === 0) return sure
    const happened = this.is(type, !negated)
    const rest: Claim = { op: 'is', variable, allowed: negated ? ~perhaps : perhaps }
    return negated
      ? { op: 'and', terms: [sure, { op: 'or', terms: [rest, happened] }] }
      : { op: 'or', terms: [sure, { op: 'and', terms: [rest, happened] }] }
  }

  /** Of the three ends of a run there is one; all else may have happened or not. */
  private pipelineEvent(name: string, negated: boolean): Claim {
    if (name === 'started') return negated ? falsely : truly
    const at = ['completed', 'failed', 'cancelled'].indexOf(name)
    if (at < 0) return this.is(`pipeline.${name}`, !negated)
    const variable = this.variable('pipeline', 7)
    return { op: 'is', variable, allowed: negated ? 7 & ~(1 << at) : 1 << at }
  }

  private condition(atom: ConditionAtom, negated: boolean): Claim {
    const constant = constantOf(atom.expression)
    if (constant !== null) return constant === negated ? falsely : truly
    const { key, negated: opposite, variable } = conditionKey(atom)
    const answer = this.is(`{{ ${key} }}`, negated === opposite)
    if (variable !== undefined && answer.op === 'is') this.exclude(variable, answer.variable)
    if (this.kind === 'possible' || !isCertain(atom.expression)) return answer
    // It answers only when all that it reads is there.
    return { op: 'and', terms: [answer, ...this.made(atom.expression)] }
  }

  private exclude(variable: string, condition: number): void {
    this.well[condition] = no
    if (this.excluding.has(condition)) return
    const group = this.conditionsOf.get(variable) ?? []
    group.push(condition)
    this.conditionsOf.set(variable, group)
    this.excluding.set(condition, group)
  }

  private is(name: string, happened: boolean): Claim {
    return { op: 'is', variable: this.variable(name, yes | no), allowed: happened ? yes : no }
  }

  private variable(name: string, all: number): number {
    const known = this.free.get(name)
    if (known !== undefined) return known
    const variable = this.left.push(all) - 1
    this.well[variable] = yes
    this.free.set(name, variable)
    return variable
  }

  /** All claims of `work`, and one of each of `open`. Leaves what it found in `left`. */
  private solve(work: Claim[], open: (Claim & { op: 'or' })[], depth: number): boolean {
    for (;;) {
      for (let claim = work.pop(); claim !== undefined; claim = work.pop()) {
        this.spend(1)
        if (claim.op === 'is') {
          if (!this.restrict(claim.variable, claim.allowed, work)) return false
        } else if (claim.op === 'and') {
          for (const term of claim.terms.toReversed()) work.push(term)
        } else {
          open.push(claim as Claim & { op: 'or' })
        }
      }
      const undecided: (Claim & { op: 'or' })[] = []
      let options: Claim[] = []
      for (const claim of open) {
        this.spend(claim.terms.length)
        const values = claim.terms.map((term) => valueOf(term, this.left))
        if (values.includes(true)) continue
        const live = claim.terms.filter((_, at) => values[at] === null)
        const [only] = live
        if (only === undefined) return false
        if (live.length === 1) {
          work.push(only)
        } else {
          if (undecided.length === 0) options = live
          undecided.push(claim)
        }
      }
      open = undecided
      if (work.length > 0) continue
      if (open.length === 0) return true
      if (depth >= mostDepth) throw spent
      const mark = this.trail.length
      for (const option of options) {
        if (this.solve([option], open.slice(1), depth + 1)) return true
        this.undo(mark)
      }
      return false
    }
  }

  private spend(steps: number): void {
    this.steps -= steps
    if (this.steps < 0) throw spent
  }

  /** Leaves less to a variable, and claims what follows for its gate. */
  private restrict(variable: number, allowed: number, work: Claim[]): boolean {
    const before = this.left[variable] ?? 0
    const id = this.order[variable]
    let after = before & allowed
    if (id !== undefined && this.mayFail !== null && !this.mayFail.has(id)) after &= ~failures
    if (after === 0) return false
    if (after === before) return true
    this.trail.push({ variable, before })
    this.left[variable] = after
    if (id === undefined) {
      if (after === yes)
        for (const other of this.excluding.get(variable) ?? [])
          if (other !== variable) work.push(isNot(other))
      return true
    }
    if (this.released.has(variable)) return true
    if ((after & ~started) === 0 && (before & ~started) !== 0) work.push(this.starts(id))
    // A failFast run skips nodes whatever their gates say.
    if (after === ends.skipped && !(this.kind === 'possible' && this.pipeline.failFast))
      work.push(this.skips(id))
    return true
  }

  private undo(mark: number): void {
    while (this.trail.length > mark) {
      const { variable, before } = this.trail.pop()!
      this.left[variable] = before
    }
  }

  /**
   * The scenario that was found: whatever it left open goes well. Unknown where that leaves an end to a node which it cannot have: of
   * several that are left to a node nobody has asked yet what each of them needs.
   */
  private scenario(): Found {
    // Reading a gate for the first time brings in what it names.
    for (const id of this.order) this.starts(id)
    for (const id of this.order) this.skips(id)
    const chosen = [...this.left]
    const touched = new Set(this.trail.map(({ variable }) => variable))
    const cone = this.coneOf(touched)
    // What matters here first and by name, so that the same scenario is found whatever was searched before or stands elsewhere.
    const byName = [...this.free].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const [near, far] = [true, false].map((within) => byName.filter(([, one]) => cone.has(one) === within))
    for (const [, variable] of [...near!, ...far!]) {
      const left = chosen[variable] ?? 0
      const refuted = this.excluding
        .get(variable)
        ?.some((other) => other !== variable && chosen[other] === yes)
      chosen[variable] = refuted ? no : left & -left
    }
    for (const [index, id] of this.order.entries()) {
      const left = chosen[index] ?? 0
      const end = this.endIn(chosen, id, left)
      if (end === ends.errored && (left & (ends.errored | ends.failed)) === 0) return 'unknown'
      chosen[index] = end
    }
    const involved = this.order.filter((_, index) => touched.has(index))
    return {
      outcome: (id) => outcomeOf(this.node(id), chosen[this.indexOf(id)] ?? 0),
      involved,
      failed: this.order.filter((_, index) => ((chosen[index] ?? 0) & (failures | ends.errored)) !== 0),
      inOrder: (ids) => [...ids].toSorted((a, b) => this.indexOf(a) - this.indexOf(b)),
    }
  }

  /** These variables, and all that the gates of nodes among them name, and so on. */
  private coneOf(variables: Iterable<number>): ReadonlySet<number> {
    const cone = new Set<number>()
    const open = [...variables]
    const name = (claim: Claim): void => {
      if (claim.op === 'is') open.push(claim.variable)
      else claim.terms.forEach(name)
    }
    for (let variable = open.pop(); variable !== undefined; variable = open.pop()) {
      const id = this.order[variable]
      if (cone.has(variable)) continue
      cone.add(variable)
      if (id === undefined) continue
      name(this.starts(id))
      name(this.skips(id))
    }
    return cone
  }

  private endIn(chosen: readonly number[], id: string, left: number): number {
    const gate = valueOf(this.starts(id), chosen)
    const wanted = this.released.has(this.indexOf(id)) || gate === true ? left & started : 0
    const order = [ends.completed, ends.rejected, ends.failed, ends.timeout]
    const end = order.find((one) => (wanted & one) !== 0)
    if (end !== undefined) return end
    const dead = valueOf(this.skips(id), chosen) === true
    return dead && (left & ends.skipped) !== 0 ? ends.skipped : ends.errored
  }
}
