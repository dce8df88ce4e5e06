import type { AttemptResult } from '@/server/ports/runner'
import type { Receipt, Report, StopReason, WorkerLink } from './worker-protocol'

/** What becomes of an attempt that is ended from outside. */
export function verdictOf(reason: StopReason): AttemptResult {
  if (reason === 'shutdown') return { ok: 'lost', reason: 'the server is shutting down' }
  const message = reason === 'timeout' ? 'took longer than its timeout' : 'was cancelled while it ran'
  return { ok: false, error: { kind: reason, message } }
}

/** Reports the end of an attempt to the server. */
export function reportEnd(
  link: WorkerLink,
  { work, token }: { readonly work: string; readonly token: number },
  result: AttemptResult,
): Receipt | Promise<Receipt> {
  return link.report(reportOf(work, token, result))
}

function reportOf(work: string, token: number, result: AttemptResult): Report {
  switch (result.ok) {
    case true:
      return { type: 'complete', work, token, outputs: result.outputs }
    case false:
      return { type: 'fail', work, token, error: result.error }
    case 'lost':
      return { type: 'lose', work, token, reason: result.reason }
  }
}
