import type { StartWhen } from '@/core/pipeline/gate/start-when'

/** A mark at the gate of a card. A plain AND is marked only where it can be changed. */
export type GateMark = 'and' | 'or' | 'not' | 'condition'

/** The marks of a gate. */
export function gateMarks(gate: StartWhen): GateMark[] {
  const found = new Set<GateMark>()
  const walk = (part: StartWhen) => {
    switch (part.kind) {
      case 'or':
      case 'and':
        if (part.kind === 'or') found.add('or')
        part.terms.forEach(walk)
        return
      case 'not':
        found.add('not')
        walk(part.term)
        return
      case 'condition':
        found.add('condition')
        return
      case 'event':
        return
    }
  }
  walk(gate)
  return (['or', 'not', 'condition'] as const).filter((mark) => found.has(mark))
}
