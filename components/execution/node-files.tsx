'use client'

import { ExternalLink } from 'lucide-react'
import { artifactUrl, type ArtifactSummary } from '@/components/api'
import { bytesText } from '@/components/ui/times'
import { Part } from './panel-part'
import { useArtifacts } from './run-reading'

/** Types that are shown as images. An SVG in an image element can run no scripts. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'])
/** Larger images are only linked. */
const MOST_BYTES = 10_000_000

/** The files that a node has produced so far, with previews of images. */
export function NodeFiles({ executionId, nodeId }: { executionId: string; nodeId: string }) {
  const { data } = useArtifacts()
  const files = (data?.items ?? []).filter((file) => file.node_id === nodeId)
  if (files.length === 0) return null
  return (
    <Part title="Files">
      <ul className="flex flex-col gap-2">
        {files.map((file) => (
          <li key={file.artifact_id}>
            <div className="flex items-center gap-2">
              <a
                href={artifactUrl(executionId, file.artifact_id)}
                target="_blank"
                rel="noreferrer"
                className="inline-flex min-w-0 items-center gap-1.5 font-medium text-accent hover:underline"
              >
                <span className="truncate">{file.name}</span>
                <ExternalLink aria-hidden className="size-3.5 shrink-0" />
                <span className="sr-only">(opens in a new tab)</span>
              </a>
              <span className="ml-auto text-xs text-faint">{bytesText(file.bytes)}</span>
            </div>
            {isPicture(file) && (
              <img
                src={artifactUrl(executionId, file.artifact_id)}
                alt={file.name}
                loading="lazy"
                className="mt-1.5 max-h-80 max-w-full rounded-md border border-line bg-white"
              />
            )}
          </li>
        ))}
      </ul>
    </Part>
  )
}

export const isPicture = ({ content_type, bytes }: ArtifactSummary): boolean =>
  bytes <= MOST_BYTES && PICTURES.has(content_type.split(';', 1)[0]?.trim().toLowerCase() ?? '')
