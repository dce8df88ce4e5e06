import { runComputed } from '@/tasks/support/computed'
import { set } from './contract'

/** Gives its inputs back as outputs of the same names. */
export const run = runComputed(set.compute)
