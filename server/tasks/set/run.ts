import { runComputed } from '@/server/tasks/computed'

/** Gives its inputs back as outputs of the same names. */
export const run = runComputed('set')
