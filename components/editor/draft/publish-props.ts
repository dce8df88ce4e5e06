import type { Problem } from '@/components/editor/model/problems/problem-list'

export type PublishProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
}
