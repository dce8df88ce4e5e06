import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
beforeAll(async () => {
  at = await createRunnerFixture()
  for (const [name, content] of Object.entries(contents)) await writeFile(join(at.filesDir, name), content)
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
})

/** More lines than DuckDB guesses from. */
function lines(line: (at: number) => string): string {
  return Array.from({ length: 25_000 }, (_, at) => `${line(at)}\n`).join('')
}

const contents: Readonly<Record<string, string | Buffer>> = {
  'latin.csv': Buffer.from('a,b\nmüller,1\n', 'latin1'),
  'utf16.csv': Buffer.from('\ufeffa,b\nmüller,1\n', 'utf16le'),
  'plain.csv': 'a,b\n1,2\n3,4\n',
  'mixed-line-ends.csv': 'a,b\n1,2\r\n3,4\n',
  'marked.csv': '\ufeffa,b\r\n1,2\r\n',
  'cr.csv': 'a,b\r1,2\r',
  'ragged.csv': 'a,b\n1,2\n3\n4,5,6\n',
  'title.csv': 'Weather\n# of 2026\na,b\n1,2\n',
  'big.csv': 'id,v\n12345678901234567890,1.10\n9007199254740993,2.5\n',
  'ids.csv': 'id,zip\n9007199254740993,02134\n-9223372036854775808,00501\n',
  'exact.csv': 'v\n100000000000000000000\n1.123456789012345678\n',
  'marked.json': '\ufeff[{"a":1},{"a":2}]',
  'twice.json': '[{"a":1,"a":2}]',
  'big.json': '[{"id":12345678901234567890,"n":9007199254740993,"v":1.10}]',
  'mixed.json': '[{"n":1.5,"v":0.1},{"n":9007199254740993,"v":null},{"n":null,"v":1e300}]',
  'infinite.csv': 'a,b\n1e400,1\n1.5,2\n',
  'infinite.json': '[{"a":1e400}]',
  'nested.json':
    '[{"id":1,"o":{"v":1.5,"l":[[2.5]]}},{"id":2,"o":{"v":null,"l":[[9007199254740993]]}},{"id":3,"o":null}]',
  'fine.json': '[{"o":{"v":1.5,"l":[{"x":1e20}]}},{"o":{"v":null,"l":null}},{"o":null}]',
  'keyed.json': `[${Array.from({ length: 300 }, (_, at) => `{"m":{"k${at}":9007199254740993,"q${at}":1.5}}`).join()}]`,
  'late.json': `${lines((at) => `{"n":${at},"o":{"x":${at}}}`)}{"n":1.5,"o":{"x":0.5}}\n`,
  'late.csv': `n,d\n${lines((at) => `${at},2026-01-02`)}1.5,2026-01-02 03:04:05\n`,
  'late_big.csv': `n,t\n${lines((at) => `${at},a`)}12345678901234567890,b\n`,
  'late_zone.csv': `t\n${lines(() => '2026-01-02 03:04:05')}2026-01-02T03:04:05+02:00\n`,
  'fine_time.csv': 't,u\n2026-01-02 03:04:05.123456789,2026-01-02 03:04:05.1234560\n',
  'zones.csv': 't\n2026-01-02T03:04:05+02:00\n2026-01-02T03:04:05Z\n',
  'forms.csv': 'a,b\n0.5,1e5\n9007199254740993.0,9007199254740993e0\n',
  'exact_forms.csv': 'a,b\n9007199254740992.00,1.5e30\n0.5,1E+20\n',
  'comment.csv': 'a,b\n1,2\n#3,4\n5,6\n',
  'note.csv': 'a,b\n1,2\n# a note\n5,6\n',
  'infinities.csv': 'a\nnan\n1.5\ninf\n',
  'text.parquet': 'no parquet',
}

/** A query over files, each named as its file without the ending. */
function query(sql: string, names: readonly string[], more: object = {}) {
  const files = Object.fromEntries(names.map((name) => [name.replace(/[-.].*/, ''), name]))
  return at.run('duckdb.query', { sql, files, ...more })
}
const rows = async (...parameters: Parameters<typeof query>) => outputsOf(await query(...parameters))['rows']

