import { createRehearser } from '@/components/editor/model/rehearsal/rehearser'
import { answerInWorker } from '@/components/editor/worker'

/** Runs in the worker that `open-rehearser.ts` opens. */

answerInWorker(createRehearser())
