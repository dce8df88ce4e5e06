import { openInPage } from '@/components/editor/model/background'
import type { Checker } from '@/components/editor/model/problems/checker'
import { createChecks, type ChecksStore } from '@/components/editor/model/problems/checks'
import { openWorker } from '@/components/editor/worker'

/** Throws where no worker is available. */
const openCheckerWorker = (): Checker => openWorker(new Worker(new URL('./check-worker.ts', import.meta.url)))

const openCheckerInPage = (): Checker =>
  openInPage(() =>
    import('@/components/editor/model/problems/checker').then(({ createDraftChecker }) =>
      createDraftChecker(),
    ),
  )

/** Checks that run in a worker, or in the page where no worker is available. */
export const createWorkerChecks = (): ChecksStore => createChecks(openCheckerWorker, openCheckerInPage)
