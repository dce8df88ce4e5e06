import type { Finding } from '@/core/pipeline/check/check'
import type { Problem } from '@/core/pipeline/proof/problem'

/** A finding about a definition, as answers carry it: without an example where no run has a part in it. */
export type WireFinding = Omit<Finding, 'counterExample'> & {
  counter_example?: Problem['counterExample']
}

export function wireFinding({ counterExample, ...finding }: Finding): WireFinding {
  return counterExample.length === 0 ? finding : { ...finding, counter_example: counterExample }
}
