import { describe, expect, it } from 'vitest'
import { codes, node, pipeline, set, validate } from '@/testing/definitions'

const at = (triggers: unknown, extra: object = {}) => pipeline([node('a')], { triggers, ...extra })
const cron = (extra: object = {}) => ({ id: 'daily', type: 'cron', cron: '0 6 * * *', ...extra })
const hook = (extra: object = {}) => ({ id: 'hook', type: 'webhook', secret: 'secret:weather', ...extra })
const inputs = {
  station: { type: 'string', enum: ['seattle', 'sf'] },
  rows: { type: 'number', default: 1 },
  when: { type: 'string', required: false },
}

describe('triggers', () => {
  it('[G-16] are taken as the design shows them', () => {
    const given = {
      inputs: { station: '{{ body.station }}', when: '{{ headers["x-when"] }}, {{ query.at }}' },
    }
    const triggers = [
      cron({ timezone: 'America/Los_Angeles', missed: 'latest', inputs: { station: 'seattle' } }),
      cron({ id: 'hourly', cron: '@hourly', inputs: { station: 'sf', when: '{{ system.scheduled_at }}' } }),
      hook(given),
      hook({ id: 'hub', auth: 'github', enabled: false, ...given }),
    ]
    expect(codes(at(triggers, { inputs }))).toEqual([])
  })

  it('[E-O5] impossible times, zones and ids are refused, with a hint', () => {
    const triggers = [
      cron({ cron: '0 25 * * *' }),
      cron({ timezone: 'Mars/Olympus' }),
      hook({ secret: 'hunter2' }),
    ]
    // All at once, whatever the schema refuses.
    expect(codes(at(triggers))).toEqual([
      'triggers.2.secret: invalid_value',
      'triggers.0.cron: invalid_cron',
      'triggers.1.id: duplicate_trigger_id',
      'triggers.1.timezone: invalid_timezone',
    ])
    expect(codes(at([cron({ id: '', cron: '0 25 * * *', missed: 'never' })], { inputs }))).toEqual([
      'triggers.0.id: invalid_value',
      'triggers.0.missed: invalid_value',
      'triggers.0.cron: invalid_cron',
      'triggers.0.inputs: missing_input',
    ])
    const [issue] = validate(at([cron({ cron: '0 6 * *' })])).issues
    expect(issue).toMatchObject({ message: expect.stringContaining("'0 6 * *'"), hint: expect.any(String) })
  })

  it('that were just added say what is to be filled in', () => {
    const { issues } = validate(at([cron({ id: '', cron: '' }), hook({ id: 'Hook', secret: '' })]))
    expect(issues.map(({ message, hint }) => `${message}${hint === undefined ? '' : ` (${hint})`}`)).toEqual([
      "'id' is empty (lower case letters, digits and underscores, beginning with a letter, at most 63)",
      "'cron' is empty",
      "'Hook' is not a valid name (lower case letters, digits and underscores, beginning with a letter, at most 63)",
      "'secret' is empty (the name of a secret is written secret:name)",
    ])
  })

  it('[N-O7] what they give has to fit the inputs of the pipeline', () => {
    const triggers = [
      cron({ inputs: { station: 'paris', row: 2 } }),
      hook({ inputs: { station: '{{ body.station }}', rows: 'a {{ body.rows }}' } }),
      hook({ id: 'other', inputs: { rows: '{{ body.rows }}' } }),
    ]
    expect(codes(at(triggers, { inputs }))).toEqual([
      'triggers.0.inputs.station: not_in_enum',
      'triggers.0.inputs.row: unknown_input',
      'triggers.1.inputs.rows: invalid_type',
      'triggers.2.inputs: missing_input',
    ])
  })

  it('read only what is there when they fire', () => {
    const reads = (trigger: object) =>
      codes(at([trigger], { inputs: { x: { type: 'string', required: false } } }))
    for (const text of ['{{ body.x }}', '{{ query.x }}', '{{ a.v }}', '{{ system.started_at }}'])
      expect(reads(cron({ inputs: { x: text } })), text).toEqual(['triggers.0.inputs.x: unknown_variable'])
    for (const text of ['{{ item }}', '{{ a.v }}', '{{ system.scheduled_at }}', '{{ pipeline.input.x }}'])
      expect(reads(hook({ inputs: { x: text } })), text).toEqual(['triggers.0.inputs.x: unknown_variable'])
    expect(reads(hook({ inputs: { x: '{{ body. }}' } }))).toEqual(['triggers.0.inputs.x: invalid_expression'])
  })

  it.each(['query', 'headers'])('says how to read what %s holds, which is no value by itself', (name) => {
    const trigger = hook({ inputs: { x: `{{ ${name} }}` } })
    const [issue] = validate(at([trigger], { inputs: { x: { type: 'object', required: false } } })).issues
    expect(issue).toMatchObject({
      path: ['triggers', 0, 'inputs', 'x'],
      hint: 'there are body.…, headers.… and query.…; read each value by its name',
    })
  })

  it('[G-16] system.scheduled_at is a variable where something schedules the pipeline', () => {
    const nodes = [set('a', { day: '{{ system.scheduled_at }}' })]
    expect(codes(pipeline(nodes, { triggers: [cron()] }))).toEqual([])
    expect(codes(pipeline(nodes, { triggers: [hook()] }))).toEqual([
      'nodes.0.inputBindings.day: unknown_variable',
    ])
  })

  it('what becomes of one run more is asked only where there is a limit', () => {
    const policy = (value: object) => codes(pipeline([node('a')], { policy: value }))
    expect(policy({ maxRunning: 2, whenFull: 'skip' })).toEqual([])
    expect(policy({ maxRunning: 2 })).toEqual([])
    expect(policy({ whenFull: 'skip' })).toEqual(['policy.whenFull: missing_limit'])
  })

  it('a node may still be named query or headers, and its outputs are read as before', () => {
    const nodes = [set('query', { rows: 1 }), set('b', { v: '{{ query.rows }}' }, 'event:query.completed')]
    expect(codes(pipeline(nodes))).toEqual([])
  })
})
