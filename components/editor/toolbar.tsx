'use client'

import { Code, ListTree, Settings2, Upload, type LucideIcon } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { AddNodeButton } from './canvas/add-node'
import { isDirty } from './model/draft/draft'
import { DraftState } from './draft/draft-state'
import { useDraft, useEditor, useView } from './editor-context'
import { HistoryButtons } from './history-buttons'
import { MoreMenu } from './more-menu'
import { NOTHING } from './model/view'

/** Actions on the whole draft, and its save state. */
export function Toolbar({ publish }: { publish: () => void }) {
  const { draft, view } = useEditor()
  const dirty = useDraft(isDirty)
  const empty = useDraft(({ definition: { nodes } }) => Array.isArray(nodes) && nodes.length === 0)
  const code = useView(({ panel }) => panel === 'code')
  const outline = useView(({ panel }) => panel === 'outline')
  const pipeline = useView((state) => state.panel === 'pipeline' && state.selection.nodes.size === 0)
  return (
    <div
      role="toolbar"
      aria-label="Editor"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5"
    >
      <AddNodeButton />
      <HistoryButtons draft={draft} />
      <PanelButton
        name="Code"
        icon={Code}
        open={code}
        onToggle={() => view.setState({ panel: code ? 'node' : 'code' })}
      />
      <PanelButton
        name="Outline"
        icon={ListTree}
        open={outline}
        onToggle={() => view.setState({ panel: outline ? 'node' : 'outline' })}
      />
      <PanelButton
        name="Pipeline"
        icon={Settings2}
        open={pipeline}
        onToggle={() =>
          view.setState(pipeline ? { panel: 'node' } : { panel: 'pipeline', selection: NOTHING })
        }
      />
      <span
        role="status"
        className="min-w-40 flex-1 truncate text-xs text-faint max-sm:order-2 max-sm:basis-full"
      >
        <DraftState />
      </span>
      <MoreMenu />
      <Button
        tone="primary"
        disabled={!dirty || empty}
        title={empty ? 'Add a node first' : dirty ? undefined : 'There is nothing to publish'}
        onClick={publish}
      >
        <Upload aria-hidden /> Publish…
      </Button>
    </div>
  )
}

/** Opens and closes a panel. On a narrow screen those of the panels are a row of their own. */
function PanelButton({
  name,
  icon: Icon,
  open,
  onToggle,
}: {
  name: string
  icon: LucideIcon
  open: boolean
  onToggle: () => void
}) {
  return (
    <Button
      aria-pressed={open}
      title={name}
      onClick={onToggle}
      className={cn(
        'max-sm:order-1',
        open && 'border-accent/40 bg-accent-soft text-accent hover:bg-accent-soft',
      )}
    >
      <Icon aria-hidden /> {name}
    </Button>
  )
}
