import { describe, expect, it } from 'vitest'
import { createRehearser, type Answer, type Question } from './rehearser'
import { summarizeRehearsal } from './rehearsal-summary'
import { expectationOf, proposedName, notableNodes } from './case-edits'

const S = 'event:pipeline.started'
const definition = {
  id: 'nightly',
  nodes: [
    {
      id: 'extract',
      name: 'Extract',
      task: 'duckdb.query',
      startWhen: S,
      inputBindings: { sql: 'select 1' },
      estimate: '2s',
    },
    {
      id: 'ask',
      task: 'approval',
      startWhen: 'event:extract.completed && {{ extract.row_count > 0 }}',
      inputBindings: { message: 'Publish?', approvers: ['role:approver'] },
    },
    { id: 'publish', task: 'noop', startWhen: 'event:ask.approved' },
    { id: 'tell', task: 'noop', startWhen: 'event:publish.completed' },
  ],
  layout: { extract: { x: 0, y: 0 } },
}

/** As it is asked across a worker: what cannot be cloned would not arrive. */
function rehearsed(plan: unknown, of: Question['definition'] = definition): Answer {
  const answer = createRehearser()
  return structuredClone(answer(structuredClone({ definition: of, ask: { kind: 'rehearse', plan } })))
}
function shownFor(plan: unknown) {
  const answer = rehearsed(plan)
  if (answer.kind !== 'rehearsed') throw new Error(JSON.stringify(answer))
  return answer.shown
}

