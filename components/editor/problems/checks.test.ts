import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDraft, type Definition } from '@/components/editor/draft/draft'
import { createChecks, EXAMINATION_LIMIT } from './checks'
import { openInPage, type Examination } from './examination'
import type { Question } from './examiner'

const text = (...gates: readonly string[]) =>
  [
    'id: p',
    'nodes:',
    ...gates.map((gate, at) => `  - { id: n${at}, task: noop, startWhen: '${gate}' }`),
    '',
  ].join('\n')
const S = 'event:pipeline.started'
const opened = (...gates: readonly string[]) =>
  createDraft({ revision: 1, text: text(...gates) }, text(...gates), () => 0)
const codes = ({ findings }: { findings: readonly { code: string }[] }) => findings.map(({ code }) => code)

afterEach(() => {
  vi.useRealTimers()
})

/** The page's own examination, with what it was asked. */
function watched(): { open: () => Examination; asked: Question[]; closed: () => number } {
  const asked: Question[] = []
  let closed = 0
  return {
    asked,
    closed: () => closed,
    open: () => {
      const { ask } = openInPage()
      return {
        ask: (question) => {
          asked.push(question)
          return ask(question)
        },
        close: () => {
          closed += 1
        },
      }
    },
  }
}

describe('checks', () => {
  it('tell what is wrong with the draft, and with what it becomes', async () => {
    const { open, asked } = watched()
    const checks = createChecks(open)
    const draft = opened(S, 'event:n0.complete')
    const stop = checks.follow(draft)
    const first = await checks.verdictOn(draft.getState().definition)
    expect(codes(first)).toEqual(['unknown_event'])
    expect(first.findings[0]?.fix?.value).toBe('event:n0.completed')
    draft.write(text(S, 'event:n0.completed'))
    draft.settle()
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual([])
    // Only what changed is sent.
    expect(JSON.stringify(asked[1])).not.toContain('n0,')
    expect(asked[1]?.change).toMatchObject({
      kind: 'members',
      members: [['nodes', { kind: 'list', head: 1 }]],
    })
    stop()
  })

  it('skip what the draft said in between, and answer whoever waits for it', async () => {
    const { open, asked } = watched()
    const checks = createChecks(open)
    const draft = opened(S)
    const stop = checks.follow(draft)
    draft.write(text(S, 'event:x.completed'))
    draft.settle()
    draft.write(text(S, 'event:n0.x', S))
    draft.settle()
    const awaited = checks.verdictOn(draft.getState().definition)
    draft.write(text(S, S))
    draft.settle()
    draft.write(text(S, S, S))
    draft.settle()
    expect(codes(await awaited)).toEqual(['unknown_event'])
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual([])
    expect(asked).toHaveLength(3)
    stop()
  })

  it('end with the editor, and begin again with it', async () => {
    const { open, closed } = watched()
    const checks = createChecks(open)
    const draft = opened(S, 'event:n0.complete')
    checks.follow(draft)()
    expect(closed()).toBe(1)
    const stop = checks.follow(draft)
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual(['unknown_event'])
    stop()
  })

  it('are made in the page where no worker can be had', async () => {
    const broken: Examination = { ask: () => Promise.reject(new Error('refused by policy')), close() {} }
    const refuse = () => {
      throw new Error('no worker')
    }
    for (const open of [refuse, () => broken]) {
      const checks = createChecks(open)
      const draft = opened('event:n0.complete')
      const stop = checks.follow(draft)
      const found = await checks.verdictOn(draft.getState().definition)
      expect(found.trouble).toBeNull()
      expect(codes(found)).toContain('cycle')
      stop()
    }
  })

  it('[R-61] are stopped when they take too long, say so, and begin anew with the next change', async () => {
    vi.useFakeTimers()
    let closed = 0
    let opens = 0
    const never: Examination = { ask: () => new Promise(() => {}), close: () => (closed += 1) }
    const checks = createChecks(() => (opens++ === 0 ? never : openInPage()))
    const draft = opened(S)
    const stop = checks.follow(draft)
    const verdict = checks.verdictOn(draft.getState().definition)
    await vi.advanceTimersByTimeAsync(EXAMINATION_LIMIT)
    expect((await verdict).trouble).toMatch(/20 seconds/)
    expect(closed).toBe(1)
    vi.useRealTimers()
    draft.write(text(S, 'event:n0.complete'))
    draft.settle()
    const next = await checks.verdictOn(draft.getState().definition)
    expect(next.trouble).toBeNull()
    expect(codes(next)).toEqual(['unknown_event'])
    stop()
  })

  it('[R-61] tell of a definition of which nothing can be read', async () => {
    const checks = createChecks(openInPage)
    const draft = opened(S)
    const stop = checks.follow(draft)
    draft.write('nodes: []')
    draft.settle()
    const empty: Definition = draft.getState().definition
    expect(codes(await checks.verdictOn(empty))).toContain('too_small')
    stop()
  })
})
