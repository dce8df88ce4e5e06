import { Check, CircleDashed, X } from 'lucide-react'
import type { ExplainNode } from '@/core/engine/view/view'
import { cn } from '@/components/ui/class-names'

const faces = {
  true: { icon: Check, word: 'true', ink: 'text-completed' },
  dead: { icon: X, word: 'can no longer be true', ink: 'text-failed' },
  pending: { icon: CircleDashed, word: 'still open', ink: 'text-waiting' },
} as const

const joints = { or: 'any of', and: 'all of', not: 'not' } as const

/** A start condition, leaf by leaf: what is true, what can no longer be true, and who can make the rest true. */
export function ExplainTree({ tree }: { tree: ExplainNode }) {
  return (
    <ul className="text-xs leading-5">
      <Branch node={tree} />
    </ul>
  )
}

function Branch({ node }: { node: ExplainNode }) {
  const { icon: Icon, word, ink } = faces[node.truth]
  const leaf = node.kind === 'event' || node.kind === 'condition'
  return (
    <li>
      <div className="flex items-start gap-1.5">
        <Icon aria-label={word} className={cn('mt-1 size-3 shrink-0', ink)} />
        <div className="min-w-0">
          {leaf ? (
            <code className="break-words">{node.text}</code>
          ) : (
            <span className="font-medium text-muted">{joints[node.kind as keyof typeof joints]}</span>
          )}
          {node.why !== null && <span className="block break-words text-faint">{node.why}</span>}
        </div>
      </div>
      {node.terms.length > 0 && (
        <ul className="ml-[5px] border-l border-line pl-3">
          {node.terms.map((term, index) => (
            <Branch key={`${index} ${term.text}`} node={term} />
          ))}
        </ul>
      )}
    </li>
  )
}
