'use client'

import { FlaskConical } from 'lucide-react'
import { expectedNodes } from '@/components/editor/model/rehearsal/case-actions'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { Link } from '@/components/ui/link'
import { SideEdge, useSideWidth } from '@/components/ui/side-edge'
import { EmptyState, Skeleton } from '@/components/ui/states'
import { Outcome } from './outcome'
import { Picture } from './picture'
import { PlanIssues } from './plan-fields'
import { Bar } from './rehearsal-bar'
import { RehearsalPanel } from './rehearsal-panel'
import { SaveCase } from './save-case'
import { useRehearsal, type RehearsalProps, type RehearsalState } from './use-rehearsal'

/** The rehearsal of a definition. It follows every edit of the definition and of the scenario. */
export function Rehearsal(props: RehearsalProps) {
  const { pipelineId, draft, unreadable = false } = props
  const rehearsal = useRehearsal(props)
  const { live, state, address, saving, opened } = rehearsal
  const { shown, issues, trouble } = live
  const side = useSideWidth('rehearse', 400)
  const isOutdated = trouble !== null || issues.length > 0
  return (
    <PlanIssues issues={issues} refused={shown === null || isOutdated ? [] : shown.refused}>
      <div className="flex min-h-0 flex-1 flex-col max-lg:flex-none">
        <Bar
          as={address.as}
          onShape={rehearsal.setShape}
          draft={draft}
          onReset={Object.keys(state.plan).length === 0 ? null : rehearsal.reset}
          onSave={
            draft === null || shown === null || issues.length > 0
              ? null
              : () => rehearsal.setSaving({ at: null })
          }
        />
        <Outcome {...live} codeAt={unreadable ? `/pipelines/${pipelineId}/code` : null} />
        <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
          <div
            className={cn(
              'flex min-w-0 flex-1 flex-col max-lg:h-[52dvh] max-lg:flex-none',
              shown !== null && isOutdated && 'opacity-60',
            )}
          >
            {shown === null ? (
              <NothingShown live={live} editorAt={draft === null ? null : `/pipelines/${pipelineId}`} />
            ) : (
              <Picture
                as={address.as}
                shown={shown}
                selected={rehearsal.selected}
                onSelect={rehearsal.select}
              />
            )}
          </div>
          <SideEdge side={side} />
          <div
            style={side.style}
            className="flex flex-col border-line bg-surface max-lg:border-t lg:w-(--side) lg:shrink-0 lg:overflow-y-auto lg:border-l"
          >
            <RehearsalPanel {...props} rehearsal={rehearsal} />
          </div>
        </div>
      </div>
      <SaveCase
        given={
          saving === null || shown === null
            ? null
            : {
                shown,
                plan: state.plan,
                before:
                  saving.at === null || opened === null
                    ? null
                    : { name: opened.name, nodes: expectedNodes(opened.value) },
              }
        }
        onSave={rehearsal.save}
        onClose={() => rehearsal.setSaving(null)}
      />
    </PlanIssues>
  )
}

/** Shown before the first rehearsal. `editorAt`: the address of the editor, with the right to edit. */
function NothingShown({
  live: { issues, trouble },
  editorAt,
}: {
  live: RehearsalState['live']
  editorAt: string | null
}) {
  if (issues.length > 0)
    return (
      <EmptyState icon={FlaskConical} title="Something is missing">
        Fill in the fields with a message, and the rehearsal starts.
      </EmptyState>
    )
  if (trouble === null)
    return (
      <div role="status" aria-label="Loading the rehearsal" className="p-6">
        <Skeleton className="h-64 w-full" />
      </div>
    )
  return (
    <EmptyState
      icon={FlaskConical}
      title="Nothing to rehearse yet"
      action={
        editorAt !== null && (
          <Button asChild>
            <Link href={editorAt}>Open the editor</Link>
          </Button>
        )
      }
    >
      A rehearsal runs the draft with a simulated clock. It starts as soon as the draft is valid.
    </EmptyState>
  )
}