describe('a rehearsal in a worker', () => {
  it('shows values, and marks those that are made up', () => {
    expect(shownFor({}).values['extract']).toContainEqual(
      expect.objectContaining({ name: 'row_count', madeUp: true }),
    )
    const given = shownFor({ nodes: { extract: { outputs: { row_count: 3 } } } })
    expect(given.values['extract']).toContainEqual({ name: 'row_count', text: '3', madeUp: false })
    expect(given.values['ask']).toContainEqual({ name: 'question', text: 'Publish?', madeUp: false })
    // The approval was asked because of a made-up value.
    expect(shownFor({}).drawing.nodes.find(({ id }) => id === 'ask')?.madeUp).toBe(true)
    expect(given.drawing.nodes.find(({ id }) => id === 'ask')?.madeUp).toBe(false)
  })

  it('[R-89] [R-51] says that a failure was handled, and that people said no', () => {
    const handled = rehearsed(
      {},
      {
        id: 'p',
        nodes: [
          { id: 'load', task: 'fail', inputBindings: { message: 'no' }, startWhen: S },
          { id: 'instead', task: 'noop', startWhen: 'event:load.failed' },
        ],
      },
    )
    if (handled.kind !== 'rehearsed') throw new Error(handled.kind)
    expect(summarizeRehearsal(handled.shown).headline).toMatch(/^The run completes, a failure handled, after/)
    const rejected = summarizeRehearsal(
      shownFor({
        nodes: { extract: { outputs: { row_count: 3 } } },
        approvals: { ask: [{ decision: 'rejected', by: 'ada' }] },
      }),
    )
    expect(rejected.headline).toMatch(/^The run is rejected by ada after/)
    expect(rejected.lines).toContainEqual('ask is rejected by ada')
  })

  it('waits for the people whom nobody planned, and says what it made up', () => {
    const shown = shownFor({})
    expect(summarizeRehearsal(shown)).toEqual({
      headline: 'After 2.0 s the run waits: ask waits for a decision by any approver.',
      lines: [],
      invented: ['ask reads extract.row_count'],
    })
    expect(shown.drawing.nodes.find(({ id }) => id === 'extract')).toMatchObject({
      status: 'completed',
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:02.000Z',
    })
    // What goes on has no length: time has stopped.
    expect(shown.drawing.nodes.find(({ id }) => id === 'ask')).toMatchObject({
      status: 'waiting',
      startedAt: null,
    })
    expect([proposedName(shown), notableNodes(shown)]).toEqual(['the run waits at ask', ['ask']])
  })

  it('summarizes failures, and what is skipped because of them', () => {
    const shown = shownFor({ nodes: { extract: { failure: { message: 'no rows' } } } })
    expect(summarizeRehearsal(shown)).toEqual({
      headline: 'The run fails after 2.0 s.',
      lines: ['Extract fails: no rows', 'ask, publish, tell are skipped, as Extract failed'],
      invented: [],
    })
    expect(proposedName(shown)).toBe('when extract fails, tell is skipped')
    expect(notableNodes(shown)).toEqual(['extract', 'ask', 'publish', 'tell'])
    expect(expectationOf(shown, { status: true, nodes: new Set(['publish']) })).toEqual({
      status: 'failed',
      nodes: { publish: 'skipped' },
    })
    expect(expectationOf(shown, { status: false, nodes: new Set() })).toEqual({})
  })

  it('proposes a name of what the failure skips, not of what a decision skips', () => {
    const nodes = [
      {
        id: 'ask',
        task: 'approval',
        startWhen: S,
        inputBindings: { message: 'm', approvers: ['role:approver'] },
      },
      { id: 'publish', task: 'noop', startWhen: 'event:ask.approved' },
      { id: 'sorry', task: 'noop', startWhen: 'event:ask.rejected' },
    ]
    const shown = (plan: unknown) => {
      const answer = rehearsed(plan, { id: 'decided', nodes })
      if (answer.kind !== 'rehearsed') throw new Error(JSON.stringify(answer))
      return answer.shown
    }
    const approvals = { ask: [{ decision: 'approved' }] }
    expect(proposedName(shown({ approvals, nodes: { publish: { failure: { message: 'no' } } } }))).toBe(
      'when publish fails, the run fails',
    )
    expect(proposedName(shown({ approvals }))).toBe('sorry is skipped')
  })

  it('names what handles a failure among what a case is about', () => {
    const nodes = [
      { id: 'work', task: 'noop', startWhen: S, allowFailure: true },
      { id: 'rescue', task: 'noop', startWhen: 'event:work.failed' },
      { id: 'report', task: 'noop', startWhen: 'event:rescue.completed' },
    ]
    const answer = rehearsed({ nodes: { work: { failure: { message: 'no' } } } }, { id: 'handled', nodes })
    if (answer.kind !== 'rehearsed') throw new Error(JSON.stringify(answer))
    expect(answer.shown.nodes.get('rescue')?.status).toBe('completed')
    expect(notableNodes(answer.shown)).toEqual(['work', 'rescue'])
  })

  it('summarizes what the engine refused, and a run that completes', () => {
    const shown = shownFor({
      nodes: { extract: { outputs: { row_count: 3 } } },
      approvals: { ask: [{ decision: 'approved', after: '1h' }] },
      cancel: { after: '2h' },
    })
    const summary = summarizeRehearsal(shown)
    expect(summary.headline).toMatch(/^The run completes after 1h 00m/)
    expect(summary.invented).toEqual([])
    expect(summary.lines).toEqual([expect.stringMatching(/^Refused after 2h 00m, the cancel: /)])
    expect(notableNodes(shown)).toEqual(['tell'])
  })

  it('says what is wrong with a plan at its place, and with a definition that cannot run', () => {
    expect(rehearsed({ nodes: { extract: { duration: 'soon' }, gone: {} } })).toMatchObject({
      kind: 'refused',
      issues: [{ path: ['nodes', 'extract', 'duration'] }],
    })
    expect(rehearsed({ nodes: { extrct: {} } })).toMatchObject({
      kind: 'refused',
      issues: [{ path: ['nodes', 'extrct'], hint: 'did you mean extract?' }],
    })
    expect(
      rehearsed({}, { id: 'x', nodes: [{ id: 'a', task: 'noop', startWhen: 'event:b.completed' }] }),
    ).toMatchObject({
      kind: 'invalid',
      issues: [{ code: 'unknown_event' }, { code: 'no_start_node' }],
    })
    expect(rehearsed(null)).toMatchObject({ kind: 'refused' })
  })

  it('keeps the definition for the next question, and judges cases', () => {
    const answer = createRehearser()
    const plan = { nodes: { extract: { failure: {} } } }
    const ask = (value: unknown) => answer({ definition: null, ask: { kind: 'case', value } })
    answer({ definition, ask: { kind: 'rehearse', plan } })
    expect(ask({ name: 'x', plan, expect: { nodes: { publish: 'skipped' } } })).toEqual({
      kind: 'case',
      messages: [],
    })
    expect(ask({ name: 'x', plan, expect: { status: 'completed' } })).toEqual({
      kind: 'case',
      messages: ['the run is failed where completed was expected: extract failed: failed as planned'],
    })
    expect(ask({ name: 'x', plan: { nodes: { gone: {} } }, expect: {} })).toEqual({
      kind: 'case',
      messages: ["nodes · gone: there is no node 'gone'"],
    })
    expect(ask({ name: 'x' })).toMatchObject({
      messages: [expect.stringContaining('plan'), expect.anything()],
    })
  })

  it('begins from a run, and gives its events again', () => {
    const answer = createRehearser()
    const first = answer({
      definition,
      ask: {
        kind: 'rehearse',
        plan: { approvals: { ask: [{ decision: 'rejected', after: '5s', by: 'ada' }] } },
      },
    })
    if (first.kind !== 'rehearsed') throw new Error(first.kind)
    const entries = first.shown.events.map((event) => ({ event, variables: [] }))
    const planned = answer({ definition: null, ask: { kind: 'run', entries } })
    expect(planned).toMatchObject({
      kind: 'plan',
      plan: { approvals: { ask: [{ decision: 'rejected', after: 5_000, by: 'ada' }] } },
    })
    expect(answer({ definition: null, ask: { kind: 'run', entries: [] } })).toEqual({
      kind: 'no_plan',
      message: 'nothing has happened in it',
    })
  })
})
