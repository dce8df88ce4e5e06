import { runComputed } from '@/server/tasks/computed'

/** Does nothing. */
export const run = runComputed('noop')
