import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { isExternal } from '@/core/pipeline/gate/event-type'
import { eventsOf, startWhenOf, type Formula } from '@/testing/formula'
import type { Random } from './random'

/** A definition, and its start conditions as formulas by node. */
export type RandomPipeline = {
  readonly definition: PipelineDefinition
  readonly gates: ReadonlyMap<string, Formula>
}

/** A definition that compiles: a DAG of `size` nodes with joins, branches, conditions, waits, people, lists and failures. */
export function randomPipeline(
  random: Random,
  id: string,
  size: number,
  children: readonly string[],
): RandomPipeline {
  const gates = new Map<string, Formula>()
  const nodes: NodeDefinition[] = []
  for (let index = 0; index < size; index++) {
    const gate: Formula =
      nodes.length === 0 || random.chance(0.2)
        ? { kind: 'event', type: 'pipeline.started' }
        : randomGate(random, nodes, 2)
    gates.set(`n${index}`, gate)
    nodes.push(randomNode(random, `n${index}`, gate, { before: nodes, children }))
  }
  if (random.chance(0.4)) {
    const ends = ['completed', 'failed', 'cancelled'].filter(() => random.chance(0.7))
    const terms = (ends.length === 0 ? ['completed'] : ends).map((end): Formula => ({
      kind: 'event',
      type: `pipeline.${end}`,
    }))
    const gate: Formula = terms.length === 1 ? terms[0]! : { kind: 'or', terms }
    gates.set('clean', gate)
    const task = random.pick(['noop', 'fail', 'script.javascript'])
    nodes.push({ ...taskOf(task, random), id: 'clean', finally: true, startWhen: startWhenOf(gate) })
  }
  const policy = {
    ...(random.chance(0.25) ? { failFast: true } : {}),
    ...(random.chance(0.1) ? { timeout: `${random.whole(1, 60)}s` } : {}),
    priority: random.whole(0, 9),
    ...(random.chance(0.3) ? { maxRunning: random.whole(1, 2) } : {}),
    ...(random.chance(0.25) ? { rollback: randomRollback(random) } : {}),
  }
  const outputs = Object.fromEntries(
    nodes
      .filter(({ task, finally: last }) => task === 'set' && last !== true && random.chance(0.2))
      .map((node) => [node.id, { value: `{{ ${node.id}.v }}`, required: random.chance(0.3) }]),
  )
  return { definition: { schemaVersion: 1, id, name: id, policy, outputs, nodes }, gates }
}

function randomNode(
  random: Random,
  id: string,
  gate: Formula,
  { before, children }: { before: readonly NodeDefinition[]; children: readonly string[] },
): NodeDefinition {
  const external = eventsOf(gate).some(({ type }) => isExternal(type))
  const task = random.pick([
    'noop',
    'noop',
    'set',
    'set',
    'fail',
    'script.javascript',
    'script.javascript',
    'wait',
    'approval',
  ])
  // Two of them at most, each over a short list: pipelines within pipelines multiply.
  const parents = before.filter((node) => node.pipeline !== undefined).length
  const child = children.length > 0 && parents < 2 && random.chance(0.3)
  const script = !child && task === 'script.javascript'
  const people = !child && task === 'approval'
  return {
    ...(child ? { pipeline: random.pick(children) } : taskOf(task, random, upstreamValue(gate, before))),
    id,
    startWhen: startWhenOf(gate),
    ...(external ? { startTimeout: `${random.whole(1, 60)}s` } : {}),
    ...(random.chance(0.2) ? { allowFailure: true } : {}),
    ...(script && random.chance(0.3) ? { timeout: `${random.whole(50, 3_000)}ms` } : {}),
    ...(script && random.chance(0.2) ? { onLost: 'fail' as const } : {}),
    ...(random.chance(0.2) ? { priority: random.whole(0, 9) } : {}),
    ...(!people && random.chance(0.25) ? { retry: randomRetry(random) } : {}),
    ...(!people && random.chance(0.2) ? { forEach: randomForEach(random, child ? 2 : 6) } : {}),
    ...(random.chance(0.3) ? { rollback: randomCompensation(random) } : {}),
  }
}

function randomRollback(random: Random): NonNullable<NonNullable<PipelineDefinition['policy']>['rollback']> {
  return {
    on: random.pick(['failed', ['failed', 'timeout']] as const) as 'failed',
    maxAttempts: random.whole(1, 3),
    ...(random.chance(0.4) ? { scope: 'phase' as const } : {}),
  }
}

