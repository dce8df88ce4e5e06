'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, client, followLog, pageByPage, problemOf, type LogLine } from '@/components/api'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { appendLines } from './log-lines'

/** Lines that are read at once. */
const pageSize = 500

/**
 * The log lines of a node: what was written is read page by page, what is written while it works comes by the stream after it.
 * Only the latest lines that came so are kept in the page.
 */
function useLines(executionId: string, nodeId: string, live: boolean) {
  const input = { execution_id: executionId, node_id: nodeId, limit: pageSize }
  const stored = useInfiniteQuery(
    pageByPage(api.executions.logs.infiniteQueryKey(input), client.executions.logs.query, input),
  )
  const lines: readonly LogLine[] = stored.data?.pages.flatMap((page) => page.items) ?? []
  const [followed, setFollowed] = useState<readonly LogLine[]>([])
  const last = useRef(0)
  useEffect(() => {
    last.current = followed.at(-1)?.n ?? lines.at(-1)?.n ?? 0
  })
  const loaded = stored.isSuccess
  const wasLive = useRef(live)
  useEffect(() => {
    if (!loaded) return
    const append = (more: readonly LogLine[]) => setFollowed((kept) => appendLines(kept, more))
    if (!live) {
      // The last lines are written before the attempt ends, and may be younger than the last that came.
      if (wasLive.current)
        void client.executions.logs
          .query({ execution_id: executionId, node_id: nodeId, limit: pageSize, after: last.current })
          .then(
            (page) => append(page.items),
            () => {},
          )
      wasLive.current = false
      return
    }
    wasLive.current = true
    return followLog({ executionId, nodeId }, last.current, append)
  }, [executionId, nodeId, live, loaded])
  const end = lines.at(-1)?.n ?? 0
  return {
    stored,
    lines: [...lines, ...followed.filter((line) => line.n > end)],
    /** Pages of what is stored lie before what came by the stream: once that is there, nothing is missing between. */
    hasMore: stored.hasNextPage && followed.length === 0,
  }
}

/** The log lines of a node, followed while it works. Only what was read is in the page; more is read on demand. */
export function Logs({ executionId, nodeId, live }: { executionId: string; nodeId: string; live: boolean }) {
  const { stored: logs, lines, hasMore } = useLines(executionId, nodeId, live)
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const newest = lines.at(-1)?.n
  useEffect(() => {
    const element = box.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [newest])

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
            {line.item !== null && (
              <span className="shrink-0 text-faint" title={`Item ${line.item}`}>
                [{line.item}]
              </span>
            )}
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
        {hasMore && (
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
