'use client'

import { TriangleAlert } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { Opening } from '@/components/api'
import { ImportForm } from '@/components/forms/import-form'
import { Dialog } from '@/components/ui/dialog'
import { RelativeTime } from '@/components/ui/time'
import { beginDraft, openingOf } from './begin-draft'

/** Imports a definition as a draft (of a new pipeline, or of the one that has its id) and opens it. */
export function ImportDialog({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const router = useRouter()
  const [found, setFound] = useState<Opening | null>(null)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Import a pipeline"
      description="You see the changes before anything is saved."
    >
      <ImportForm
        currentOf={async (id) => {
          const opening = await openingOf(id)
          setFound(opening)
          return opening.pipeline?.definition ?? null
        }}
        onClose={() => onOpenChange(false)}
        onImport={async ({ id, text }) => {
          if (found === null) return
          await beginDraft(id, text, found)
          router.push(`/pipelines/${id}`)
        }}
      >
        {() =>
          found !== null &&
          found.draft !== null && (
            <p className="flex items-start gap-2 font-medium text-warning">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span>
                You have a draft of this pipeline, changed <RelativeTime at={found.draft.updated_at} />. The
                import replaces it.
              </span>
            </p>
          )
        }
      </ImportForm>
    </Dialog>
  )
}
