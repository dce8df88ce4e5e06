import { describe, expect, it } from 'vitest'
import { exampleExecution } from '@/server/operations/schemas/execution'
import { checkAnswer, type SeenAnswer } from './answer-check'

const seen = (more: Partial<SeenAnswer>): SeenAnswer => ({
  method: 'GET',
  path: '/api/v1/executions/e',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: exampleExecution,
  ...more,
})
const refused = (code: string) => ({ error: { code, message: 'No.', issues: [] } })

describe('every answer of a test is held against what is declared', () => {
  it('takes what fits', () => {
    checkAnswer(seen({}))
    checkAnswer(seen({ status: 404, body: refused('not_found') }))
    checkAnswer(seen({ path: '/api/v1/elsewhere', body: 'anything' }))
    checkAnswer(seen({ method: 'DELETE', status: 204, contentType: null, body: null }))
    checkAnswer(
      seen({ path: '/api/trpc/executions.get?input={}', body: { result: { data: exampleExecution } } }),
    )
    checkAnswer(seen({ path: '/api/trpc/executions.get', status: 404, body: { error: { message: 'No.' } } }))
  })

  it.each<[string, Partial<SeenAnswer>]>([
    ['a field that is not declared', { body: { ...exampleExecution, more: 1 } }],
    ['a field that is missing', { body: { ...exampleExecution, revision: undefined } }],
    ['a status that is not declared', { status: 202 }],
    ['a content type that is not declared', { contentType: 'text/html' }],
    ['a refusal that is not declared', { status: 409, body: refused('stale_draft') }],
    ['a refusal with another status than its own', { status: 400, body: refused('not_found') }],
    ['a refusal in another shape', { status: 404, body: { message: 'No.' } }],
    [
      'a message of a stream that does not fit',
      {
        path: '/api/v1/executions/e/stream',
        contentType: 'text/event-stream; charset=utf-8',
        body: 'id: 1\nevent: a\ndata: {"seq":1}\n\n',
      },
    ],
    [
      'one of a batch',
      {
        path: '/api/trpc/session.whoami,executions.get?batch=1',
        body: [{ error: {} }, { result: { data: { more: 1 } } }],
      },
    ],
  ])('refuses %s', (_what, more) => {
    expect(() => checkAnswer(seen(more))).toThrow(/^(GET|DELETE) \/api/)
  })
})
