import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

describe('chart.render', () => {
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    mark: 'bar',
    encoding: {
      x: { field: 'month', type: 'ordinal' },
      y: { field: 'rain', type: 'quantitative' },
      tooltip: { field: 'month' },
    },
  }
  const data = [
    { month: 1, rain: 10 },
    { month: 2, rain: 20 },
  ]

  it('draws the rows as SVG, inline and as an artifact', async () => {
    const outputs = outputsOf(await at.run('chart.render', { spec, data }))
    expect(outputs['svg']).toMatch(/^<svg /)
    expect(String(outputs['svg']).match(/aria-roledescription="bar"/g)).toHaveLength(2)
    expect(outputs['artifact']).toMatchObject({ name: 'chart.svg', content_type: 'image/svg+xml' })
    expect(await at.textOf(outputs['artifact'])).toBe(outputs['svg'])
  })

  it('refuses a link of a mark with a message, not with the end of the worker', async () => {
    const linked = { ...spec, encoding: { ...spec.encoding, href: { value: 'data:text/html,x' } } }
    expect(errorOf(await at.run('chart.render', { spec: linked, data }))).toMatchObject({
      kind: 'egress_refused',
      message: 'a chart loads nothing: data:text/html,x',
    })
  })

  it('offers the rows as the data set table to layers', async () => {
    const layered = { data: { name: 'table' }, layer: [{ mark: 'bar', encoding: spec.encoding }] }
    expect(outputsOf(await at.run('chart.render', { spec: layered, data }))['svg']).toContain(
      'graphics-symbol',
    )
  })

  it('reads the rows of a file and of an artifact', async () => {
    const rain = { mark: 'bar', encoding: { x: { field: 'weather' }, y: { aggregate: 'count' } } }
    const drawn = await at.run('chart.render', { spec: rain, data: 'samples/seattle-weather.csv' })
    expect(String(outputsOf(drawn)['svg']).match(/aria-roledescription="bar"/g)).toHaveLength(5)
    const written = outputsOf(await at.run('file.write', { path: 'rows.json', content: data }))
    const again = outputsOf(await at.run('chart.render', { spec, data: written['artifact'] ?? null }))
    expect(String(again['svg']).match(/aria-roledescription="bar"/g)).toHaveLength(2)
  })

  it('evaluates expressions without compiling code', async () => {
    const computed = { ...spec, transform: [{ calculate: 'datum.rain * 3', as: 'rain' }] }
    const escape = {
      ...spec,
      transform: [{ calculate: 'datum.constructor.constructor("return process.pid")()', as: 'rain' }],
    }
    expect(outputsOf(await at.run('chart.render', { spec: computed, data }))['svg']).toContain('60')
    const result = await at.run('chart.render', { spec: escape, data })
    expect(result.ok === true ? JSON.stringify(result.outputs) : 'refused').not.toMatch(/pid/)
  })

  it('loads nothing: a URL is refused and named', async () => {
    const withUrl = { ...spec, data: { url: 'data/cars.json' } }
    const error = errorOf(await at.run('chart.render', { spec: withUrl }))
    expect(error).toMatchObject({ kind: 'egress_refused', message: expect.stringContaining('spec.data.url') })
    const image = { ...spec, mark: { type: 'image', url: 'http://127.0.0.1:1/a.png' } }
    expect(errorOf(await at.run('chart.render', { spec: image, data })).kind).toBe('egress_refused')
    const nested = { hconcat: [{ layer: [{ ...spec, data: { url: 'file:///etc/passwd' } }] }] }
    expect(errorOf(await at.run('chart.render', { spec: nested, data })).kind).toBe('egress_refused')
  })

  it('escapes what the data say', async () => {
    const rows = [{ month: '<script>alert(1)</script>', rain: 1 }]
    const outputs = outputsOf(await at.run('chart.render', { spec, data: rows }))
    expect(outputs['svg']).not.toContain('<script')
  })

  it('[R-61] leaves out an SVG that is too large for one output and says so', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => ({ month: n % 900, rain: n }))
    const done = await at.start('chart.render', { spec: { ...spec, mark: 'point' }, data: many }).finished
    const outputs = outputsOf(done.result)
    expect(outputs['svg']).toBeNull()
    expect(done.log.join()).toContain('svg is null')
    expect((outputs['artifact'] as { bytes: number }).bytes).toBeGreaterThan(1024 * 1024)
  })

  it('refuses what is no chart', async () => {
    expect(errorOf(await at.run('chart.render', { spec: 'bar' })).kind).toBe('invalid_input')
    expect(errorOf(await at.run('chart.render', { spec: { mark: 'nothing' }, data })).kind).toBe(
      'invalid_input',
    )
    expect(errorOf(await at.run('chart.render', { spec, data: { a: 1 } as never })).kind).toBe(
      'invalid_input',
    )
  })
})
