'use client'

import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, client, followLog, pageByPage, problemOf, type LogLine } from '@/components/api'
import { AnsiText } from '@/components/ui/ansi-text'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { download } from '@/components/ui/download'
import { Input, Select } from '@/components/ui/field'
import { appendLines, filterLines, lineText } from './log-lines'

/** Lines in one request. */
const pageSize = 500

/**
 * The log lines of a node: stored lines are read page by page, and new ones come by the stream after them.
 * The page holds only the latest of the streamed lines.
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
    const append = (more: readonly LogLine[]) => setFollowed((before) => appendLines(before, more))
    if (!live) {
      // The last lines are stored before the attempt ends, and may not have come by the stream.
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
    /** Stored pages end where the stream begins: no line between them is missing. */
    hasMore: stored.hasNextPage && followed.length === 0,
  }
}

/** The name of a stream, for people. */
const streams = [
  { value: '', text: 'All lines' },
  { value: 'stderr', text: 'Errors' },
  { value: 'stdout', text: 'Output' },
  { value: 'log', text: 'Log' },
] as const

/** The log of a node, followed while it runs. Earlier lines are read on demand. */
export function Logs({ executionId, nodeId, live }: { executionId: string; nodeId: string; live: boolean }) {
  const { stored: logs, lines, hasMore } = useLines(executionId, nodeId, live)
  const [query, setQuery] = useState('')
  const [stream, setStream] = useState('')
  const shown = useMemo(() => filterLines(lines, query, stream), [lines, query, stream])
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
      <div className="mb-2 flex gap-2">
        <Input
          type="search"
          aria-label="Search in the log"
          placeholder="Search in the log…"
          maxLength={200}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <Select
          aria-label="Which lines"
          className="w-32"
          value={stream}
          onChange={(event) => setStream(event.target.value)}
        >
          {streams.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </div>
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
        {shown.map((line) => (
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
              {line.stream === 'stderr' && <span className="sr-only">error: </span>}
              <AnsiText line={line.text} />
            </span>
          </div>
        ))}
        {shown.length === 0 && <p className="px-2.5 text-faint">No line fits.</p>}
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {hasMore && (
          <Button size="small" disabled={logs.isFetchingNextPage} onClick={() => void logs.fetchNextPage()}>
            More lines
          </Button>
        )}
        <DownloadLog executionId={executionId} nodeId={nodeId} />
        {shown.length < lines.length && (
          <span role="status" className="ml-auto text-xs text-faint">
            {shown.length} of {lines.length} lines that are here
          </span>
        )}
      </div>
    </>
  )
}

/** Downloads the whole log, read page by page: up to 100,000 lines are stored for a node. */
function DownloadLog({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const work = useMutation({
    mutationFn: async () => {
      const texts: string[] = []
      for (let after = 0; ;) {
        const { items } = await client.executions.logs.query({
          execution_id: executionId,
          node_id: nodeId,
          limit: 1_000,
          after,
        })
        texts.push(...items.map(lineText))
        const last = items.at(-1)
        if (last === undefined || items.length < 1_000) break
        after = last.n
      }
      download(new Blob(texts, { type: 'text/plain' }), `${nodeId}.log`)
    },
  })
  return (
    <>
      <Button size="small" tone="quiet" disabled={work.isPending} onClick={() => work.mutate()}>
        <Download aria-hidden /> {work.isPending ? 'Reading…' : 'Download the log'}
      </Button>
      {work.error !== null && (
        <span role="alert" className="text-xs text-danger">
          {problemOf(work.error).message}
        </span>
      )}
    </>
  )
}
