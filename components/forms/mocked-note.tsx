import { FlaskConical } from 'lucide-react'
import type { MockedValue } from '@/core/engine/event'

/** Warns whoever decides: which values of the question come from mocks, and from which. */
export function MockedNote({
  mocked,
  isRunMocked,
}: {
  mocked: readonly MockedValue[]
  /** The run holds values from mocks, though the question may show none. */
  isRunMocked: boolean
}) {
  if (!isRunMocked && mocked.length === 0) return null
  return (
    <div
      role="note"
      className="flex items-start gap-2 rounded-md border border-dashed border-warning/60 px-2.5 py-1.5 text-xs"
    >
      <FlaskConical aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warning" />
      {mocked.length === 0 ? (
        <p className="min-w-0">This run uses mocks. No value in the question comes from one.</p>
      ) : (
        <p className="min-w-0 break-words">
          <span className="font-medium text-warning">Values from mocks: </span>
          {mocked.map(({ value, mocks }, at) => (
            <span key={value}>
              {at > 0 && '; '}
              <code>{value}</code>
              {originText(value, mocks)}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}

/** From which mocks a value was computed; '' where its name says it. */
function originText(value: string, mocks: readonly string[]): string {
  const others = mocks.filter((mock) => value !== mock && !value.startsWith(`${mock}.`))
  return others.length === 0 ? '' : ` (computed from ${others.join(', ')})`
}
