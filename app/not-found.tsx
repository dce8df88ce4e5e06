import { Compass } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { Button } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/states'

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>Not found · Penstock</title>
      <div className="w-full max-w-md rounded-lg border border-line bg-surface shadow-card">
        <EmptyState
          icon={Compass}
          heading="h1"
          title="Page not found"
          action={
            <Button asChild tone="primary">
              <Link href="/">Go to the overview</Link>
            </Button>
          }
        >
          Check the address. What it pointed to may have been removed.
        </EmptyState>
      </div>
    </main>
  )
}
