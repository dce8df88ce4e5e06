import { runComputed } from '@/server/tasks/computed'

/** Fails with `message` and `kind` (a word: letters, digits and underscores; default `task_failed`). */
export const run = runComputed('fail')
