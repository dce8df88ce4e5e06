import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

const script = (code: string, input: unknown = null, more: object = {}) =>
  at.run('script.javascript', { code, input: input as never, ...more })

describe('script.javascript', () => {
  it('runs a function body over its input and returns the result', async () => {
    const outputs = outputsOf(await script('return input.rows.map((n) => n * 2)', { rows: [1, 2, 3] }))
    expect(outputs).toEqual({ result: [2, 4, 6] })
  })

  it('awaits promises that the script itself settles', async () => {
    const code = 'const twice = async (n) => n * 2\nreturn (await Promise.all([twice(1), twice(2)]))'
    expect(outputsOf(await script(code))).toEqual({ result: [2, 4] })
  })

  it('fails when the script waits for something that never happens', async () => {
    const error = errorOf(await script('await new Promise(() => {})'))
    expect(error).toMatchObject({ kind: 'task_failed', message: expect.stringContaining('nothing settles') })
  })

  it('returns null when the script returns nothing', async () => {
    expect(outputsOf(await script('const a = 1'))).toEqual({ result: null })
  })

  it('tells the message and the line of what was thrown', async () => {
    const error = errorOf(
      await script('const a = 1\nconst b = 2\nthrow new RangeError("no rain in Seattle")'),
    )
    expect(error.kind).toBe('task_failed')
    expect(error.message).toBe('RangeError: no rain in Seattle (line 3)')
  })

  it('bounds a long message', async () => {
    const error = errorOf(await script('throw new Error("ä".repeat(100000))'))
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(2048)
    expect(error.message).toContain('(shortened)')
  })

  it('tells a syntax error', async () => {
    expect(errorOf(await script('return ((')).message).toContain('SyntaxError')
  })

  it('puts console output into the log', async () => {
    const done = await at.start('script.javascript', {
      code: 'console.log("rows", 3, { a: [1] })\nconsole.error("odd")',
      input: null,
    }).finished
    expect(done.log).toEqual(['stdout rows 3 {"a":[1]}', 'stderr odd'])
  })

  it('refuses a result that is no JSON', async () => {
    for (const code of ['const a = {}; a.a = a; return a', 'return 10n', 'return () => 1']) {
      expect(errorOf(await script(code)).message).toContain('cannot be written as JSON')
    }
  })

  it('[R-61] refuses a result over 1 MB and names the output, its size and the limit', async () => {
    const error = errorOf(await script('return "x".repeat(50 * 1024 * 1024)', null, { memory: '512Mi' }))
    expect(error).toMatchObject({ kind: 'output_too_large', detail: { output: 'result', limit: 1048576 } })
    expect(error.message).toContain('output result: 50 MB')
  })

  it('offers nothing of the host', async () => {
    const names = [
      'process',
      'require',
      'fetch',
      'Deno',
      'setTimeout',
      'WebAssembly',
      'global',
      'importScripts',
    ]
    const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`
    expect(outputsOf(await script(code))).toEqual({ result: [] })
    expect(errorOf(await script('return await import("node:fs")')).kind).toBe('task_failed')
    const escape = 'return [].constructor.constructor("return typeof process + typeof require")()'
    expect(outputsOf(await script(escape))).toEqual({ result: 'undefinedundefined' })
  })

  it('lets nothing of one script reach the next', async () => {
    await script('Object.prototype.leak = 1; globalThis.leak = 2; JSON.stringify = () => "3"; return 1')
    expect(outputsOf(await script('return [typeof leak, typeof ({}).leak]'))).toEqual({
      result: ['undefined', 'undefined'],
    })
  })

  it('does not take a value that looks like a file for one', async () => {
    const code = 'return { $file: "/etc/passwd", name: "a", contentType: "text/plain" }'
    expect(outputsOf(await script(code))).toEqual({
      result: { $file: '/etc/passwd', name: 'a', contentType: 'text/plain' },
    })
  })

  it('holds its own memory limit and refuses a size that is none', async () => {
    const code = 'const all = []; for (;;) all.push("x".repeat(1000) + all.length)'
    const error = errorOf(await script(code, null, { memory: '16Mi' }))
    expect(error.kind).toBe('task_failed')
    expect(error.message).toContain('memory')
    expect(errorOf(await script('return 1', null, { memory: 'lots' })).kind).toBe('invalid_input')
  })

  it('survives deep recursion, and the next script runs', async () => {
    expect(errorOf(await script('const f = () => f() + 1; return f()')).kind).toBe('task_failed')
    expect(errorOf(await script('let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a')).kind).toBe(
      'task_failed',
    )
    expect(outputsOf(await script('return 1'))).toEqual({ result: 1 })
  })
})

describe('duckdb.query', () => {
  const files = { weather: 'samples/seattle-weather.csv' }
  const query = (sql: string, more: object = {}) => at.run('duckdb.query', { sql, files, ...more })

  it('reads the real weather of Seattle through a view and by its file name', async () => {
    const sql = `select count(*) as days, count(*) filter (weather = 'rain') as rain from weather`
    const outputs = outputsOf(await query(sql))
    expect(outputs).toMatchObject({ row_count: 1, rows: [{ days: 1461, rain: 641 }], artifact: null })
    const byName = outputsOf(await query(`select count(*) as days from read_csv('seattle-weather.csv')`))
    expect(byName['rows']).toEqual([{ days: 1461 }])
  })

  it('counts three million flights', async () => {
    const sql = 'select count(*) as flights from flights'
    const outputs = outputsOf(await query(sql, { files: { flights: 'samples/flights-3m.parquet' } }))
    expect(outputs['rows']).toEqual([{ flights: 3_000_000 }])
  })

  it('[R-61] gives the first rows, the full count, and says what it left out', async () => {
    const input = { sql: 'from weather', files, max_rows: 2 }
    const done = await at.start('duckdb.query', input).finished
    const outputs = outputsOf(done.result)
    expect(outputs['row_count']).toBe(1461)
    expect(outputs['rows']).toHaveLength(2)
    expect(outputs['truncated']).toBe(true)
    expect(done.log).toEqual(['log rows holds the first 2 of 1461 rows (max_rows is 2)'])
  })

  it('writes the whole result as an artifact', async () => {
    const outputs = outputsOf(
      await query('select date, wind from weather order by date', { format: 'csv', max_rows: 1 }),
    )
    expect(outputs['artifact']).toMatchObject({ name: 'result.csv', content_type: 'text/csv; charset=utf-8' })
    const lines = (await at.textOf(outputs['artifact'])).trim().split('\n')
    expect(lines).toHaveLength(1462)
    expect(lines.slice(0, 2)).toEqual(['date,wind', '2012-01-01,4.7'])
    const again = outputsOf(
      await query('select count(*) as n from saved', { files: { saved: outputs['artifact'] } }),
    )
    expect(again['rows']).toEqual([{ n: 1461 }])
    for (const format of ['parquet', 'json']) {
      const made = outputsOf(await query('select weather, count(*) n from weather group by all', { format }))
      const read = await query(`select sum(n) as n from made`, { files: { made: made['artifact'] } })
      expect(outputsOf(read)['rows']).toEqual([{ n: 1461 }])
    }
  })

  it('takes parameters by place and by name', async () => {
    const byPlace = await query('select count(*) as n from weather where weather = $1 and wind > $2', {
      params: ['rain', 5],
    })
    const byName = await query('select count(*) as n from weather where weather = $kind limit $most', {
      params: { kind: 'rain', most: 1 },
    })
    expect(outputsOf(byPlace)['rows']).toEqual([{ n: 120 }])
    expect(outputsOf(byName)['rows']).toEqual([{ n: 641 }])
    expect(errorOf(await query('select $1', { params: [{}] })).kind).toBe('invalid_input')
  })

  it('runs several statements and gives the result of the last', async () => {
    const sql = "create table rain as from weather where weather = 'rain'; select count(*) as n from rain;"
    expect(outputsOf(await query(sql))['rows']).toEqual([{ n: 641 }])
  })

  it('turns every type into JSON', async () => {
    const sql = `select 1::bigint as a, 9007199254740993::bigint as b, 1.25::decimal(9, 2) as c,
      12345678901234567890.12::decimal(22, 2) as d, date '2026-01-02' as e, timestamp '2026-01-02 03:04:05.5' as f,
      timestamptz '2026-01-02 03:04:05+00' as g, [1, 2]::bigint[] as h, {'x': 1::bigint, 'y': [date '2026-01-02']} as i,
      map {'k': 1::hugeint} as j, 'nan'::double as k, null as l, true as m, sum(2) as n, time '01:02:03' as o,
      uuid '00000000-0000-0000-0000-000000000001' as p, [timestamptz '2026-01-02 03:04:05+00'] as q,
      interval 1 day as r, 'ab'::blob as s, '{"a":1}'::json as t, ['a', null] as u`
    const [row] = outputsOf(await query(sql))['rows'] as Record<string, unknown>[]
    expect(row).toEqual({
      a: 1,
      b: '9007199254740993',
      c: 1.25,
      d: '12345678901234567890.12',
      e: '2026-01-02',
      f: '2026-01-02T03:04:05.5',
      g: '2026-01-02T03:04:05Z',
      h: [1, 2],
      i: { x: 1, y: ['2026-01-02'] },
      j: [{ key: 'k', value: 1 }],
      k: 'NaN',
      l: null,
      m: true,
      n: 2,
      o: '01:02:03',
      p: '00000000-0000-0000-0000-000000000001',
      q: ['2026-01-02T03:04:05Z'],
      r: '1 day',
      s: 'ab',
      t: '{"a":1}',
      u: ['a', null],
    })
  })

  it('writes an artifact of every type that it can return', async () => {
    const outputs = outputsOf(
      await query(`select null as l, {'x': [1]} as i, 1.5::decimal(3,1) as d, 'a' as "odd ""name"`, {
        format: 'parquet',
      }),
    )
    expect(outputs['row_count']).toBe(1)
  })

  it('tells an error of the query', async () => {
    const error = errorOf(await query('select nothing from weather'))
    expect(error.kind).toBe('task_failed')
    expect(error.message).toContain('nothing')
    expect(errorOf(await query('   ')).kind).toBe('invalid_input')
    expect(errorOf(await query('-- nothing')).kind).toBe('invalid_input')
    expect(errorOf(await query('select 1', { format: 'exe' })).kind).toBe('invalid_input')
  })

  it('reaches no file, no network and no setting outside its folder', async () => {
    const attacks = [
      `select * from read_text('/etc/passwd')`,
      `select * from read_text('../../../../../../../etc/passwd')`,
      `select * from glob('/etc/*')`,
      `copy (select 1) to '/tmp/penstock-escaped.csv'`,
      `attach '/tmp/penstock-escaped.db'`,
      `select * from read_csv('http://127.0.0.1:1/a.csv')`,
      `install httpfs`,
      `load httpfs`,
      `set enable_external_access = true`,
      `set allowed_directories = ['/']`,
      `reset lock_configuration`,
      `export database '/tmp/penstock-escaped'`,
      `select * from read_text('${at.filesDir}/samples/seattle-weather.csv')`,
    ]
    for (const sql of attacks) expect(errorOf(await query(sql)).kind, sql).toBe('task_failed')
  })

  it('cannot change the file that it was given', async () => {
    const before = await at.bytesOf(join(at.filesDir, 'samples/seattle-weather.csv'))
    outputsOf(await query(`copy (select 1 as a) to 'seattle-weather.csv' (use_tmp_file false)`))
    expect(await at.bytesOf(join(at.filesDir, 'samples/seattle-weather.csv'))).toBe(before)
  })

  it('refuses paths that leave the folder of files, links and things that are no files', async () => {
    await writeFile(join(at.filesDir, '..', 'secret.csv'), 'a\n1\n')
    await symlink('../secret.csv', join(at.filesDir, 'link.csv'))
    await symlink('..', join(at.filesDir, 'up'))
    const paths = [
      '../secret.csv',
      'samples/../../secret.csv',
      '/etc/passwd',
      'link.csv',
      'up/secret.csv',
      'samples',
      'missing.csv',
      'samples\\..\\secret.csv',
      'samples/seattle-weather.csv\0.png',
      '%2e%2e/secret.csv',
      './samples/seattle-weather.csv',
      'samples//seattle-weather.csv',
      '',
    ]
    for (const path of paths) {
      expect(errorOf(await query('select 1', { files: { f: path } })).kind, path).toBe('invalid_input')
    }
    expect(errorOf(await query('select 1', { files: { 'a"b': 'samples/seattle-weather.csv' } })).kind).toBe(
      'invalid_input',
    )
    expect(errorOf(await query('select 1', { files: { a: { artifact_id: 'art_999' } } })).kind).toBe(
      'invalid_input',
    )
  })
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

  it('offers the rows as the data set table to layers', async () => {
    const layered = { data: { name: 'table' }, layer: [{ mark: 'bar', encoding: spec.encoding }] }
    expect(outputsOf(await at.run('chart.render', { spec: layered, data }))['svg']).toContain(
      'graphics-symbol',
    )
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

describe('file.write and the tasks of the server', () => {
  it('makes an artifact of text and of JSON', async () => {
    const outputs = outputsOf(
      await at.run('file.write', { path: 'weather/report.html', content: '<h1>ä</h1>' }),
    )
    expect(outputs).toMatchObject({
      path: 'weather/report.html',
      bytes: 11,
      artifact: { name: 'weather/report.html', content_type: 'text/html; charset=utf-8', bytes: 11 },
    })
    expect(await at.textOf(outputs['artifact'])).toBe('<h1>ä</h1>')
    const json = outputsOf(await at.run('file.write', { path: 'a.json', content: { a: [1] } }))
    expect(JSON.parse(await at.textOf(json['artifact']))).toEqual({ a: [1] })
  })

  it('refuses paths that leave the folder and content types that are none', async () => {
    for (const path of [
      '../a',
      '/a',
      'a/../../b',
      'a\\b',
      'a\0b',
      '',
      'a//b',
      '.env',
      'a\nb',
      'x'.repeat(256),
      '\ud800',
      3,
    ]) {
      expect(errorOf(await at.run('file.write', { path, content: 'x' })).kind, String(path)).toBe(
        'invalid_input',
      )
    }
    for (const contentType of ['html', 'text/html\r\nset-cookie: a', '']) {
      const result = await at.run('file.write', { path: 'a', content: 'x', content_type: contentType })
      expect(errorOf(result).kind).toBe('invalid_input')
    }
  })

  it('gives back what set was given, logs, fails as asked and does nothing', async () => {
    expect(outputsOf(await at.run('set', { a: 1, b: { $file: '/etc/passwd' } }))).toEqual({
      a: 1,
      b: { $file: '/etc/passwd' },
    })
    expect(outputsOf(await at.run('noop', {}))).toEqual({})
    const done = await at.start('log', { message: 'hello', level: 'warn' }).finished
    expect(done.log).toEqual(['log warn: hello'])
    expect(errorOf(await at.run('fail', { message: 'no', kind: 'too_wet' }))).toEqual({
      kind: 'too_wet',
      message: 'no',
    })
    expect(errorOf(await at.run('fail', { message: 'no' }))).toEqual({ kind: 'task_failed', message: 'no' })
    expect(errorOf(await at.run('constructor', {})).kind).toBe('invalid_input')
  })

  it('[R-61] refuses outputs of the server that are too large', async () => {
    const error = errorOf(await at.run('set', { a: 1, big: 'x'.repeat(1024 * 1024) }))
    expect(error).toMatchObject({ kind: 'output_too_large', detail: { output: 'big' } })
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`v${n}`, 'x'.repeat(1_000_000)]))
    expect(errorOf(await at.run('set', many))).toMatchObject({
      kind: 'output_too_large',
      detail: { output: null },
    })
  })

  it('leaves no folder of an attempt behind', async () => {
    const [home] = await readdir(at.workRoot)
    expect(await readdir(join(at.workRoot, home ?? ''))).toEqual([])
  })
})