/** Work in a child process, now and then with failures, and now and then for good. */
function randomCompensation(random: Random): NonNullable<NodeDefinition['rollback']> {
  if (random.chance(0.05)) return { irreversible: true }
  const fails = [random.pick([0, 0, 0, 1, 2])]
  return {
    task: 'script.javascript',
    inputBindings: { code: 'return 1', input: { fails } },
    ...(random.chance(0.7) ? { retry: { maxAttempts: 3, delay: '100ms' } } : {}),
    ...(random.chance(0.3) ? { timeout: `${random.whole(50, 3_000)}ms` } : {}),
  }
}

/** A node whose value is there for sure when this gate opens: values travel along plain edges. */
function upstreamValue(gate: Formula, before: readonly NodeDefinition[]): string | null {
  if (gate.kind !== 'event') return null
  const source = before.find(({ id }) => gate.type === `${id}.completed`)
  return source?.task === 'set' && source.forEach === undefined ? source.id : null
}

function randomRetry(random: Random): NonNullable<NodeDefinition['retry']> {
  return {
    maxAttempts: random.whole(2, 4),
    strategy: random.pick(['fixed', 'linear', 'exponential', 'fibonacci', 'risk-adaptive']),
    delay: `${random.whole(0, 2_000)}ms`,
    maxDelay: '4s',
    ...(random.chance(0.3) ? { when: '{{ attempts < 3 }}' } : {}),
  }
}

function randomForEach(random: Random, most: number): NonNullable<NodeDefinition['forEach']> {
  return {
    items: Array.from({ length: random.whole(0, most) }, (_, index) => index),
    ...(random.chance(0.5) ? { concurrency: random.whole(1, 3) } : {}),
    ...(random.chance(0.4) ? { allowFailures: true } : {}),
  }
}

function taskOf(
  task: string,
  random: Random,
  upstream: string | null = null,
): Pick<NodeDefinition, 'task' | 'inputBindings'> {
  switch (task) {
    case 'set':
      return upstream !== null && random.chance(0.7)
        ? { task, inputBindings: { v: `{{ ${upstream}.v + 1 }}` } }
        : { task, inputBindings: { v: random.whole(0, 9) } }
    case 'fail':
      return { task, inputBindings: { message: 'as asked' } }
    case 'wait':
      return { task, inputBindings: { duration: `${random.whole(1, 20_000)}ms` } }
    case 'script.javascript': {
      const fails = Array.from({ length: random.whole(1, 3) }, () => random.pick([0, 0, 1, 2, 3]))
      return { task, inputBindings: { code: 'return 1', input: { fails } } }
    }
    case 'approval': {
      const timeout = random.chance(0.5)
        ? { timeout: `${random.whole(1, 30)}s`, onTimeout: random.pick(['fail', 'approve']) }
        : {}
      const quorum = random.chance(0.3) ? { quorum: 2 } : {}
      return {
        task,
        inputBindings: { message: 'well?', approvers: ['role:approver'], ...quorum, ...timeout },
      }
    }
    default:
      return { task }
  }
}

function randomGate(random: Random, before: readonly NodeDefinition[], depth: number): Formula {
  const kind = depth === 0 ? 'atom' : random.pick(['atom', 'atom', 'and', 'and', 'or', 'not'] as const)
  switch (kind) {
    case 'and':
    case 'or': {
      const terms = Array.from({ length: random.whole(2, 3) }, () => randomGate(random, before, depth - 1))
      return { kind, terms }
    }
    case 'not':
      return { kind, term: randomGate(random, before, depth - 1) }
    default:
      return randomAtom(random, before)
  }
}

function randomAtom(random: Random, before: readonly NodeDefinition[]): Formula {
  const node = random.pick(before)
  if (random.chance(0.1)) return { kind: 'event', type: `external.e${random.whole(0, 2)}` }
  if (node.task === 'set' && random.chance(0.4)) {
    const above: Formula = { kind: 'above', node: node.id, than: random.whole(0, 9) }
    // Now and then nothing makes sure that the value is there: asking for it may be an error.
    if (random.chance(0.15)) return above
    return { kind: 'and', terms: [{ kind: 'event', type: `${node.id}.completed` }, above] }
  }
  const words = ['completed', 'completed', 'completed', 'failed', 'skipped', 'started']
  if (node.task === 'approval') words.push('approved', 'approved', 'rejected', 'timeout')
  return { kind: 'event', type: `${node.id}.${random.pick(words)}` }
}
