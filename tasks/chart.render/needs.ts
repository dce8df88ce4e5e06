import { chartRender } from './contract'
import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'

export const needs: ChildTaskNeeds = {
  staged: chartRender.takesFiles,
  files: ['artifact'],
  network: false,
  memory: () => null,
  startsPrograms: null,
}
