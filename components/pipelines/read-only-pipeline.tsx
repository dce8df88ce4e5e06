'use client'

import { GitCompare, RotateCcw } from 'lucide-react'
import { Link } from '@/components/ui/link'
import { usePathname } from 'next/navigation'
import { Button } from '@/components/ui/button'
import { RelativeTime } from '@/components/ui/time'
import { PipelineCode } from './pipeline-code'
import { usePipeline } from './pipeline-frame'
import { PipelineGraph } from './pipeline-graph'

/** A revision without an editor: an earlier one, or the current one for those who may not edit. */
export function ReadOnlyPipeline({ restore }: { restore: ((revision: number) => Promise<void>) | null }) {
  const document = usePipeline()
  const code = usePathname().endsWith('/code')
  const { id, revision, current_revision: current } = document
  const base = `/pipelines/${id}`
  const query = revision === current ? '' : `?revision=${revision}`
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5">
        <p className="min-w-0 flex-1 truncate text-xs text-muted">
          {revision === current ? (
            'Read only: you can view this pipeline but not change it.'
          ) : (
            <>
              Revision {revision}, saved <RelativeTime at={document.created_at} /> by {document.created_by}
              {document.note !== null && <>: “{document.note}”</>}
            </>
          )}
        </p>
        <Button asChild size="small">
          <Link href={code ? `${base}${query}` : `${base}/code${query}`}>{code ? 'Graph' : 'Code'}</Link>
        </Button>
        {revision !== current && (
          <>
            <Button asChild size="small">
              <Link href={`${base}/revisions?from=${revision}&to=${current}`}>
                <GitCompare aria-hidden /> Compare with the current
              </Link>
            </Button>
            <Button asChild size="small">
              <Link href={base}>Go to the current</Link>
            </Button>
            {restore !== null && (
              <Button size="small" tone="primary" onClick={() => void restore(revision)}>
                <RotateCcw aria-hidden /> Restore
              </Button>
            )}
          </>
        )}
      </div>
      {code ? <PipelineCode /> : <PipelineGraph />}
    </>
  )
}
