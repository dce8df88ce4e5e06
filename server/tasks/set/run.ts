import type { TaskRun } from '@/server/ports/runner'

/** Gives its inputs back as outputs of the same names. */
export const run: TaskRun = async (input) => ({ ...input })