describe('[R-86] files are read only where the query asks for them', () => {
  it.each([
    [`select a from read_csv($latin, encoding = 'latin-1')`, 'latin.csv', [{ a: 'müller' }]],
    [`select a from read_csv('latin.csv', encoding = 'latin-1')`, 'latin.csv', [{ a: 'müller' }]],
    [`select a from read_csv($utf16, encoding = 'utf-16')`, 'utf16.csv', [{ a: 'müller' }]],
    [`select octet_length(content) as n from read_blob($latin)`, 'latin.csv', [{ n: 13 }]],
    [`select size from read_blob($text)`, 'text.parquet', [{ size: 10 }]],
    [`select 'from latin' as latin`, 'latin.csv', [{ latin: 'from latin' }]],
    [`select 1 as a`, 'mixed-line-ends.csv', [{ a: 1 }]],
  ])('%s', async (sql, file, expected) => {
    expect(await rows(sql, [file])).toEqual(expected)
  })

  it.each([
    'from plain',
    'from PLAIN',
    'from main.plain',
    'with x as (select * from plain) from x',
    'select * from (select 1) as one(a), plain where plain.a > 0',
    'select (select count(*) from plain) as n from range(2)',
    'create table t as from plain; from t',
    'create view v as from plain; from v',
    'create macro m() as table from plain; from m()',
    'begin; from plain; rollback; from plain',
    `copy plain to 'copied.csv'; from 'copied.csv'`,
    `from query_table('plain')`,
    'pivot plain on a using sum(b)',
    'from (pivot plain on a using sum(b)) join marked on true',
    'describe plain',
    'explain analyze from plain',
  ])('makes a view for %s', async (sql) => {
    expect(
      outputsOf(await query(sql, ['plain.csv', 'latin.csv', 'marked.csv']))['row_count'],
    ).toBeGreaterThan(0)
  })

  it('says what is wrong with the file that the query asks for', async () => {
    const error = errorOf(await query('from latin', ['plain.csv', 'latin.csv']))
    expect(error).toMatchObject({
      kind: 'task_failed',
      message: expect.stringContaining('not utf-8') as string,
    })
    expect(errorOf(await query('from other', ['plain.csv'])).message).toContain('other does not exist')
  })

  it('takes a name with a point, and a table that the query makes itself', async () => {
    const input = { sql: 'select a from "the.data"', files: { 'the.data': 'plain.csv' } }
    expect(outputsOf(await at.run('duckdb.query', input))['rows']).toEqual([{ a: 1 }, { a: 3 }])
    const own = 'create table plain as select 7 as a; from plain'
    expect(await rows(own, ['plain.csv'])).toEqual([{ a: 7 }])
    const crossed = { sql: 'from "title.csv"', files: { 'title.csv': 'plain.csv', other: 'title.csv' } }
    expect(errorOf(await at.run('duckdb.query', crossed)).kind).toBe('invalid_input')
  })
})

describe('[R-86] no line of a CSV file is left out in silence', () => {
  it.each([
    'select count(*) from ragged',
    'from read_csv($ragged)',
    'from read_csv_auto( $ragged )',
    `from 'ragged.csv'`,
  ])('refuses %s, with the number of lines', async (sql) => {
    const { kind, message } = errorOf(await query(sql, ['ragged.csv']))
    expect(kind).toBe('task_failed')
    expect(message).toContain('reading ragged.csv would leave out its first 3 lines')
    expect(message).toContain('read_csv($ragged, null_padding = true)')
  })

  it('reads it as the query says', async () => {
    const padded = await query('from read_csv($ragged, null_padding = true)', ['ragged.csv'])
    expect(outputsOf(padded)['row_count']).toBe(3)
    const skipped = await query('from read_csv($ragged, skip = 3, header = false)', ['ragged.csv'])
    expect(outputsOf(skipped)['row_count']).toBe(1)
  })

  it('reads a table below a title, and says how many lines stand above it', async () => {
    const input = { sql: 'from title', files: { title: 'title.csv' } }
    const done = await at.start('duckdb.query', input).finished
    expect(outputsOf(done.result)['rows']).toEqual([{ a: 1, b: 2 }])
    expect(done.log).toEqual(['log title: its first 2 lines stand above the table and are no part of it'])
  })

  it('refuses a row that DuckDB takes for a comment, and counts what is one', async () => {
    for (const sql of ['from comment', 'from read_csv($comment)'])
      expect(errorOf(await query(sql, ['comment.csv'])).message).toContain(
        'reading comment.csv would leave out line 3, which begins with # like a comment and looks like a row',
      )
    const asRow = `from read_csv($comment, comment = '', null_padding = true)`
    expect(outputsOf(await query(asRow, ['comment.csv']))['row_count']).toBe(3)
    const done = await at.start('duckdb.query', { sql: 'from note', files: { note: 'note.csv' } }).finished
    expect(outputsOf(done.result)['row_count']).toBe(2)
    expect(done.log).toEqual(['log note: lines that begin with # are no part of the table: 1'])
  })

  it('takes a byte order mark and all line ends that are alike', async () => {
    expect(await rows('from marked', ['marked.csv'])).toEqual([{ a: 1, b: 2 }])
    expect(await rows('from cr', ['cr.csv'])).toEqual([{ a: 1, b: 2 }])
    expect(errorOf(await query('from mixed', ['mixed-line-ends.csv'])).kind).toBe('task_failed')
  })
})

