import { expressionFunctions } from './docs'
import { didYouMean } from '@/core/pipeline/suggest'

/** The library's messages in the words of this product. */

const typeWords: Readonly<Record<string, string>> = {
  int: 'a number',
  double: 'a number',
  uint: 'an unsigned number',
  string: 'a string',
  bool: 'a boolean',
  list: 'a list',
  map: 'a map',
  null: 'null',
  bytes: 'bytes',
  'google.protobuf.Timestamp': 'a timestamp',
  'google.protobuf.Duration': 'a duration',
}

/** `dyn<list<double>>` is a list. */
function typeInWords(type: string): string {
  const name = type.replace(/^dyn<(.*)>$/, '$1').replace(/<.*$/, '')
  return typeWords[name] ?? name
}

const functionNames: ReadonlySet<string> = new Set([
  ...expressionFunctions.map(({ name }) => name),
  ...[
    'bool',
    'bytes',
    'uint',
    'dyn',
    'exists_one',
    'substring',
    'indexOf',
    'lastIndexOf',
    'trim',
    'lowerAscii',
  ],
  ...['upperAscii', 'hex', 'base64', 'json', 'at'],
])

/** A call for which there is no function, or none with what it is given. */
function callInWords(summary: string): string | null {
  const [, receiver, name, list] =
    /^found no matching overload for '(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? []
  if (name === undefined) return null
  const kind = receiver === undefined ? 'function' : 'method'
  if (!functionNames.has(name)) {
    const hint = didYouMean(name, functionNames)
    return `${kind} '${name}' is not known${hint ? `; ${hint}` : ''}`
  }
  const given = argumentTypes(list ?? '').map(typeInWords)
  const what = given.length === 0 ? 'nothing' : given.join(' and ')
  if (name === 'join' && typeInWords(receiver ?? '') === 'a list')
    return 'join needs a list of strings; list.map(x, string(x)) makes one'
  if (receiver === undefined) return `${name} does not take ${what}`
  return `${name} does not work on ${typeInWords(receiver)}${given.length === 0 ? '' : ` with ${what}`}`
}

/** Cuts `map<string, int>, bool` at its outer commas. */
function argumentTypes(list: string): string[] {
  let outer = list
  for (let before = ''; before !== outer;) {
    before = outer
    outer = outer.replace(/(?<!dyn)<[^<>]*>/g, '').replace(/dyn<([^<>]*)>/g, '$1')
  }
  return outer === '' ? [] : outer.split(', ')
}

function comparisonInWords(summary: string): string | null {
  const [, left, sign, right] = /^no such overload: (.+) (<=?|>=?) (.+)$/.exec(summary) ?? []
  if (left === undefined || right === undefined) return null
  const sides = [typeInWords(left), typeInWords(right)]
  const time = sides.includes('a timestamp') && sides.includes('a string')
  return `'${sign}' does not compare ${sides.join(' and ')}${time ? '; make it one with timestamp(…)' : ''}`
}

function itemInWords(summary: string): string | null {
  const [, index, size] = /index out of bounds, index (\S+) (?:>= size (\w+)|< 0)$/.exec(summary) ?? []
  if (index === undefined) return null
  if (!/^-?\d+$/.test(index)) return `there is no item ${index}: items have whole numbers`
  if (size === undefined) return `there is no item ${index}: items are counted from 0`
  // The library finds no size where it is 0.
  const has = /^[1-9]/.test(size) ? `has ${size}, counted from 0` : 'is empty'
  return `there is no item ${index}: the list ${has}`
}

const truth = 'must be true or false, not'
const patterns: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/^No such key: (.+)$/, ([key]) => `there is no '${key}' in the value that is read`],
  [
    /^Logical operator requires bool operands, got '(.+)'$/,
    ([type]) => `each side of && and || ${truth} ${typeInWords(type!)}`,
  ],
  [/^no such overload: !(.+)$/, ([type]) => `what follows ! ${truth} ${typeInWords(type!)}`],
  [
    /^Ternary condition must be bool, got '(.+)'$/,
    ([type]) => `the condition before ? ${truth} ${typeInWords(type!)}`,
  ],
  [
    /^(\w+)\(var.*predicate must return bool, got '(.+)'$/,
    ([name, type]) => `the condition of ${name} ${truth} ${typeInWords(type!)}`,
  ],
  [
    /^Expression of type '(.+)' cannot be range of a comprehension/,
    ([type]) => `map, filter, all and exists need a list or a map, not ${typeInWords(type!)}`,
  ],
  [/^int\(\) type error: cannot convert/, () => 'int needs the text of a whole number'],
  [/^uint\(\) type error/, () => 'uint needs a whole number from 0'],
  [/^double\(\) type error/, () => 'double needs the text of a number'],
  [/^bool\(\) conversion error/, () => "bool needs the text 'true' or 'false'"],
  [/^string\.(\w+)\(.*out of range$/, ([name]) => `${name} looks outside of the text`],
  [
    /^(?:string|list)\.join\(.*must contain only strings$/,
    () => 'join needs a list of strings; list.map(x, string(x)) makes one',
  ],
  [/^Bytes index out of range$/, () => 'at looks outside of the bytes'],
  [
    /^Unsupported type: \w+$/,
    () => "the value has a member named 'constructor', which expressions cannot look into",
  ],
  [/^Unexpected token: EOF$/, () => 'it ends too early'],
]

/** A message of the library, for the author of an expression. */
export function plainWords(summary: string): string {
  const special = callInWords(summary) ?? comparisonInWords(summary) ?? itemInWords(summary)
  if (special !== null) return special
  for (const [pattern, say] of patterns) {
    const found = pattern.exec(summary)
    if (found) return say(found.slice(1))
  }
  return summary.replace(/, got EOF$/, ', but it ends here').replace(/penstock_\w+/g, 'the operator')
}
