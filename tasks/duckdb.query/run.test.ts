import { symlink, writeFile } from 'node:fs/promises'
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

  it('takes parameters by position and by name', async () => {
    const byPlace = await query('select count(*) as n from weather where weather = $1 and wind > $2', {
      params: ['rain', 5],
    })
    const byName = await query('select count(*) as n from weather where weather = $kind limit $most', {
      params: { kind: 'rain', most: 1 },
    })
    expect(outputsOf(byPlace)['rows']).toEqual([{ n: 120 }])
    expect(outputsOf(byName)['rows']).toEqual([{ n: 641 }])
    const byFile = await query('select count(*) as n from read_csv_auto($weather) where wind > $least', {
      params: { least: 5 },
    })
    expect(outputsOf(byFile)['rows']).toEqual([{ n: 174 }])
    for (const params of [[{}], [], { other: 1 }, [1, 2]]) {
      expect(errorOf(await query('select $1', { params })).kind).toBe('invalid_input')
    }
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

  it('reports an error of the query', async () => {
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

  it('[R-55] reads the files of a list as a folder', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(async (n) => outputsOf(await query(`select ${n} as n`, { format: 'csv' }))['artifact']),
    )
    const sql =
      "select sum(n)::int as n, count(distinct filename) as files from read_csv('parts/*.csv', filename = true)"
    const read = outputsOf(await query(sql, { files: { parts: made } }))
    expect(read['rows']).toEqual([{ n: 6, files: 3 }])
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
