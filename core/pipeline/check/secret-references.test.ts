import { describe, expect, it } from 'vitest'
import { S, node, pipeline, validate } from '@/testing/definitions'

const refused = (definition: unknown) =>
  validate(definition)
    .issues.filter(({ code, message }) => code === 'not_supported_yet' && message.includes('secret'))
    .map(({ path }) => path.join('.'))

const task = (name: string, inputBindings: object, more: object = {}) =>
  pipeline([{ id: 'a', task: name, inputBindings, startWhen: S, ...more }])

const http = (more: object) => task('http.request', { method: 'GET', url: 'https://example.com', ...more })

describe('a secret that no task reads', () => {
  it.each([
    [http({ headers: { Authorization: 'secret:sx' } }), 'headers.Authorization'],
    [http({ headers: { Authorization: 'Bearer secret:sx' } }), 'headers.Authorization'],
    [http({ headers: { Cookie: 'session=secret:sx' } }), 'headers.Cookie'],
    [http({ body: { nested: [{ key: 'secret:SX-1' }] } }), 'body.nested.0.key'],
    [http({ headers: { 'X-Key': "{{ 'secret:sx' }}" } }), 'headers.X-Key'],
    [http({ headers: { 'X-Key': '${secret:sx}' } }), 'headers.X-Key'],
    [http({ url: 'https://me:secret:sx@example.com' }), 'url'],
    [task('shell', { command: ['env'], env: { TOKEN: 'secret:sx' } }), 'env.TOKEN'],
    [task('shell', { command: ['curl', '-H', 'Authorization: Bearer secret:sx'] }), 'command.2'],
    [task('shell', { script: 'curl -H "Authorization: Bearer secret:sx" x' }), 'script'],
    [task('script.javascript', { code: "const key = 'secret:sx'\nreturn key" }), 'code'],
    [task('duckdb.query', { sql: "select 'secret:sx' as key" }), 'sql'],
    [task('log', { message: 'secret:sx' }), 'message'],
  ])('[R-84] is refused with its place: %#', (definition, place) => {
    expect(refused(definition)).toEqual([`nodes.0.inputBindings.${place}`])
  })

  it('[R-84] is refused wherever a value of a run is written', () => {
    const definition = pipeline(
      [
        node('a', S, { forEach: { items: ['secret:one'] }, outputVariables: { v: ['secret:two'] } }),
        {
          id: 'b',
          pipeline: 'child',
          inputBindings: { token: 'secret:three' },
          startWhen: 'event:a.completed',
        },
        node('c', "event:b.completed && {{ a.v[0] == 'secret:four' }}", {
          retry: { maxAttempts: 2, when: "{{ error.message == 'secret:five' }}" },
        }),
      ],
      {
        inputs: {
          token: { type: 'string', default: 'secret:six', description: 'As secret:six says.' },
          other: { type: 'object', default: { deep: ['secret:seven'] } },
        },
        labels: { token: 'secret:eleven' },
        outputs: { o: { value: { t: 'secret:eight' } } },
        triggers: [
          { id: 'hook', type: 'webhook', secret: 'secret:hook', inputs: { token: 'secret:nine' } },
          { id: 'cron', type: 'cron', cron: '0 6 * * *', inputs: { token: 'secret:ten' } },
        ],
      },
    )
    expect(refused(definition).sort()).toEqual([
      'inputs.other.default.deep.0',
      'inputs.token.default',
      'labels.token',
      'nodes.0.forEach.items.0',
      'nodes.0.outputVariables.v.0',
      'nodes.1.inputBindings.token',
      'nodes.2.retry.when',
      'nodes.2.startWhen',
      'outputs.o.value.t',
      'triggers.0.inputs.token',
      'triggers.1.inputs.token',
    ])
    expect(validate(http({ headers: { Authorization: 'Bearer secret:sx' } })).issues[0]).toMatchObject({
      message: "'secret:sx' would be sent as this text: no task reads secrets yet",
      severity: 'error',
    })
  })

  it.each([
    ['words of people', task('log', { message: 'the secret: keep calm' })],
    ['another word', task('log', { message: 'top-secret:plan and my_secret:x' })],
    [
      'a member in code',
      task('script.javascript', { code: 'const x = 1\nreturn {secret:x, a: { secret:x } }' }),
    ],
    ['an argument', http({ method: 'POST', body: 'mutation { rotate(secret:abc) }' })],
    ['a text of an expression', task('log', { message: "{{ 'secret' + ':x' }}" })],
    [
      'a description',
      task('log', { message: 'hi' }, { description: 'needs secret:hook', name: 'secret:hook' }),
    ],
  ])('is not %s', (_what, definition) => {
    expect(refused(definition)).toEqual([])
  })

  it('is read by a webhook', () => {
    const triggers = [{ id: 'hook', type: 'webhook', secret: 'secret:hook' }]
    expect(validate(pipeline([node('a', S)], { triggers })).valid).toBe(true)
  })
})
