import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition'
import type { Random } from './random'

/** A definition that compiles: a DAG of `size` nodes with joins, branches, conditions, waits, people and failures. */
export function randomPipeline(
  random: Random,
  id: string,
  size: number,
  children: readonly string[],
): PipelineDefinition {
  const nodes: NodeDefinition[] = []
  for (let index = 0; index < size; index++) nodes.push(randomNode(random, index, nodes, children))
  if (random.chance(0.4)) {
    const ends = ['completed', 'failed', 'cancelled']
      .filter(() => random.chance(0.7))
      .map((end) => `event:pipeline.${end}`)
    const task = random.pick(['noop', 'fail', 'script.javascript'])
    nodes.push({
      ...taskOf(task),
      id: 'clean',
      finally: true,
      startWhen: ends.join(' || ') || 'event:pipeline.completed',
    })
  }
  const policy = {
    ...(random.chance(0.25) ? { failFast: true } : {}),
    ...(random.chance(0.1) ? { timeout: `${random.whole(1, 60)}s` } : {}),
    priority: random.whole(0, 9),
    ...(random.chance(0.3) ? { maxRunning: random.whole(1, 2) } : {}),
  }
  return { schemaVersion: 1, id, name: id, policy, nodes }
}

function randomNode(
  random: Random,
  index: number,
  before: readonly NodeDefinition[],
  children: readonly string[],
): NodeDefinition {
  const id = `n${index}`
  const startWhen =
    before.length === 0 || random.chance(0.2) ? 'event:pipeline.started' : randomGate(random, before, 2)
  const external = startWhen.includes('event:external')
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
  const work =
    children.length > 0 && random.chance(0.2) ? { pipeline: random.pick(children) } : taskOf(task, random)
  return {
    ...work,
    id,
    startWhen,
    ...(external ? { startTimeout: `${random.whole(1, 60)}s` } : {}),
    ...(random.chance(0.2) ? { allowFailure: true } : {}),
    ...(task === 'script.javascript' && random.chance(0.3)
      ? { timeout: `${random.whole(50, 3_000)}ms` }
      : {}),
    ...(task === 'script.javascript' && random.chance(0.2) ? { onLost: 'fail' as const } : {}),
    ...(random.chance(0.2) ? { priority: random.whole(0, 9) } : {}),
    ...(!('task' in work && task === 'approval') && random.chance(0.25)
      ? { retry: randomRetry(random) }
      : {}),
    ...(!('task' in work && task === 'approval') && random.chance(0.2)
      ? { forEach: randomForEach(random) }
      : {}),
  }
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

function randomForEach(random: Random): NonNullable<NodeDefinition['forEach']> {
  return {
    items: Array.from({ length: random.whole(0, 6) }, (_, index) => index),
    ...(random.chance(0.5) ? { concurrency: random.whole(1, 3) } : {}),
    ...(random.chance(0.4) ? { allowFailures: true } : {}),
  }
}

function taskOf(task: string, random?: Random): Pick<NodeDefinition, 'task' | 'inputBindings'> {
  switch (task) {
    case 'set':
      return { task, inputBindings: { v: random?.whole(0, 9) ?? 0 } }
    case 'fail':
      return { task, inputBindings: { message: 'as asked' } }
    case 'wait':
      return { task, inputBindings: { duration: `${random?.whole(1, 20_000) ?? 1}ms` } }
    case 'script.javascript':
      return { task, inputBindings: { code: 'return 1' } }
    case 'approval': {
      const timeout = random?.chance(0.5)
        ? { timeout: `${random.whole(1, 30)}s`, onTimeout: random.pick(['fail', 'approve']) }
        : {}
      const quorum = random?.chance(0.3) ? { quorum: 2 } : {}
      return {
        task,
        inputBindings: { message: 'well?', approvers: ['role:approver'], ...quorum, ...timeout },
      }
    }
    default:
      return { task }
  }
}

function randomGate(random: Random, before: readonly NodeDefinition[], depth: number): string {
  const kind = depth === 0 ? 'atom' : random.pick(['atom', 'atom', 'and', 'and', 'or', 'not'])
  switch (kind) {
    case 'and':
    case 'or': {
      const terms = Array.from(
        { length: random.whole(2, 3) },
        () => `(${randomGate(random, before, depth - 1)})`,
      )
      return terms.join(kind === 'and' ? ' && ' : ' || ')
    }
    case 'not':
      return `!(${randomGate(random, before, depth - 1)})`
    default:
      return randomAtom(random, before)
  }
}

function randomAtom(random: Random, before: readonly NodeDefinition[]): string {
  const node = random.pick(before)
  if (random.chance(0.1)) return `event:external.e${random.whole(0, 2)}`
  if (node.task === 'set' && random.chance(0.4))
    return `event:${node.id}.completed && {{ ${node.id}.v > ${random.whole(0, 9)} }}`
  const words = ['completed', 'completed', 'completed', 'failed', 'skipped', 'started']
  if (node.task === 'approval') words.push('approved', 'approved', 'rejected', 'timeout')
  return `event:${node.id}.${random.pick(words)}`
}
