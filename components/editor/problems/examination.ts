import { openAside, openInPlace, type Aside } from '@/components/editor/aside'
import type { Finding } from '@/core/pipeline/check/check'
import type { Question } from './examiner'

/** Where a draft is examined: one question after the other. */
export type Examination = Aside<Question, readonly Finding[]>

/** A worker of its own: whatever a definition costs, the page stays as it is. Throws where no worker can be had. */
export const openWorker = (): Examination =>
  openAside(new Worker(new URL('./check-worker.ts', import.meta.url)))

/** The page itself. */
export const openInPage = (): Examination =>
  openInPlace(() => import('./examiner').then(({ createExaminer }) => createExaminer()))
