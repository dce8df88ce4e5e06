'use client'

import { ClipboardCopy, Ellipsis, FileBraces, FileDown, FileInput, ImageDown } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/components/ui/menu'
import { toast } from '@/components/ui/toast'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { EditorStores } from '@/components/editor/model/stores'
import { useSession } from './session-context'
import { download } from '@/components/ui/download'
import { ImportForm } from './panels'
import { exportImage } from './canvas/export-image'

/** What comes in and goes out as a whole. */
export function MoreMenu() {
  const { pipelineId, stores } = useSession()
  const [importing, setImporting] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <Button size="icon" aria-label="More">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuLabel>Export the draft</MenuLabel>
        <MenuItem onSelect={() => exportYaml(pipelineId, stores)}>
          <FileDown aria-hidden /> YAML, as written
        </MenuItem>
        <MenuItem onSelect={() => exportJson(pipelineId, stores)}>
          <FileBraces aria-hidden /> JSON
        </MenuItem>
        <MenuItem onSelect={() => void copyYaml(stores)}>
          <ClipboardCopy aria-hidden /> Copy as YAML
        </MenuItem>
        <MenuItem onSelect={() => exportPicture(pipelineId, stores, 'svg')}>
          <ImageDown aria-hidden /> Picture, SVG
        </MenuItem>
        <MenuItem onSelect={() => exportPicture(pipelineId, stores, 'png')}>
          <ImageDown aria-hidden /> Picture, PNG
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => setImporting(true)}>
          <FileInput aria-hidden /> Import into this draft…
        </MenuItem>
      </Menu>
      <Dialog
        open={importing}
        onOpenChange={setImporting}
        title="Import into this draft"
        description="It replaces everything in the draft. You can undo it."
      >
        <ImportForm
          as={pipelineId}
          currentOf={async () => stores.draft.getState().definition as unknown as PipelineDefinition}
          onClose={() => setImporting(false)}
          onImport={({ text }) => {
            stores.draft.replace('Import', text)
            setImporting(false)
          }}
        />
      </Dialog>
    </>
  )
}

function exportYaml(id: string, { draft }: EditorStores): void {
  download(new Blob([draft.getState().text], { type: 'application/yaml' }), `${id}.yaml`)
}

function exportJson(id: string, { draft }: EditorStores): void {
  draft.parse()
  const { definition, unreadable } = draft.getState()
  if (unreadable.length > 0)
    return toast({
      tone: 'bad',
      title: 'The draft cannot be exported as JSON',
      text: 'Fix the code first, or export it as YAML.',
    })
  const json = `${JSON.stringify(definition, null, 2)}\n`
  download(new Blob([json], { type: 'application/json' }), `${id}.json`)
}

function exportPicture(id: string, { draft }: EditorStores, kind: 'svg' | 'png'): void {
  exportImage(draft.getState().definition, kind, id).catch((error: unknown) =>
    toast({
      tone: 'bad',
      title: 'The picture could not be exported',
      text: error instanceof Error ? error.message : String(error),
    }),
  )
}

async function copyYaml({ draft }: EditorStores): Promise<void> {
  try {
    await navigator.clipboard.writeText(draft.getState().text)
    toast({ tone: 'good', title: 'The definition was copied' })
  } catch {
    toast({ tone: 'bad', title: 'The browser does not allow copying', text: 'Export it as a file.' })
  }
}
