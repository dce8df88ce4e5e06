'use client'

import { FileInput, Plus } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { Suspense, useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { useMay } from '@/components/api'
import { Button } from '@/components/ui/button'
import { writeQuery } from '@/components/ui/write-query'
import { Gallery } from './gallery'
import { ImportDialog } from './import-dialog'
import { NewPipeline, type Beginning } from './new-pipeline'
import { OwnDrafts } from './own-drafts'
import { PipelineList } from './pipeline-list'

/** All pipelines, the user's drafts, and what creates a pipeline. `header` draws the page header around its actions. */
export function PipelinesPage({ header }: { header: (actions: ReactNode) => ReactNode }) {
  const mayEdit = useMay('edit')
  const [beginning, setBeginning] = useState<{ from?: Beginning } | null>(null)
  const [importing, setImporting] = useState(false)
  return (
    <>
      {header(
        mayEdit && (
          <>
            <Button onClick={() => setImporting(true)}>
              <FileInput aria-hidden /> Import…
            </Button>
            <Button tone="primary" onClick={() => setBeginning({})}>
              <Plus aria-hidden /> New pipeline
            </Button>
          </>
        ),
      )}
      <Suspense>
        {mayEdit && <Asked onNew={() => setBeginning({})} onImport={() => setImporting(true)} />}
      </Suspense>
      <OwnDrafts mayEdit={mayEdit} />
      {/* Only the list suspends on the address. The parts that depend on the user must hydrate first. */}
      <Suspense>
        <PipelineList />
      </Suspense>
      {mayEdit && <Gallery onUse={(from) => setBeginning({ from })} />}
      <NewPipeline
        open={beginning !== null}
        onOpenChange={(open) => {
          if (!open) setBeginning(null)
        }}
        from={beginning?.from}
      />
      <ImportDialog open={importing} onOpenChange={setImporting} />
    </>
  )
}

/** `?new` and `?import` open their dialogs: commands lead here from every page. */
function Asked({ onNew, onImport }: { onNew: () => void; onImport: () => void }) {
  const params = useSearchParams()
  const asked = params.has('new') ? 'new' : params.has('import') ? 'import' : null
  const open = useEffectEvent((what: 'new' | 'import') => {
    if (what === 'new') onNew()
    else onImport()
    const rest = new URLSearchParams(params)
    rest.delete('new')
    rest.delete('import')
    writeQuery(rest)
  })
  useEffect(() => {
    if (asked !== null) open(asked)
  }, [asked])
  return null
}
