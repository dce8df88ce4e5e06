/**
 * Runs inside the sandbox before the script: gives it `console`, and the host a way to read a value as JSON that the script
 * cannot have tampered with (what it uses is taken here, before any of the script's code runs). It is an expression whose value
 * is a list of functions. `print(stream, text)` comes from the host.
 */
export const prelude = `(function (print) {
  'use strict'
  const stringify = JSON.stringify
  const parse = JSON.parse
  const text = String
  const freeze = Object.freeze
  const slice = Function.prototype.call.bind(String.prototype.slice)
  const join = Function.prototype.call.bind(Array.prototype.join)
  const show = (value) => {
    if (typeof value === 'string') return value
    if (typeof value === 'object' && value !== null && value instanceof Error) return text(value)
    try {
      const json = stringify(value)
      return json === undefined ? text(value) : json
    } catch {
      return '[not printable]'
    }
  }
  const isArray = Array.isArray
  const isInteger = Number.isInteger
  const isSafe = Number.isSafeInteger
  const Maps = Map
  const Paths = WeakMap
  const Sets = Set
  const pathOf = Function.prototype.call.bind(WeakMap.prototype.get)
  const setPath = Function.prototype.call.bind(WeakMap.prototype.set)
  const exactly = (paths) =>
    function (key, value) {
      const base = pathOf(paths, this)
      const path = base === undefined ? 'result' : isArray(this) ? base + '[' + key + ']' : base + '.' + key
      const refuse = (what) => {
        throw new TypeError(path + ' is ' + what)
      }
      const type = typeof value
      if (type === 'number') {
        if (value - value !== 0) refuse(text(value))
        const digits = value < 1e21 && value > -1e21
        if (digits && isInteger(value) && !isSafe(value)) refuse(value + ', an integer beyond 2^53 - 1: return it as text')
      } else if (value === null || type === 'string' || type === 'boolean') return value
      else if (type !== 'object') refuse(type === 'undefined' ? type : 'a ' + type)
      else if (value instanceof Maps || value instanceof Sets) refuse(value instanceof Maps ? 'a Map' : 'a Set')
      else setPath(paths, value, path)
      return value
    }
  const printer = (stream) => (...values) => {
    const parts = []
    for (let at = 0; at < values.length; at += 1) parts[at] = show(values[at])
    const line = join(parts, ' ')
    print(stream, line.length > 65536 ? slice(line, 0, 65536) + '… (' + line.length + ' characters)' : line)
  }
  const out = printer('stdout')
  const err = printer('stderr')
  globalThis.console = freeze({ log: out, info: out, debug: out, warn: err, error: err })
  return {
    parse: (json) => parse(json),
    encode: (value) => (value === undefined ? 'null' : stringify(value, exactly(new Paths()))),
    compile: (async function () {}).constructor,
  }
})`
