import { shell } from './contract'
import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'

export const needs: ChildTaskNeeds = {
  staged: shell.takesFiles,
  files: ['artifacts'],
  network: true,
  memory: () => null,
  startsPrograms: { graceMs: 5_000 },
}
