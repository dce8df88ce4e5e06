import { runComputed } from '@/tasks/support/computed'
import { noop } from './contract'

/** Does nothing. */
export const run = runComputed(noop.compute)
