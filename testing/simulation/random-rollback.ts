import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { Random } from './random'

/** The definition with a policy that rolls runs back, now and then, and with compensations of some of its nodes. */
export function withRollback(definition: PipelineDefinition, random: Random): PipelineDefinition {
  const policy = {
    ...definition.policy,
    ...(random.chance(0.25) ? { rollback: randomRollback(random) } : {}),
  }
  const nodes = definition.nodes.map((node) =>
    node.finally !== true && random.chance(0.3) ? { ...node, rollback: randomCompensation(random) } : node,
  )
  return { ...definition, policy, nodes }
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
