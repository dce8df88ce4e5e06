import { createDraftChecker } from '@/components/editor/model/problems/checker'
import { answerInWorker } from '@/components/editor/worker'

/** Runs in the worker that `open-checker.ts` opens. */

answerInWorker(createDraftChecker())
