import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'
import { scriptMemory } from './memory'

export const needs: ChildTaskNeeds = {
  staged: null,
  files: [],
  network: false,
  memory: scriptMemory,
  startsPrograms: null,
}
