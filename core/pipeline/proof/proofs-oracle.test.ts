import { producerOf } from '@/core/pipeline/gate/event-type'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { approval, node, pipeline, set } from '@/testing/definitions'
import { compilePipeline, type CompiledNode, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { evaluateStartWhen, type Truth } from '@/core/pipeline/gate/evaluate'
import type { Problem } from './problem'
import { createProver, proveDefinition } from './proofs'
import { gateAtoms } from '@/core/pipeline/gate/start-when'

/*
 * The oracle tries every run: each node that the real evaluator lets start ends in each of its ways, each condition answers
 * both ways, external events come or do not. A condition that reads what is not there is an error, as in a run.
 */
type Run = ReadonlyMap<string, string>

const conditions = ['pipeline.input.f', 'pipeline.input.m == 1', 'pipeline.input.m == 2', 'n0.v']
type Answers = { f: boolean; m: number; v: boolean }
const answers: readonly Answers[] = [0, 1, 2, 3].flatMap((m) =>
  [true, false].flatMap((f) => [true, false].map((v) => ({ f, m, v }))),
)

const happened: Readonly<Record<string, readonly string[]>> = {
  completed: ['started', 'completed'],
  approved: ['started', 'waiting', 'approved', 'completed'],
  rejected: ['started', 'waiting', 'rejected', 'failed'],
  failed: ['started', 'failed'],
  skipped: ['skipped'],
  errored: ['failed'],
}

function runsOf(compiled: CompiledPipeline): Run[] {
  const runs: Run[] = []
  const order = compiled.levels.flat()
  for (const given of answers)
    for (const came of [true, false]) {
      const go = (at: number, run: ReadonlyMap<string, string>): void => {
        const id = order[at]
        if (id === undefined) {
          runs.push(run)
          return
        }
        const one = compiled.nodes.get(id)!
        for (const end of endsIn(one, run, given, came)) go(at + 1, new Map([...run, [id, end]]))
      }
      go(0, new Map())
    }
  return runs
}

/** A node that sets a start timeout has a deadline of its own: it may pass whatever comes to the others. */
function endsIn(one: CompiledNode, run: Run, given: Answers, came: boolean): string[] {
  if (one.startTimeoutMs === null) return endsWhen(one, run, given, came)
  return [...new Set([true, false].flatMap((own) => endsWhen(one, run, given, own)))]
}

function endsWhen(one: CompiledNode, run: Run, given: Answers, came: boolean): string[] {
  const event = (type: string): Truth => {
    const source = producerOf(type)
    if (source === 'pipeline') return 'true'
    if (source === 'external') return came ? 'true' : one.startTimeoutMs === null ? 'pending' : 'dead'
    const end = run.get(source) ?? 'pending'
    if (end === 'pending') return 'pending'
    return happened[end]?.includes(type.slice(source.length + 1)) ? 'true' : 'dead'
  }
  const result = evaluateStartWhen(one.gate, {
    event,
    condition(atom) {
      const ends = atom.expression.reads.map(({ root }) =>
        root === 'pipeline.input' ? 'completed' : run.get(root),
      )
      if (ends.includes('pending')) return { truth: 'pending' }
      if (!ends.every((end) => made.has(end ?? '')))
        return { error: { kind: 'variable_not_found', message: 'not there' } }
      const [, m] = /m == (\d)/.exec(atom.source) ?? []
      const holds = m !== undefined ? given.m === Number(m) : atom.source.endsWith('v') ? given.v : given.f
      return { truth: holds !== atom.source.startsWith('!') ? 'true' : 'dead' }
    },
  })
  if (result.error) return ['errored']
  if (result.truth === 'pending') return ['pending']
  if (result.truth === 'dead') return ['skipped']
  return one.kind === 'approval' ? ['approved', 'rejected', 'failed'] : ['completed', 'failed']
}

/** Ends after which the variables of a node are there; an approval tells who decided either way. */
const made = new Set(['completed', 'approved', 'rejected'])
const hasStarted = (run: Run, id: string) => happened[run.get(id) ?? '']?.includes('started') === true
const isThere = (run: Run, id: string) => run.get(id) === 'completed' || run.get(id) === 'approved'

/** Whether some run is as the problem shows it. */
function shows(
  runs: readonly Run[],
  { counterExample }: Problem,
  ...more: ((run: Run) => boolean)[]
): boolean {
  return runs.some(
    (run) =>
      counterExample.every(({ node: id, outcome }) => {
        const end = run.get(id)
        return end === outcome || (end === 'errored' && outcome === 'failed')
      }) && more.every((holds) => holds(run)),
  )
}

/** Gates over the nodes before: their number decides which. */
const gate = (before: number): fc.Arbitrary<string> => {
  const event = fc
    .tuple(
      fc.nat(before - 1),
      fc.constantFrom(
        'completed',
        'completed',
        'completed',
        'failed',
        'skipped',
        'started',
        'approved',
        'rejected',
      ),
    )
    .map(([at, name]) => ({ at, name }))
  const atom = fc.oneof(
    { weight: 6, arbitrary: event.map(({ at, name }) => `event:n${at}.${name}`) },
    { weight: 1, arbitrary: fc.constantFrom('event:external.x', 'event:pipeline.started') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...conditions, '!pipeline.input.f').map((source) => `{{ ${source} }}`),
    },
  )
  return fc.letrec<{ gate: string }>((tie) => ({
    gate: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc
        .tuple(tie('gate'), fc.constantFrom('&&', '||'), tie('gate'))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
      tie('gate').map((inner) => `!(${inner})`),
    ),
  })).gate
}

