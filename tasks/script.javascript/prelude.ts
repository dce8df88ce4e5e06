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
    encode: (value) => (value === undefined ? 'null' : stringify(value)),
    compile: (async function () {}).constructor,
  }
})`
