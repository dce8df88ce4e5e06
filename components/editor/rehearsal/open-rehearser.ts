import { openInPage } from '@/components/editor/model/background'
import {
  createRehearserClient,
  type RehearserClient,
  type RehearserResponder,
} from '@/components/editor/model/rehearsal/rehearser-client'
import { openWorker } from '@/components/editor/worker'

/** Throws where no worker is available. */
const openRehearserWorker = (): RehearserResponder =>
  openWorker(new Worker(new URL('./rehearse-worker.ts', import.meta.url)))

const openRehearserInPage = (): RehearserResponder =>
  openInPage(() =>
    import('@/components/editor/model/rehearsal/rehearser').then(({ createRehearser }) => createRehearser()),
  )

/** A rehearser in a worker of its own, or in the page where no worker is available. */
export const createWorkerRehearser = (): RehearserClient =>
  createRehearserClient(openRehearserWorker, openRehearserInPage)