/** An approval's own events stand only where it is one. */
function possibleEvents(text: string, approvals: readonly boolean[]): string {
  return text.replaceAll(/event:n(\d+)\.(approved|rejected)/g, (whole, at: string, name: string) =>
    approvals[Number(at)] ? whole : `event:n${at}.${name === 'approved' ? 'completed' : 'failed'}`,
  )
}

/** A gate reads only what its node makes: validation refuses the rest, and no proof speaks of it. */
function possibleReads(text: string, making: ReadonlySet<number>): string {
  return text.replaceAll(/\bn(\d+)\.v\b/g, (whole, at: string) =>
    making.has(Number(at)) ? whole : 'pipeline.input.f',
  )
}

const definition: fc.Arbitrary<PipelineDefinition> = fc
  .record({
    approvals: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    gates: fc.tuple(gate(1), gate(2), gate(3), gate(4), gate(5)),
    size: fc.integer({ min: 2, max: 6 }),
    reads: fc.array(fc.option(fc.nat(4)), { minLength: 6, maxLength: 6 }),
    timeouts: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ approvals, gates, size, reads, timeouts }) => {
    const making = new Set<number>()
    const nodes = Array.from({ length: size }, (_, at) => {
      const written = at === 0 ? 'event:pipeline.started' : (gates[at - 1] ?? '')
      const text = possibleReads(possibleEvents(written, approvals), making)
      const extra =
        text.includes('external.x') && (timeouts[at] || /!/.test(text)) ? { startTimeout: '1m' } : {}
      if (approvals[at]) return approval(`n${at}`, text, extra)
      const read = reads[at]
      if (at === 0 && read !== null) {
        making.add(at)
        return set('n0', { v: true }, text, extra)
      }
      if (read === null || read === undefined || read >= at) return node(`n${at}`, text, extra)
      making.add(at)
      return set(
        `n${at}`,
        { v: approvals[read] ? `{{ n${read}.comment }}` : `{{ n${read}.v }}` },
        text,
        extra,
      )
    })
    return pipeline(nodes, {
      inputs: { f: { type: 'boolean', default: true }, m: { type: 'number', default: 1 } },
    }) as PipelineDefinition
  })

function compile(written: PipelineDefinition): CompiledPipeline {
  const compiled = compilePipeline(written, { revision: 1, tasks: taskCatalog })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues))
  return compiled.pipeline
}

const of = (problems: readonly Problem[], code: Problem['code'], at: number) =>
  problems.filter((problem) => problem.code === code && problem.path[1] === at)

const runs = { numRuns: Number(process.env['PENSTOCK_PROOF_RUNS'] ?? 300) }

