import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'

export const needs: ChildTaskNeeds = {
  staged: { input: 'data', many: false },
  files: ['artifact'],
  network: false,
  memory: () => null,
  startsPrograms: null,
}
