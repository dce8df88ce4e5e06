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
  const replace = Function.prototype.call.bind(String.prototype.replaceAll)
  const listOf = Array.from
  // What people read of values for which JSON has no word.
  const printable = (key, value) => {
    const type = typeof value
    if (type === 'number') return value - value === 0 ? value : text(value)
    if (type === 'bigint') return text(value) + 'n'
    if (type === 'undefined' || type === 'symbol') return text(value)
    if (type === 'function') return '[function' + (typeof value.name === 'string' && value.name !== '' ? ' ' + value.name : '') + ']'
    if (type !== 'object' || value === null) return value
    if (value instanceof Map || value instanceof Set) return listOf(value)
    return value instanceof Error ? text(value) : value
  }
  const show = (value) => {
    if (typeof value === 'string') return value
    try {
      if (typeof value !== 'object' || value === null) return text(value)
      if (value instanceof Error) return text(value)
      const json = stringify(value, printable)
      return json === undefined ? text(value) : json
    } catch {
      return '[not printable]'
    }
  }
  const isArray = Array.isArray
  const isInteger = Number.isInteger
  const isSafe = Number.isSafeInteger
  const Paths = WeakMap
  const prototypeOf = Object.getPrototypeOf
  const plain = Object.prototype
  const kindOf = Function.prototype.call.bind(Object.prototype.toString)
  const pathOf = Function.prototype.call.bind(WeakMap.prototype.get)
  const setPath = Function.prototype.call.bind(WeakMap.prototype.set)
  // Bytes, maps, errors, promises and the like would become {} or lists of digits.
  const objectFaultOf = (value) => {
    const kind = slice(kindOf(value), 8, -1)
    if (kind === 'Object' || kind === 'Array') return null
    return (kind[0] === 'A' || kind[0] === 'E' || kind[0] === 'I' ? 'an ' : 'a ') + kind
  }
  const isInvalidDate = (holder, key, value) => value === null && kindOf(holder[key]) === '[object Date]'
  // What JSON has no word for, or would change; null: nothing.
  const faultOf = (value) => {
    const type = typeof value
    if (type === 'number') {
      if (value - value !== 0) return text(value)
      const inDigits = value < 1e21 && value > -1e21
      if (!inDigits || !isInteger(value) || isSafe(value)) return null
      return value + ', an integer beyond 2^53 - 1: return it as text'
    }
    if (type === 'object') return value === null || prototypeOf(value) === plain ? null : objectFaultOf(value)
    if (type === 'string' || type === 'boolean') return null
    return type === 'undefined' ? type : 'a ' + type
  }
  const FAULT = freeze({})
  const check = function (key, value) {
    if (faultOf(value) !== null || isInvalidDate(this, key, value)) throw FAULT
    return value
  }
  // The same, with the place of each value: only for a value that has a fault.
  const locate = (paths) =>
    function (key, value) {
      const base = pathOf(paths, this)
      const path = base === undefined ? 'result' : isArray(this) ? base + '[' + key + ']' : base + '.' + key
      const fault = isInvalidDate(this, key, value) ? 'an invalid Date' : faultOf(value)
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
    // For the host, a text ends at a NUL.
    const line = replace(join(parts, ' '), '\\0', '\u2400')
    print(stream, line.length > 65536 ? slice(line, 0, 65536) + '… (' + line.length + ' characters)' : line)
  }
  const out = printer('stdout')
  const err = printer('stderr')
  // The engine has no Intl: it would take locales and options, and answer as if they were not there.
  const apply = Reflect.apply
  const withoutLocales = (holder, name, own, instead) => {
    const native = holder[name]
    const guarded = {
      [name](...values) {
        for (let at = own; at < values.length; at += 1)
          if (values[at] !== undefined)
            throw new TypeError(name + ' takes no locale and no options: scripts have no Intl; ' + instead)
        return apply(native, this, values)
      },
    }
    Object.defineProperty(holder, name, {
      value: guarded[name], writable: true, enumerable: false, configurable: true,
    })
  }
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    withoutLocales(Date.prototype, name, 0, "an expression can: string(timestamp(x), 'America/Los_Angeles')")
  for (const { prototype } of [Number, BigInt, Array, Object.getPrototypeOf(Uint8Array)])
    withoutLocales(prototype, 'toLocaleString', 0, 'write the text with toFixed and replace')
  withoutLocales(String.prototype, 'toLocaleLowerCase', 0, 'toLowerCase is that of no language')
  withoutLocales(String.prototype, 'toLocaleUpperCase', 0, 'toUpperCase is that of no language')
  withoutLocales(String.prototype, 'localeCompare', 1, 'without them it compares character codes')
  globalThis.console = freeze({ log: out, info: out, debug: out, warn: err, error: err })
  return {
    parse: (json) => parse(json),
    encode,
    show: (value) => slice(replace(show(value), '\\0', '\u2400'), 0, 2000),
    compile: (async function () {}).constructor,
  }
})`