describe('proofs against every run', () => {
  it('[R-5] [R-6] a gate is said to be never true exactly when no run makes it so, and always when nothing is waited for', () => {
    fc.assert(
      fc.property(definition, (written) => {
        const compiled = compile(written)
        const problems = proveDefinition(compiled)
        const all = runsOf(compiled)
        let blocked = false
        written.nodes.forEach(({ id }, at) => {
          const said = of(problems, 'never_starts', at)
          const never = !all.some((run) => hasStarted(run, id))
          if (said.length > 0 && !blocked) expect([id, never]).toEqual([id, true])
          // A condition may be at fault in more ways than the oracle knows, and a node behind one that never starts is told later.
          const asks = written.nodes.some(({ startWhen }) => startWhen.includes('{{'))
          if (never && !blocked && !asks) expect([id, said.length]).toEqual([id, 1])
          blocked ||= never
          const one = compiled.nodes.get(id)!
          const unasked = evaluateStartWhen(one.gate, {
            event: (type) => (producerOf(type) === 'pipeline' ? 'true' : 'pending'),
            condition: () => ({ truth: 'pending' }),
          })
          const always = unasked.truth === 'true' && gateAtoms(one.gate).length > 1
          expect([id, of(problems, 'always_starts', at).length === 1]).toEqual([id, always])
        })
      }),
      runs,
    )
  })

  it('[R-51] an approval is said to be bypassed exactly when a run starts the node without it', () => {
    fc.assert(
      fc.property(definition, (written) => {
        const compiled = compile(written)
        const problems = proveDefinition(compiled)
        fc.pre(!problems.some(({ code }) => code === 'never_starts'))
        const all = runsOf(compiled)
        written.nodes.forEach(({ id }, at) => {
          for (const other of positivelyNamed(compiled.nodes.get(id)!, /\.(approved|completed)$/)) {
            if (compiled.nodes.get(other)?.kind !== 'approval') continue
            const said = of(problems, 'bypassed_approval', at).filter(({ message }) =>
              message.includes(`of '${other}'`),
            )
            const bypassed = all.some(
              (run) => hasStarted(run, id) && !isThere(run, other) && run.get(other) !== 'pending',
            )
            if (said.length === 1 || isExact(written))
              expect([id, other, said.length === 1]).toEqual([id, other, bypassed])
            for (const problem of said)
              expect(shows(all, problem, (run) => hasStarted(run, id) && !isThere(run, other))).toBe(true)
          }
        })
      }),
      runs,
    )
  })

  it('[R-36] [R-66] a variable is said to be missing exactly when a run starts its reader without it', () => {
    fc.assert(
      fc.property(definition, (written) => {
        const compiled = compile(written)
        const problems = proveDefinition(compiled)
        fc.pre(!problems.some(({ code }) => code === 'never_starts'))
        const all = runsOf(compiled)
        written.nodes.forEach((one, at) => {
          const read = readBy(one)
          const said = of(problems, 'may_be_missing', at)
          if (read === null) return expect(said).toEqual([])
          // Validation refuses to read what its node never makes: no run is asked for it.
          if (!makes(written, read)) return
          const missing = (run: Run) => hasStarted(run, one.id) && !made.has(run.get(read) ?? '')
          if (said.length > 0) expect(said.every((problem) => shows(all, problem, missing))).toBe(true)
          else if (isExact(written) && waits(compiled, one.id, read))
            expect([one.id, all.some((run) => missing(run) && run.get(read) !== 'pending')]).toEqual([
              one.id,
              false,
            ])
        })
      }),
      runs,
    )
  })

  it('[R-70] [R-82] a handler that is said not to be reached is skipped in a run that shows it', () => {
    fc.assert(
      fc.property(definition, (written) => {
        const compiled = compile(written)
        const unreached = proveDefinition(compiled).filter(({ code }) => code === 'unreached_handler')
        fc.pre(unreached.length > 0)
        const all = runsOf(compiled)
        for (const problem of unreached) {
          expect(shows(all, problem)).toBe(true)
          const id = written.nodes[Number(problem.path[1])]!.id
          expect(problem.counterExample).toContainEqual({ node: id, outcome: 'skipped' })
        }
      }),
      { numRuns: 100 },
    )
  })

  it('[R-36] an output is said to be unset exactly when no run makes all that it reads, and to be missing when a run that goes on does not', () => {
    fc.assert(
      fc.property(
        definition,
        fc.nat(5),
        fc.nat(5),
        fc.boolean(),
        fc.nat(5),
        (written, one, other, required, allowed) => {
          const ids = [...new Set([one, other])].map((at) => `n${at % written.nodes.length}`)
          const nodes = written.nodes.map((at, index) =>
            index === allowed ? { ...at, allowFailure: true } : at,
          )
          const value = ids.map((id) => `{{ ${id}.v }}`).join(' ')
          const compiled = compile({ ...written, nodes, outputs: { o: { value, required } } })
          const problems = proveDefinition(compiled)
          fc.pre(!problems.some(({ code }) => code === 'never_starts'))
          const all = runsOf(compiled)
          const isSet = (run: Run) => ids.every((id) => made.has(run.get(id) ?? ''))
          const said = problems.filter(({ path }) => path[0] === 'outputs')
          const asks = nodes.some(({ startWhen }) => startWhen.includes('{{'))
          const unset = said.some(({ code }) => code === 'unset_output')
          if (unset || !asks) expect(unset).toBe(!all.some(isSet))
          const goesOn = (run: Run) =>
            nodes.every(({ id, allowFailure }) => {
              const end = run.get(id) ?? 'pending'
              if (!happened[end]?.includes('failed')) return end !== 'pending'
              return (
                allowFailure || nodes.some((handler) => handles(compiled.nodes.get(handler.id)!, run, id))
              )
            })
          for (const problem of said) {
            if (problem.code !== 'may_be_missing') continue
            expect(required).toBe(true)
            expect(shows(all, problem, goesOn, (run) => !isSet(run))).toBe(true)
          }
        },
      ),
      runs,
    )
  })

  it('[G-4] a fix mends what it is offered for', () => {
    fc.assert(
      fc.property(definition, (written) => {
        for (const { code, path, fix, message } of proveDefinition(compile(written))) {
          if (fix === undefined) continue
          const mended = structuredClone(written)
          mended.nodes[Number(path[1])]!.startWhen = fix.value
          const left = of(proveDefinition(compile(mended)), code, Number(path[1]))
          // Of several approvals that can be bypassed each has a fix of its own.
          const subject = message.split(':')[0] ?? ''
          expect(left.filter((problem) => problem.message.startsWith(subject))).toEqual([])
        }
      }),
      runs,
    )
  })

  it('an edit is proven as if all were new', () => {
    fc.assert(
      fc.property(definition, definition, fc.nat(5), (first, second, at) => {
        const prover = createProver()
        prover(compile(first))
        const edited = {
          ...first,
          nodes: first.nodes.map((one, index) => (index === at ? (second.nodes[at] ?? one) : one)),
        }
        const again = compile(edited)
        expect(prover(again)).toEqual(proveDefinition(again))
        expect(prover(compile(first))).toEqual(proveDefinition(compile(first)))
      }),
      runs,
    )
  })
})

