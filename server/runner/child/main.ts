import { childTasks } from '@/tasks/child-runs'
import { serve } from './serve'

serve(import.meta.url, childTasks)
