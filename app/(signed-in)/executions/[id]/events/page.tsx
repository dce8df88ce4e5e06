import { EventsTab } from '@/components/execution/events-tab'

export default function ExecutionEventsPage() {
  return <EventsTab />
}
