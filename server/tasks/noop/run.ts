import type { TaskRun } from '@/server/ports/runner'

/** Does nothing. */
export const run: TaskRun = async () => ({})
