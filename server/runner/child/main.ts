import { childTasks } from '@/server/tasks/child-tasks'
import { serve } from './serve'

serve(import.meta.url, childTasks)
