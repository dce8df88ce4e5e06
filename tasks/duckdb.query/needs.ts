import { duckdbQuery } from './contract'
import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'

export const needs: ChildTaskNeeds = {
  staged: duckdbQuery.takesFiles,
  files: ['artifact'],
  network: false,
  memory: () => null,
  startsPrograms: null,
}