function positivelyNamed(one: CompiledNode, names: RegExp): Set<string> {
  const types = gateAtoms(one.gate).flatMap(({ atom, negated }) =>
    atom.kind === 'event' && !negated ? [atom.type] : [],
  )
  return new Set(types.filter((type) => names.test(type)).map(producerOf))
}

/** A gate that cannot be evaluated is no way to show anything, though it can happen. */
const isExact = ({ nodes }: PipelineDefinition) => !nodes.some(({ startWhen }) => startWhen.includes('n0.v'))

/** It started, and an event of the failure is one of those that let it. */
function handles(one: CompiledNode, run: Run, failed: string): boolean {
  const named = positivelyNamed(one, /\.(failed|rejected|timeout)$/)
  return named.has(failed) && hasStarted(run, one.id)
}

function readBy({ inputBindings }: NodeDefinition): string | null {
  return /\{\{ (\w+)\./.exec(String(inputBindings?.['v'] ?? ''))?.[1] ?? null
}

const makes = ({ nodes }: PipelineDefinition, id: string) =>
  nodes.some((node) => node.id === id && node.task !== 'noop')

function waits(compiled: CompiledPipeline, id: string, ancestor: string): boolean {
  const before = compiled.edges
    .filter(({ to, kind }) => to === id && kind === 'event')
    .map(({ from }) => from)
  return before.includes(ancestor) || before.some((other) => waits(compiled, other, ancestor))
}
