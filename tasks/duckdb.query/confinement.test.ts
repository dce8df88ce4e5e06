import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

let at: RunnerFixture
const asked: string[] = []
const offer = createServer((request, response) => {
  asked.push(request.url ?? '')
  response.writeHead(404).end()
})
let from: string
beforeAll(async () => {
  at = await createRunnerFixture()
  offer.listen(0, '127.0.0.1')
  await once(offer, 'listening')
  from = `'http://127.0.0.1:${(offer.address() as AddressInfo).port}/x.duckdb_extension'`
})
afterAll(async () => {
  offer.close()
  await at[Symbol.asyncDispose]()
})

const query = (sql: string) => at.run('duckdb.query', { sql })

describe('[SECURITY] the confinement of duckdb.query', () => {
  it('fetches no extension, from wherever it is offered and whatever stands around it', async () => {
    for (const sql of [
      `install x from ${from}`,
      `force install ${from}`,
      `install ${from}; select 1`,
      `load ${from}`,
      'update extensions',
      `explain install x from ${from}`,
      `explain analyze install httpfs from ${from}`,
      `explain analyze force install ${from}`,
      `explain (analyze, format json) install x from ${from}`,
      'explain analyze update extensions',
      `-- a plan\nexplain analyze /* of */ install x from ${from}`,
      `explain analyze load ${from}`,
    ]) {
      expect(errorOf(await query(sql)), sql).toMatchObject({ kind: 'egress_refused' })
    }
    for (const sql of [
      `/* a plan */ explain analyze install x from ${from}`,
      `select 1; explain analyze install x from ${from}`,
      `explain analyze install x from ${from}; select 1`,
      `explain analyze (select 1); explain analyze install x from ${from}`,
      `explain (format json) select 1; explain analyze install x from ${from}`,
    ]) {
      expect(errorOf(await query(sql)), sql).toMatchObject({ kind: 'invalid_input' })
    }
    expect(asked).toEqual([])
  })

  it('takes the kinds of statements that a query needs, and no others', async () => {
    for (const sql of [
      'create table t (a int); insert into t values (1); update t set a = 2; delete from t; select count(*) from t',
      'create table t as select 1 as a; alter table t rename a to b; truncate t; drop table t',
      'create table t as select 1 a; merge into t using t s on t.a = s.a when matched then delete',
      'create macro f(x) as x + 1; select f(1)',
      "set variable a = 1; select getvariable('a')",
      "attach ':memory:' as m; create table m.t (a int); detach m",
      'begin; commit',
      'analyze; vacuum',
      "copy (select 1 as a) to 'a.csv'; from 'a.csv'",
      'pivot (select 1 as a, 2 as b) on a using sum(b)',
      'describe select 1',
      'summarize select 1',
      'show tables',
      'pragma version',
      'explain select 1',
      '-- the plan\nexplain analyze select 1',
      'explain (analyze, format json) with x as (from range(3)) from x',
    ]) {
      outputsOf(await query(sql))
    }
    for (const sql of [
      'prepare p as select 1',
      'call pragma_version()',
      'checkpoint',
      'pragma enable_object_cache',
      'explain analyze call pragma_version()',
      "explain analyze copy (select 1) to 'a.csv'",
      'select 1; explain select 1',
    ]) {
      expect(errorOf(await query(sql)), sql).toMatchObject({ kind: 'invalid_input' })
    }
  })

  it('lets no query change the log, the profile or the parser of DuckDB', async () => {
    for (const sql of [
      `call enable_logging(storage = 'file', storage_path = '/tmp/penstock-log')`,
      `from enable_logging(storage = 'file'); select 1`,
      `from "enable_logging"()`,
      `from query('from Enable_Logging()')`,
      'pragma enable_profiling',
      'from enable_peg_parser()',
    ]) {
      expect(errorOf(await query(sql)), sql).toMatchObject({ kind: 'invalid_input' })
    }
  })

  it('reports a crash of DuckDB as one, and goes on with the next query', async () => {
    const hidden = `from query('from enable_' || 'logging(storage = ''file'', storage_path = ''/tmp/penstock-log'')'); select 1`
    const error = errorOf(await query(hidden))
    expect(error).toMatchObject({ kind: 'task_failed', detail: { crash: expect.any(String) } })
    expect(error.message).toContain('which is a crash')
    expect(outputsOf(await query('select 1 as a'))['rows']).toEqual([{ a: 1 }])
  })
})
