import type { RetryPolicy } from '@/core/pipeline/definition/node-parts'

/**
 * Milliseconds until the next try after `failed` failed attempts (1 …) [R-8b, H-O3]: fixed d, linear d·n, exponential d·2^(n-1),
 * fibonacci d·fib(n), risk-adaptive d·2^(n-1)·(1+risk); moved by at most `jitter` of itself, then never more than `maxDelayMs`. `chance` is in [0, 1).
 */
export function retryDelay(policy: RetryPolicy, failed: number, chance: number): number {
  const factor = {
    fixed: () => 1,
    linear: () => failed,
    exponential: () => 2 ** (failed - 1),
    fibonacci: () => fibonacci(failed),
    'risk-adaptive': () => 2 ** (failed - 1) * (1 + policy.risk),
  }
  const spread = 1 + policy.jitter * (2 * chance - 1)
  return Math.round(Math.min(policy.maxDelayMs, policy.delayMs * factor[policy.strategy]() * spread))
}

function fibonacci(n: number): number {
  let [a, b] = [1, 1]
  for (let step = 1; step < n; step++) [a, b] = [b, a + b]
  return a
}

/** A number in [0, 1) that a text decides (FNV-1a): the jitter of an attempt is the same whenever it is computed. */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return (Math.imul(hash, 0x2c1b3c6d) >>> 0) / 4_294_967_296
}
