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

  it('reports the message and the line of what was thrown', async () => {
    const error = errorOf(
      await script('const a = 1\nconst b = 2\nthrow new RangeError("no rain in Seattle")'),
    )
    expect(error.kind).toBe('task_failed')
    expect(error.message).toBe('RangeError: no rain in Seattle (line 3)')
  })

  it.each([
    ['throw { a: 1 }', 'the script threw {"a":1}'],
    ['throw { code: 7, toJSON() { throw 1 } }', 'the script threw [not printable]'],
    ['throw [1, 2]', 'the script threw [1,2]'],
    ['throw "no rain"', 'the script threw no rain'],
    ['throw null', 'the script threw null'],
    ['throw NaN', 'the script threw NaN'],
    ['throw new Map([[1, 2]])', 'the script threw [[1,2]]'],
    ['throw "a\\0b"', 'the script threw a\u2400b'],
    ['throw undefined', 'the script threw undefined'],
    ['throw 10n', 'the script threw 10'],
    ['throw Symbol("s")', 'the script threw Symbol(s)'],
    ['await Promise.reject({ rows: [] })', 'the script threw {"rows":[]}'],
    ['throw { message: "no rain" }', 'no rain'],
    ['throw new Error()', 'Error without a message (line 1)'],
    ['\nthrow new RangeError("")', 'RangeError without a message (line 2)'],
  ])('says what was thrown: %s', async (code, message) => {
    expect(errorOf(await script(code)).message).toBe(message)
  })

  it.each([
    "new Date(0).toLocaleDateString('en-US', { timeZone: 'America/Los_Angeles' })",
    "new Date(0).toLocaleTimeString(undefined, { hour: '2-digit' })",
    "new Date(0).toLocaleString('de')",
    "(1234.5).toLocaleString('de')",
    "10n.toLocaleString('de')",
    "[1234.5].toLocaleString('de')",
    "new Float64Array([1234.5]).toLocaleString('de')",
    "'I'.toLocaleLowerCase('tr')",
    "'i'.toLocaleUpperCase(['tr'])",
    "'ä'.localeCompare('z', 'sv')",
    "'a10'.localeCompare('a9', undefined, { numeric: true })",
  ])('refuses locales and options, which it would not heed: %s', async (code) => {
    const name = /\.(\w*[lL]ocale\w*)\(/.exec(code)?.[1]
    expect(errorOf(await script(`\nreturn ${code}`)).message).toMatch(
      new RegExp(
        `^TypeError: ${name} takes no locale and no options: scripts have no Intl; .+ \\(line 2\\)$`,
      ),
    )
  })

  it('answers without them as before', async () => {
    const code = `return [
      (1234.5).toLocaleString(), [1, 2].toLocaleString(undefined), 'I'.toLocaleLowerCase(), 'b'.localeCompare('a') > 0,
      new Date(0).toLocaleDateString() === new Date(0).toLocaleDateString(undefined, undefined),
      'e\\u0301'.normalize('NFC').length, typeof Intl, Object.keys(Date.prototype).length]`
    expect(outputsOf(await script(code))).toEqual({
      result: ['1234.5', '1,2', 'i', true, true, 1, 'undefined', 0],
    })
    expect(errorOf(await script("return 'a'.normalize('de')")).message).toContain('bad normalization form')
  })

  it('bounds a long message', async () => {
    const error = errorOf(await script('throw new Error("ä".repeat(100000))'))
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(2048)
    expect(error.message).toContain('(shortened)')
  })

  it('reports a syntax error', async () => {
    expect(errorOf(await script('return ((')).message).toContain('SyntaxError')
  })

  it('puts console output into the log', async () => {
    const done = await at.start('script.javascript', {
      code: 'console.log("rows", 3, { a: [1] })\nconsole.error("odd")',
      input: null,
    }).finished
    expect(done.log).toEqual(['stdout rows 3 {"a":[1]}', 'stderr odd'])
  })

  it.each([
    ['"a\\0b", "c"', 'a\u2400b c'],
    [
      'NaN, [NaN, -Infinity], { n: NaN, u: undefined }',
      'NaN ["NaN","-Infinity"] {"n":"NaN","u":"undefined"}',
    ],
    ['10n, [10n], new Map([[1, new Set([2])]])', '10 ["10n"] [[1,[2]]]'],
    ['[() => 1], { f() {} }, [Symbol("s")]', '["[function]"] {"f":"[function f]"} ["Symbol(s)"]'],
    ['new TypeError("x"), [new TypeError("x")]', 'TypeError: x ["TypeError: x"]'],
  ])('shows in the log what a value is: %s', async (values, line) => {
    const input = { code: `console.log(${values})`, input: null }
    const done = await at.start('script.javascript', input).finished
    expect(done.log).toEqual([`stdout ${line}`])
  })

  it('refuses code with a NUL, at which the sandbox would end it', async () => {
    expect(errorOf(await script('return 1;\0 return 2'))).toMatchObject({
      kind: 'invalid_input',
      message: expect.stringContaining('NUL') as string,
    })
    expect(outputsOf(await script('return "a\\0b".length'))).toEqual({ result: 3 })
  })

  it('refuses a result that nests too deep, in words', async () => {
    const error = errorOf(await script('let a = []; for (let i = 0; i < 500; i++) a = [a]; return a'))
    expect(error.message).toBe('output result is nested deeper than 100 levels')
  })

  it('refuses a result that is no JSON', async () => {
    for (const code of ['const a = {}; a.a = a; return a', 'return 10n', 'return () => 1']) {
      expect(errorOf(await script(code)).message).toContain('cannot be written as JSON')
    }
  })

  it.each([
    ['return { n: NaN }', 'result.n is NaN'],
    ['return [1, -Infinity]', 'result[1] is -Infinity'],
    ['return { a: { b: undefined } }', 'result.a.b is undefined'],
    ['return [1, , 3]', 'result[1] is undefined'],
    ['return { f() {} }', 'result.f is a function'],
    ['return [Symbol("s")]', 'result[0] is a symbol'],
    ['return { big: 10n }', 'result.big is a bigint'],
    ['return { m: new Map([[1, 2]]) }', 'result.m is a Map'],
    ['return new Set([1])', 'result is a Set'],
    ['return { at: new Date(NaN) }', 'result.at is an invalid Date'],
    ['return { bytes: new Uint8Array([1, 2]) }', 'result.bytes is a Uint8Array'],
    ['return [new ArrayBuffer(2)]', 'result[0] is an ArrayBuffer'],
    ['return { why: new TypeError("x") }', 'result.why is an Error'],
    ['return { later: Promise.resolve(1) }', 'result.later is a Promise'],
    ['return /a/', 'result is a RegExp'],
    ['return [new Number(NaN)]', 'result[0] is a Number'],
    [
      'return { id: 2 ** 53 }',
      'result.id is 9007199254740992, an integer beyond 2^53 - 1: return it as text',
    ],
    ['Number.isSafeInteger = () => true; return 2 ** 60', 'result is 1152921504606847000'],
  ])('[R-86] refuses what JSON cannot hold, with its place: %s', async (code, message) => {
    expect(errorOf(await script(code)).message).toContain(`cannot be written as JSON: TypeError: ${message}`)
  })

  it('[R-86] returns what JSON holds as it is', async () => {
    const code =
      'return { max: 2 ** 53 - 1, huge: 1e300, zero: -0, at: new Date(0), none: null, list: [[], {}] }'
    const at = '1970-01-01T00:00:00.000Z'
    expect(outputsOf(await script(code))).toEqual({
      result: { max: 9007199254740991, huge: 1e300, zero: 0, at, none: null, list: [[], {}] },
    })
    expect(outputsOf(await script('1 + 1'))).toEqual({ result: null })
    const own = 'class Row { n = 1 }; return [new Row(), Object.create(null), { toJSON() { return null } }]'
    expect(outputsOf(await script(own))).toEqual({ result: [{ n: 1 }, {}, null] })
  })

  it('[R-61] refuses a result over 16 MB and names the output, its size and the limit', async () => {
    const error = errorOf(await script('return "x".repeat(50 * 1024 * 1024)', null, { memory: '512Mi' }))
    expect(error).toMatchObject({ kind: 'output_too_large', detail: { output: 'result', limit: 16777216 } })
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
