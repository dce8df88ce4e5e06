import { TimelineTab } from '@/components/execution/timeline-tab'

export default function ExecutionTimelinePage() {
  return <TimelineTab />
}
