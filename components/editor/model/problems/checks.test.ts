import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDraft, type Definition } from '@/components/editor/model/draft/draft'
import { createChecks, CHECK_LIMIT_MS } from './checks'
import { openInPage as openResponderInPage } from '@/components/editor/model/background'
import { createDraftChecker, type Checker, type Question } from './checker'

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

/** A checker in the page that records what it was asked. */
function recorded(): { open: () => Checker; asked: Question[]; closed: () => number } {
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

const openInPage = (): Checker => openResponderInPage(async () => createDraftChecker())

describe('checks', () => {
  it('find what is wrong with the draft, and again after each change', async () => {
    const { open, asked } = recorded()
    const checks = createChecks(open, openInPage)
    const draft = opened(S, 'event:n0.complete')
    const stop = checks.follow(draft)
    const first = await checks.verdictOn(draft.getState().definition)
    expect(codes(first)).toEqual(['unknown_event'])
    expect(first.findings[0]?.fix?.value).toBe('event:n0.completed')
    draft.write(text(S, 'event:n0.completed'))
    draft.parse()
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual([])
    // Only what changed is sent.
    expect(JSON.stringify(asked[1])).not.toContain('n0,')
    expect(asked[1]?.patch).toMatchObject({
      kind: 'members',
      members: [['nodes', { kind: 'list', head: 1 }]],
    })
    stop()
  })

  it('skip the definitions in between, and answer whoever awaits one of them', async () => {
    const { open, asked } = recorded()
    const checks = createChecks(open, openInPage)
    const draft = opened(S)
    const stop = checks.follow(draft)
    draft.write(text(S, 'event:x.completed'))
    draft.parse()
    draft.write(text(S, 'event:n0.x', S))
    draft.parse()
    const awaited = checks.verdictOn(draft.getState().definition)
    draft.write(text(S, S))
    draft.parse()
    draft.write(text(S, S, S))
    draft.parse()
    expect(codes(await awaited)).toEqual(['unknown_event'])
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual([])
    expect(asked).toHaveLength(3)
    stop()
  })

  it('stop when the editor closes, and start again when it opens', async () => {
    const { open, closed } = recorded()
    const checks = createChecks(open, openInPage)
    const draft = opened(S, 'event:n0.complete')
    checks.follow(draft)()
    expect(closed()).toBe(1)
    const stop = checks.follow(draft)
    expect(codes(await checks.verdictOn(draft.getState().definition))).toEqual(['unknown_event'])
    stop()
  })

  it('run in the page where no worker is available', async () => {
    const broken: Checker = { ask: () => Promise.reject(new Error('refused by policy')), close() {} }
    const refuse = () => {
      throw new Error('no worker')
    }
    for (const open of [refuse, () => broken]) {
      const checks = createChecks(open, openInPage)
      const draft = opened('event:n0.complete')
      const stop = checks.follow(draft)
      const found = await checks.verdictOn(draft.getState().definition)
      expect(found.trouble).toBeNull()
      expect(codes(found)).toContain('cycle')
      stop()
    }
  })

  it('[R-61] are stopped when they take too long, say so, and start again with the next change', async () => {
    vi.useFakeTimers()
    let closed = 0
    let opens = 0
    const never: Checker = { ask: () => new Promise(() => {}), close: () => (closed += 1) }
    const checks = createChecks(() => (opens++ === 0 ? never : openInPage()), openInPage)
    const draft = opened(S)
    const stop = checks.follow(draft)
    const verdict = checks.verdictOn(draft.getState().definition)
    await vi.advanceTimersByTimeAsync(CHECK_LIMIT_MS)
    expect((await verdict).trouble).toMatch(/20 seconds/)
    expect(closed).toBe(1)
    vi.useRealTimers()
    draft.write(text(S, 'event:n0.complete'))
    draft.parse()
    const next = await checks.verdictOn(draft.getState().definition)
    expect(next.trouble).toBeNull()
    expect(codes(next)).toEqual(['unknown_event'])
    stop()
  })

  it('[R-61] report a definition in which nothing can be read', async () => {
    const checks = createChecks(openInPage, openInPage)
    const draft = opened(S)
    const stop = checks.follow(draft)
    draft.write('nodes: []')
    draft.parse()
    const empty: Definition = draft.getState().definition
    expect(codes(await checks.verdictOn(empty))).toContain('too_small')
    stop()
  })
})
