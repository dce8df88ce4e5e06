import type { Shown } from '@/components/editor/model/rehearsal/rehearser'
import { runStatus } from '@/components/ui/run-badge'
import type { Status } from '@/components/ui/status'

/** How a rehearsal ends, as runs are shown. */
export const endOf = ({ end, view }: Pick<Shown, 'end' | 'view'>): Status =>
  runStatus({ status: end.status, handled_failures: view.handled_failures, error: view.error })
