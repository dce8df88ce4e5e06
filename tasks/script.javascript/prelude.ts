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
  // What JSON has no word for, or would change; null: nothing.
  const faultOf = (value) => {
    const type = typeof value
    if (type === 'number') {
      if (value - value !== 0) return text(value)
      const inDigits = value < 1e21 && value > -1e21
      if (!inDigits || !isInteger(value) || isSafe(value)) return null
      return value + ', an integer beyond 2^53 - 1: return it as text'
    }
    if (type === 'object') return value instanceof Maps ? 'a Map' : value instanceof Sets ? 'a Set' : null
    if (type === 'string' || type === 'boolean') return null
    return type === 'undefined' ? type : 'a ' + type
  }
  const FAULT = freeze({})
  const check = (key, value) => {
    if (faultOf(value) !== null) throw FAULT
    return value
  }
  // The same, with the place of each value: only for a value that has a fault.
  const locate = (paths) =>
    function (key, value) {
      const base = pathOf(paths, this)
      const path = base === undefined ? 'result' : isArray(this) ? base + '[' + key + ']' : base + '.' + key
      const fault = faultOf(value)
      if (fault !== null) throw new TypeError(path + ' is ' + fault)
      if (typeof value === 'object' && value !== null) setPath(paths, value, path)
      return value
    }
  const encode = (value) => {
    if (value === undefined) return 'null'
    try {
      return stringify(value, check)
    } catch (error) {
      if (error !== FAULT) throw error
      return stringify(value, locate(new Paths()))
    }
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
    encode,
    compile: (async function () {}).constructor,
  }
})`
