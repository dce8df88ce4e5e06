'use client'

import { TriangleAlert } from 'lucide-react'
import { casesText, type Cases } from '@/components/editor/model/rehearsal/cases'
import { CaseList } from './case-list'
import { NodeScenario } from './node-scenario'
import { OpenedCase, PartTab } from './rehearsal-bar'
import { ScenarioForm } from './scenario-form'
import type { RehearsalProps, RehearsalState } from './use-rehearsal'

type PanelProps = RehearsalProps & { readonly rehearsal: RehearsalState }

/** The panel beside the picture: the scenario, or the cases. */
export function RehearsalPanel(props: PanelProps) {
  const { draft, cases, rehearsal } = props
  const { part, setPart, opened, setSaving } = rehearsal
  return (
    <>
      <div
        role="tablist"
        aria-label="Rehearsal"
        className="flex border-b border-line bg-surface px-2 lg:sticky lg:top-0 lg:z-10"
      >
        <PartTab name="scenario" part={part} onPart={setPart}>
          Scenario
        </PartTab>
        <PartTab name="cases" part={part} onPart={setPart}>
          <CasesTab {...cases} />
        </PartTab>
      </div>
      {part === 'scenario' && opened !== null && (
        <OpenedCase
          name={opened.name}
          onSave={draft === null ? null : () => setSaving({ at: opened.at })}
          onClose={rehearsal.close}
        />
      )}
      <div
        role="tabpanel"
        aria-labelledby={`rehearsal-${part}`}
        id="rehearsal-part"
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !event.defaultPrevented && part === 'scenario') rehearsal.select(null)
        }}
      >
        {part === 'cases' ? (
          <CaseList
            cases={cases}
            opened={opened?.at ?? null}
            mayEdit={draft !== null}
            onOpen={rehearsal.open}
            onUpdate={(at) => setSaving({ at })}
            onRename={rehearsal.rename}
            onRemove={rehearsal.remove}
          />
        ) : (
          <ScenarioPart {...props} />
        )}
      </div>
    </>
  )
}

function CasesTab({ cases, busy }: Cases) {
  return (
    <>
      Cases{' '}
      {cases.length > 0 && (
        <span className="text-xs font-normal text-faint" title={casesText(cases, busy)}>
          {cases.length}
        </span>
      )}
      {cases.some(({ messages }) => (messages?.length ?? 0) > 0) && (
        <TriangleAlert aria-label="some fail" className="size-3.5 text-warning" />
      )}
    </>
  )
}

/** The scenario of the selected node, or of the run. */
function ScenarioPart({ pipelineId, definition, scenario, rehearsal }: PanelProps) {
  const { live, state, selected, select } = rehearsal
  const { pipeline, shown, issues, trouble } = live
  if (pipeline === null)
    return trouble === null ? null : (
      <p className="px-4 py-3 text-muted">
        Once the draft is valid, you set here what goes wrong and how long things take.
      </p>
    )
  if (selected !== null)
    return (
      <NodeScenario
        key={selected}
        node={pipeline.nodes.get(selected)!}
        pipeline={pipeline}
        shown={shown}
        plan={state.plan}
        change={scenario.change}
        onClose={() => select(null)}
      />
    )
  return (
    <>
      <p className="px-4 pt-3 text-xs text-muted">
        A rehearsal simulates the draft with the failures, decisions and durations that you set here. No task
        does its work, and nothing is sent.
      </p>
      <ScenarioForm
        pipelineId={pipelineId}
        pipeline={pipeline}
        inputs={definition['inputs']}
        scenario={scenario}
        state={state}
        issues={issues}
        onSelect={select}
      />
    </>
  )
}
