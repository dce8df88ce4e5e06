'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api, client, pageByPage, problemOf } from '@/components/api'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'

/** The log lines of a node, followed while it works. Only what was read is in the page; more is read on demand. */
export function Logs({ executionId, nodeId, live }: { executionId: string; nodeId: string; live: boolean }) {
  const input = { execution_id: executionId, node_id: nodeId, limit: 500 }
  const logs = useInfiniteQuery({
    ...pageByPage(api.executions.logs.infiniteQueryKey(input), client.executions.logs.query, input),
    refetchInterval: live ? 1_000 : false,
  })
  // The last lines are written before the attempt ends, and may be younger than the last reading.
  const { refetch } = logs
  const wasLive = useRef(live)
  useEffect(() => {
    if (wasLive.current && !live) void refetch()
    wasLive.current = live
  }, [live, refetch])
  const lines = logs.data?.pages.flatMap((page) => page.items) ?? []
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [lines.length])

  if (logs.error !== null) return <p className="text-danger">{problemOf(logs.error).message}</p>
  if (lines.length === 0)
    return <p className="text-faint">{logs.isPending ? '…' : 'It has printed nothing.'}</p>
  return (
    <>
      <div
        ref={box}
        tabIndex={0}
        role="log"
        aria-label="Log lines"
        onScroll={(event) => {
          const element = event.currentTarget
          atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24
        }}
        className="max-h-72 overflow-auto rounded-md border border-line bg-sunken py-1.5 font-mono text-[11px] leading-[18px]"
      >
        {lines.map((line) => (
          <div key={line.n} className="flex gap-2 px-2.5 hover:bg-surface">
            <span className="shrink-0 text-faint select-none">{line.timestamp.slice(11, 23)}</span>
            <span
              className={cn(
                'min-w-0 break-words whitespace-pre-wrap',
                line.stream === 'stderr' && 'text-failed',
              )}
            >
              {line.text}
            </span>
          </div>
        ))}
      </div>
      <div className="mt-2 flex gap-2">
        {logs.hasNextPage && (
          <Button size="small" disabled={logs.isFetchingNextPage} onClick={() => void logs.fetchNextPage()}>
            More lines
          </Button>
        )}
        <Button
          size="small"
          tone="quiet"
          onClick={() => download(`${nodeId}.log`, lines.map((line) => line.text).join('\n'))}
        >
          <Download aria-hidden /> Download what is shown
        </Button>
      </div>
    </>
  )
}

function download(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