describe('[R-86] numbers of files are exact', () => {
  it.each(['select id from big', 'from read_csv($big)', `select id from 'big.csv'`])(
    'refuses %s, where a whole number would become a double',
    async (sql) => {
      const { kind, message } = errorOf(await query(sql, ['big.csv']))
      expect(kind).toBe('task_failed')
      expect(message).toContain('12345678901234567890')
      expect(message).toContain(`read_csv($big, types = {'id': 'VARCHAR'})`)
    },
  )

  it('reads them as the query says, and the columns beside them', async () => {
    expect(await rows('select v from big', ['big.csv'])).toEqual([{ v: 1.1 }, { v: 2.5 }])
    const sql = `select id from read_csv($big, types = {'id': 'HUGEINT'})`
    expect(await rows(sql, ['big.csv'])).toEqual([{ id: '12345678901234567890' }, { id: '9007199254740993' }])
  })

  it('gives whole numbers that do not fit into JSON as text, and leading zeros as they stand', async () => {
    expect(await rows('from ids', ['ids.csv'])).toEqual([
      { id: '9007199254740993', zip: '02134' },
      { id: '-9223372036854775808', zip: '00501' },
    ])
    expect(await rows('from exact', ['exact.csv'])).toEqual([{ v: 1e20 }, { v: 1.1234567890123457 }])
  })

  it('reads JSON with a byte order mark, refuses a key that stands twice, and keeps large numbers', async () => {
    expect(await rows('from marked', ['marked.json'])).toEqual([{ a: 1 }, { a: 2 }])
    expect(errorOf(await query('from twice', ['twice.json'])).message).toContain('duplicate key')
    expect(await rows('from big', ['big.json'])).toEqual([
      { id: '12345678901234567890', n: '9007199254740993', v: 1.1 },
    ])
  })

  it('refuses what would become a double or infinite, where the query reads it', async () => {
    const failure = async (sql: string, file: string) => errorOf(await query(sql, [file])).message
    expect(await failure('select n from mixed', 'mixed.json')).toMatch(
      /mixed: column n of mixed\.json .* read_json\(\$mixed, columns = .* The number: 9007199254740993$/,
    )
    expect(await rows('select v from mixed', ['mixed.json'])).toEqual([{ v: 0.1 }, { v: null }, { v: 1e300 }])
    for (const sql of ['select a from infinite', 'from read_csv($infinite)'])
      expect(await failure(sql, 'infinite.csv')).toContain('The number: 1e400')
    expect(await failure('from infinite', 'infinite.json')).toContain('The number: 1e400')
    expect(await rows('from infinities', ['infinities.csv'])).toEqual([
      { a: 'NaN' },
      { a: 1.5 },
      { a: 'Infinity' },
    ])
  })

  it.each([
    ['1.10::decimal(38,10)', 1.1],
    ['1.10::decimal(38,20)', 1.1],
    ['0::decimal(38,10)', 0],
    ['-0.5::decimal(38,30)', -0.5],
    ['0.1234567890123456::decimal(38,16)', 0.1234567890123456],
    ['123456789012345678.10::decimal(38,10)', '123456789012345678.1000000000'],
    ['0.12345678901234567890::decimal(38,20)', '0.12345678901234567890'],
    ['9007199254740993::decimal(38,0)', '9007199254740993'],
  ])('gives %s as it is', async (sql, expected) => {
    expect(await rows(`select ${sql} as d`, [])).toEqual([{ d: expected }])
  })

  const failure = async (sql: string, file: string) => errorOf(await query(sql, [file])).message

  it('refuses them inside of objects, lists and maps, and reads what is exact', async () => {
    for (const sql of ['select o from nested', `select o.l from nested`, 'from read_json($nested)'])
      expect(await failure(sql, 'nested.json')).toMatch(
        /column o of nested\.json .* read_json\(\$nested, columns = .* The number: 9007199254740993$/,
      )
    expect(await rows('select id from nested', ['nested.json'])).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(await failure('from keyed', 'keyed.json')).toContain('The number: 9007199254740993')
    const exact = [{ o: { v: 1.5, l: [{ x: 1e20 }] } }, { o: { v: null, l: null } }, { o: null }]
    expect(await rows('from fine', ['fine.json'])).toEqual(exact)
    expect(await rows('from read_json($fine)', ['fine.json'])).toEqual(exact)
  })

  it.each(['from read_json($mixed)', `from 'mixed.json'`, `from read_json_auto( 'mixed.json' )`])(
    'refuses %s, where DuckDB reads the file by itself',
    async (sql) => expect(await failure(sql, 'mixed.json')).toContain('The number: 9007199254740993'),
  )

  it('looks at numbers in all of their forms', async () => {
    expect(await failure('select a from forms', 'forms.csv')).toContain('The number: 9007199254740993.0')
    expect(await failure('select b from forms', 'forms.csv')).toContain('The number: 9007199254740993e0')
    expect(await rows('from read_csv($exact_forms)', ['exact_forms.csv'])).toEqual([
      { a: 9007199254740992, b: 1.5e30 },
      { a: 0.5, b: 1e20 },
    ])
  })

  it('takes the types of a file from all of its lines, and refuses where the query has them guessed', async () => {
    const last = 'select n from late where n <> floor(n)'
    expect(await rows(last, ['late.csv'])).toEqual([{ n: 1.5 }])
    expect(await rows(last, ['late.json'])).toEqual([{ n: 1.5 }])
    expect(await rows('select o.x from late where n = 1.5', ['late.json'])).toEqual([{ x: 0.5 }])
    expect(await rows('select d from late where n = 1.5', ['late.csv'])).toEqual([
      { d: '2026-01-02T03:04:05' },
    ])
    expect(await failure('select n from late_big', 'late_big.csv')).toContain('12345678901234567890')
    expect(await failure('from read_csv($late)', 'late.csv')).toContain('read_csv($late, sample_size = -1)')
    expect(await failure('from read_json($late)', 'late.json')).toContain(
      'read_json($late, sample_size = -1)',
    )
  })

  it('changes no time of a CSV file', async () => {
    expect(await failure('from late_zone', 'late_zone.csv')).toContain('The time: 2026-01-02T03:04:05+02:00')
    expect(await failure('select t from fine_time', 'fine_time.csv')).toContain(
      'The time: 2026-01-02 03:04:05.1',
    )
    expect(await rows('select u from fine_time', ['fine_time.csv'])).toEqual([
      { u: '2026-01-02T03:04:05.123456' },
    ])
    expect(await rows('from zones', ['zones.csv'])).toEqual([
      { t: '2026-01-02T01:04:05Z' },
      { t: '2026-01-02T03:04:05Z' },
    ])
  })

  it.each(['row(1, 2)', `{'a': [row(1, 'b')]}`, `map {'k': row(1, 2)}`])(
    'refuses %s, of whose fields only one would be left',
    async (sql) => expect(await failure(`select ${sql} as r`, 'plain.csv')).toContain('column r has objects'),
  )

  it('refuses half of a character, which would become another in UTF-8', async () => {
    const half = errorOf(await query('select $a as a', [], { params: { a: 'a\ud800' } }))
    expect(half).toMatchObject({
      kind: 'invalid_input',
      message: expect.stringContaining('params.a') as string,
    })
    expect(await rows('select $a as a', [], { params: { a: 'a\0\u{1f986}' } })).toEqual([
      { a: 'a\0\u{1f986}' },
    ])
  })

  it('binds whole numbers as such, whatever their size, and text where they have to be exact', async () => {
    const compare = (id: unknown) =>
      rows('select 9007199254740993::bigint = $id as same', [], { params: { id } })
    expect(await compare(9007199254740992)).toEqual([{ same: false }])
    expect(await compare('9007199254740993')).toEqual([{ same: true }])
    const type = (value: number) => rows('select typeof($1) as t', [], { params: [value] })
    expect(await type(1e20)).toEqual([{ t: 'HUGEINT' }])
    expect(await type(1.5e30)).toEqual([{ t: 'DOUBLE' }])
    expect(await type(1e300)).toEqual([{ t: 'DOUBLE' }])
  })
})
