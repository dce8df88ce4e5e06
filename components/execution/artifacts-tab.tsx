'use client'

import { ExternalLink, FileOutput } from 'lucide-react'
import { artifactUrl, problemOf } from '@/components/api'
import { namesIn } from '@/components/graph/model/reasons'
import { Card } from '@/components/ui/card'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { RelativeTime } from '@/components/ui/time'
import { bytesText } from '@/components/ui/times'
import { useRun } from './run-context'
import { useArtifacts } from './run-reading'

/** The files that the run produced. Each opens in a tab of its own, in a sandbox. */
export function ArtifactsTab() {
  const { view, pipeline } = useRun()
  const nameOf = namesIn(pipeline.nodes)
  const artifacts = useArtifacts()
  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      <Card>
        {artifacts.isPending ? (
          <SkeletonRows rows={3} />
        ) : artifacts.error !== null ? (
          <ErrorState
            what="The files could not be loaded."
            error={problemOf(artifacts.error)}
            retry={() => void artifacts.refetch()}
          />
        ) : artifacts.data.items.length === 0 ? (
          <EmptyState icon={FileOutput} title="No files yet">
            Reports, charts and tables that nodes write appear here.
          </EmptyState>
        ) : (
          <Table label="Files">
            <thead>
              <tr>
                <Th>Name</Th>
                <Th>Node</Th>
                <Th className="max-sm:hidden">Type</Th>
                <Th className="text-right">Size</Th>
                <Th className="text-right max-sm:hidden">Written</Th>
              </tr>
            </thead>
            <tbody>
              {artifacts.data.items.map((file) => (
                <Tr key={file.artifact_id}>
                  <Td>
                    <a
                      href={artifactUrl(view.execution_id, file.artifact_id)}
                      target="_blank"
                      rel="noreferrer"
                      className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
                    >
                      {file.name}
                      <ExternalLink aria-hidden className="size-3.5" />
                      <span className="sr-only">(opens in a new tab)</span>
                    </a>
                    <RelativeTime at={file.created_at} className="block text-xs text-faint sm:hidden" />
                  </Td>
                  <Td className="text-muted" title={file.node_id}>
                    {nameOf(file.node_id)}
                  </Td>
                  <Td className="font-mono text-xs text-muted max-sm:hidden">{file.content_type}</Td>
                  <Td className="text-right">{bytesText(file.bytes)}</Td>
                  <Td className="text-right text-muted max-sm:hidden">
                    <RelativeTime at={file.created_at} />
                  </Td>
                </Tr>
              ))}
            </tbody>
          </Table>
        )}
      </Card>
    </div>
  )
}
