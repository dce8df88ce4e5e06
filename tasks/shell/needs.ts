import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'

export const needs: ChildTaskNeeds = {
  staged: { input: 'files', many: true },
  files: ['artifacts'],
  network: true,
  memory: () => null,
  startsPrograms: { graceMs: 5_000 },
}
