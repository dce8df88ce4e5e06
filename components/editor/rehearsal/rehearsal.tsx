'use client'

import { FlaskConical, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Definition, DraftStore } from '@/components/editor/model/draft/draft'
import { Button } from '@/components/ui/button'
import { isChord } from '@/components/ui/chords'
import { cn } from '@/components/ui/class-names'
import { SideEdge, useSideWidth } from '@/components/ui/side-edge'
import { Link } from '@/components/ui/link'
import { EmptyState, Skeleton } from '@/components/ui/states'
import { toast } from '@/components/ui/toast'
import { isTyping } from '@/components/ui/typing'
import { limits } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { readRehearsalCase, type RehearsalCase } from '@/core/rehearsal/case'
import type { RehearsalPlan } from '@/core/rehearsal/plan'
import { CaseList } from './case-list'
import { casesText, type Cases } from '@/components/editor/model/rehearsal/cases'
import { SaveCase } from './save-case'
import { withCase, withoutCase } from '@/components/editor/model/rehearsal/case-edits'
import { NodeScenario } from './node-scenario'
import { createWorkerRehearser } from './open-rehearser'
import { Outcome } from './outcome'
import { Picture } from './picture'
import { PlanIssues } from './plan-fields'
import { Bar, OpenedCase, PartTab } from './rehearsal-bar'
import { createLiveRehearsal, type LiveRehearsal } from '@/components/editor/model/rehearsal/live-rehearsal'
import { useRehearsalAddress } from './use-rehearsal-address'
import { ScenarioForm } from './scenario-form'
import type { ScenarioStore } from '@/components/editor/model/rehearsal/scenario'

/** What is edited is rehearsed in a pause. Milliseconds. */
const PAUSE_MS = 120

