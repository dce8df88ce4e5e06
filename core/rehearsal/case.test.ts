import { describe, expect, it } from 'vitest'
import { compiled, gate, heavy, noop } from '@/testing/engine-run'
import { readRehearsalCase, runRehearsalCase, type RehearsalCase } from './case'

const pipeline = compiled({
  nodes: [heavy('extract'), gate('ok', {}, 'event:extract.completed'), noop('publish', 'event:ok.approved')],
})
const differencesOf = (expect: RehearsalCase['expect'], plan: RehearsalCase['plan'] = {}) => {
  const result = runRehearsalCase(pipeline, { name: 'a case', plan, expect })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.differences.map(({ message }) => message)
}

describe('a rehearsal as a test case', () => {
  const broken = { nodes: { extract: { failure: { message: 'no rows' } } } }

  it('holds when everything that it names comes to pass', () => {
    const nodes = { extract: 'failed', publish: 'skipped' } as const
    expect(differencesOf({ status: 'failed', nodes }, broken)).toEqual([])
    expect(differencesOf({ status: 'waiting', nodes: { ok: 'waiting', publish: 'pending' } })).toEqual([])
    expect(differencesOf({})).toEqual([])
  })

  it('reports every difference, with the reason', () => {
    const nodes = { extract: 'completed', ok: 'waiting', publish: 'completed', pubish: 'failed' } as const
    expect(differencesOf({ status: 'completed', nodes }, broken)).toEqual([
      'the run is failed where completed was expected: extract failed: no rows',
      'extract is failed where completed was expected: no rows',
      'ok is skipped where waiting was expected: upstream_failed',
      'publish is skipped where completed was expected: upstream_skipped',
      'pubish is unknown where failed was expected: did you mean publish?',
    ])
    expect(differencesOf({ nodes: { k: 'skipped' } })).toEqual([
      'k is unknown where skipped was expected: there is no such node',
    ])
    expect(differencesOf({ status: 'completed', nodes: { publish: 'completed' } })).toEqual([
      'the run is waiting where completed was expected: ok waits for a decision of role:approver',
      'publish is pending where completed was expected: waits for ok',
    ])
  })

  it('a plan that does not fit the pipeline is refused', () => {
    const result = runRehearsalCase(pipeline, { name: 'x', plan: { nodes: { gone: {} } }, expect: {} })
    expect(!result.ok && result.issues).toMatchObject([{ path: ['nodes', 'gone'], code: 'unknown_node' }])
  })

  it('has a name that turns round nothing of the sentence in which it stands', () => {
    const named = (name: string) => readRehearsalCase({ name, plan: {}, expect: {} }).ok
    expect([named('\u202efails'), named('\u202efails\u202c')]).toEqual([false, true])
  })

  it('is read strictly, as it was written', () => {
    const one = { name: 'x', plan: { nodes: { a: { duration: '5s' } } }, expect: { nodes: { a: 'failed' } } }
    expect(readRehearsalCase(one)).toEqual({ ok: true, value: one })
    const wrong = readRehearsalCase({ ...one, expect: { nodes: { a: 'done' } } })
    expect(!wrong.ok && wrong.error[0]?.path).toEqual(['expect', 'nodes', 'a'])
  })

  it('says first that a verdict rests on made-up values', () => {
    const pipeline = compiled({
      nodes: [
        heavy('a', 'event:pipeline.started'),
        noop('b', "event:a.completed && {{ a.result.kind == 'rain' && a.result.kind == 'snow' }}"),
      ],
    })
    const judged = runRehearsalCase(pipeline, {
      name: 'both',
      plan: {},
      expect: { status: 'completed', nodes: { b: 'completed' } },
    })
    if (!judged.ok) throw new Error(JSON.stringify(judged.issues))
    expect(judged.rehearsal.restsOn).toEqual(['a.result'])
    expect(judged.differences.map(({ message }) => message)).toEqual([
      'on made-up values (a.result), b is skipped where completed was expected: condition_not_met',
    ])
  })
})
