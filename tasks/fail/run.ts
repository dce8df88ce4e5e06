import { runComputed } from '@/tasks/support/computed'
import { fail } from './contract'

/** Fails with `message` and `kind` (a word: letters, digits and underscores; default `task_failed`). */
export const run = runComputed(fail.compute)