/** The rehearsal of a definition, live, over whatever is edited of it and of the scenario. `draft`: null where it may only be read. */
export function Rehearsal({
  pipelineId,
  definition,
  draft,
  unreadable = false,
  cases,
  scenario,
}: {
  pipelineId: string
  definition: Definition
  draft: DraftStore | null
  /** The code cannot be read as it is now: the definition is what it said before. */
  unreadable?: boolean
  cases: Cases
  scenario: ScenarioStore
}) {
  const state = useStore(scenario)
  const rehearsing = useLiveRehearsal(definition, state.plan)
  const { looked, look } = useRehearsalAddress()
  const [part, setPart] = useState<'scenario' | 'cases'>('scenario')
  const [keeping, setKeeping] = useState<{ readonly at: number | null } | null>(null)
  const side = useSideWidth('rehearse', 400)
  const { shown, pipeline, issues, trouble } = rehearsing
  const selected = looked.node !== null && pipeline?.nodes.has(looked.node) === true ? looked.node : null
  const select = (node: string | null) => {
    look({ node })
    if (node !== null) setPart('scenario')
  }

  const open = (at: number) => {
    const read = readRehearsalCase(cases.cases[at]?.value)
    if (!read.ok) {
      return toast({
        tone: 'bad',
        title: 'This case cannot be opened',
        text: `${read.error[0]?.path.join(' · ')}: ${read.error[0]?.message}. Mend it in the code.`,
      })
    }
    scenario.setState({ plan: read.value.plan, opened: { at, name: read.value.name }, durations: null })
    look({ case: at, node: null })
  }
  // A link leads to its case, once the cases are there.
  const opening = useRef({ done: false, open })
  opening.current.open = open
  const linked = looked.case !== null && cases.cases[looked.case] !== undefined ? looked.case : null
  useEffect(() => {
    if (opening.current.done || linked === null) return
    opening.current.done = true
    setPart('cases')
    opening.current.open(linked)
  }, [linked])

  const keep = (kept: RehearsalCase) => {
    if (draft === null || keeping === null) return
    const { at } = keeping
    const { definition: before } = draft.getState()
    const done = draft.edit(`Keep the case “${kept.name}”`, (now) => withCase(now, kept, at))
    setKeeping(null)
    if (!done || draft.getState().definition === before)
      return toast({
        tone: 'bad',
        title: 'It was not kept',
        text: done
          ? `A pipeline keeps ${limits.rehearsals} cases at most.`
          : 'The code cannot be read: mend it first.',
      })
    const all = draft.getState().definition['rehearsals']
    const opened = at ?? (Array.isArray(all) ? all.length - 1 : 0)
    scenario.setState({ opened: { at: opened, name: kept.name } })
    look({ case: opened, node: null })
    setPart('cases')
  }
  useUndoKeys(draft)
  // Undone, it may be another case that stands there now.
  const place = state.opened?.at ?? -1
  const opened = cases.cases[place]?.name === state.opened?.name ? cases.cases[place] : undefined
  const openedAt = opened === undefined ? null : place
  const leaveCase = () => {
    scenario.setState({ opened: null })
    look({ case: null })
  }

  return (
    <PlanIssues
      issues={issues}
      refused={shown === null || trouble !== null || issues.length > 0 ? [] : shown.refused}
    >
      <div className="flex min-h-0 flex-1 flex-col max-lg:flex-none">
        <Bar
          as={looked.as}
          onShape={(as) => look({ as })}
          draft={draft}
          onReset={
            Object.keys(state.plan).length === 0
              ? null
              : () => {
                  scenario.setState({ plan: {}, opened: null, durations: null })
                  look({ case: null })
                }
          }
          onKeep={
            draft === null || shown === null || issues.length > 0 ? null : () => setKeeping({ at: null })
          }
        />
        <Outcome {...rehearsing} codeAt={unreadable ? `/pipelines/${pipelineId}/code` : null} />
        <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
          <div
            className={cn(
              'flex min-w-0 flex-1 flex-col max-lg:h-[52dvh] max-lg:flex-none',
              shown !== null && (trouble !== null || issues.length > 0) && 'opacity-60',
            )}
          >
            {shown === null ? (
              issues.length > 0 ? (
                <EmptyState icon={FlaskConical} title="Not yet">
                  Say what is missing beside, and see what comes of it.
                </EmptyState>
              ) : trouble === null ? (
                <div role="status" aria-label="Loading the rehearsal" className="p-6">
                  <Skeleton className="h-64 w-full" />
                </div>
              ) : (
                <EmptyState
                  icon={FlaskConical}
                  title="Nothing to rehearse yet"
                  action={
                    draft !== null && (
                      <Button asChild>
                        <Link href={`/pipelines/${pipelineId}`}>Open the editor</Link>
                      </Button>
                    )
                  }
                >
                  A rehearsal runs the draft on a clock of its own. It begins as soon as the draft could run.
                </EmptyState>
              )
            ) : (
              <Picture as={looked.as} shown={shown} selected={selected} onSelect={select} />
            )}
          </div>
          <SideEdge side={side} />
          <div
            style={side.style}
            className="flex flex-col border-line bg-surface max-lg:border-t lg:w-(--side) lg:shrink-0 lg:overflow-y-auto lg:border-l"
          >
            <div
              role="tablist"
              aria-label="Rehearsal"
              className="flex border-b border-line bg-surface px-2 lg:sticky lg:top-0 lg:z-10"
            >
              <PartTab name="scenario" part={part} onPart={setPart}>
                Scenario
              </PartTab>
              <PartTab name="cases" part={part} onPart={setPart}>
                Cases{' '}
                {cases.cases.length > 0 && (
                  <span className="text-xs font-normal text-faint" title={casesText(cases.cases, cases.busy)}>
                    {cases.cases.length}
                  </span>
                )}
                {cases.cases.some(({ messages }) => (messages?.length ?? 0) > 0) && (
                  <TriangleAlert aria-label="some fail" className="size-3.5 text-warning" />
                )}
              </PartTab>
            </div>
            {part === 'scenario' && opened !== undefined && (
              <OpenedCase
                name={opened.name}
                onKeep={draft === null ? null : () => setKeeping({ at: openedAt })}
                onClose={leaveCase}
              />
            )}
            <div
              role="tabpanel"
              aria-labelledby={`rehearsal-${part}`}
              id="rehearsal-part"
              onKeyDown={(event) => {
                if (event.key === 'Escape' && !event.defaultPrevented && part === 'scenario') select(null)
              }}
            >
              {part === 'cases' ? (
                <CaseList
                  cases={cases}
                  opened={openedAt}
                  mayEdit={draft !== null}
                  onOpen={open}
                  onRenew={(at) => setKeeping({ at })}
                  onRename={(at, name) => {
                    const value = cases.cases[at]?.value
                    if (!isRecord(value)) return
                    void draft?.edit('Rename a case', (before) =>
                      withCase(before, { ...value, name } as RehearsalCase, at),
                    )
                    if (at === openedAt) scenario.setState({ opened: { at, name } })
                  }}
                  onRemove={(at) => {
                    void draft?.edit(`Delete the case “${cases.cases[at]?.name}”`, (before) =>
                      withoutCase(before, at),
                    )
                    leaveCase()
                  }}
                />
              ) : pipeline === null ? (
                trouble !== null && (
                  <p className="px-4 py-3 text-muted">
                    What can go wrong, and how long things take, is said here once there is something to run.
                  </p>
                )
              ) : selected !== null ? (
                <NodeScenario
                  key={selected}
                  node={pipeline.nodes.get(selected)!}
                  pipeline={pipeline}
                  shown={shown}
                  plan={state.plan}
                  change={scenario.change}
                  onClose={() => select(null)}
                />
              ) : (
                <ScenarioForm
                  pipelineId={pipelineId}
                  pipeline={pipeline}
                  inputs={definition['inputs']}
                  scenario={scenario}
                  state={state}
                  issues={issues}
                  onSelect={select}
                />
              )}
            </div>
          </div>
        </div>
      </div>
      <SaveCase
        given={
          keeping === null || shown === null
            ? null
            : {
                shown,
                plan: state.plan,
                before:
                  keeping.at === null || opened === undefined
                    ? null
                    : { name: opened.name, nodes: expectedNodes(opened.value) },
              }
        }
        onKeep={keep}
        onClose={() => setKeeping(null)}
      />
    </PlanIssues>
  )
}

function expectedNodes(value: unknown): readonly string[] {
  const read = readRehearsalCase(value)
  return read.ok ? Object.keys(read.value.expect.nodes ?? {}) : []
}

/** Rehearses in a worker as long as the page is there; what one types is answered when one pauses. */
function useLiveRehearsal(definition: Definition, plan: RehearsalPlan): LiveRehearsal {
  const [store] = useState(() => createLiveRehearsal(createWorkerRehearser()))
  useEffect(() => store.close, [store])
  const first = useRef(true)
  useEffect(() => {
    const timer = setTimeout(() => store.want(definition, plan), first.current ? 0 : PAUSE_MS)
    first.current = false
    return () => clearTimeout(timer)
  }, [store, definition, plan])
  return useStore(store)
}

/** The draft's one undo history, also here. */
function useUndoKeys(draft: DraftStore | null): void {
  useEffect(() => {
    if (draft === null) return
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target)) return
      const undo = isChord(event, 'Mod+Z')
      if (!undo && !isChord(event, 'Mod+Shift+Z') && !isChord(event, 'Mod+Y')) return
      event.preventDefault()
      if (undo) draft.undo()
      else draft.redo()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [draft])
}
