import { Environment } from '@marcbachmann/cel-js'
import { charge, sizeOf } from './budget'
import { describe, ExpressionFault } from './fault'
import { compilePattern } from './pattern'
import { isTimestamp } from './result'
import * as times from './times'
import { isRecord } from '@/core/pipeline/json'
import { findNumberFault, sameDigits } from '@/core/pipeline/number-text'

/**
 * The one CEL environment. Beside CEL's own functions it has `abs min max round sum upper lower` (R-81) and,
 * under names that no author can write, the operators that expressions are lowered to: JSON numbers are doubles
 * and CEL literals are 64-bit ints, and CEL alone would refuse `rows + 1`.
 *
 * Numbers: two ints stay an int (7 / 2 is 3, as CEL says); as soon as one side comes from a variable both are
 * doubles (`rows / 2` is 3.5 for 7 rows). Division by zero is an error for both.
 */

/** Functions that lowering writes. The prefix is refused in what authors write. */
export const internalPrefix = 'penstock_'

/** Asking a time for its parts in a time zone takes a third of a millisecond. */
const zonedUnits = 500

const maxInt = 9223372036854775807n
const minInt = -9223372036854775808n

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function number(value: unknown, doing: string): number | bigint {
  if (isNumber(value)) return value
  throw new ExpressionFault(`${doing} needs a number, not ${describe(value)}`)
}

function bounded(value: bigint): bigint {
  if (value <= maxInt && value >= minInt) return value
  throw new ExpressionFault('the whole number is too large')
}

type Arithmetic = {
  sign: string
  ints(a: bigint, b: bigint): bigint
  doubles(a: number, b: number): number
}

const add: Arithmetic = { sign: '+', ints: (a, b) => a + b, doubles: (a, b) => a + b }
const arithmetic: Record<string, Arithmetic> = {
  plus: add,
  minus: { sign: '-', ints: (a, b) => a - b, doubles: (a, b) => a - b },
  times: { sign: '*', ints: (a, b) => a * b, doubles: (a, b) => a * b },
  divide: { sign: '/', ints: (a, b) => a / b, doubles: (a, b) => a / b },
  modulo: { sign: '%', ints: (a, b) => a % b, doubles: (a, b) => a % b },
}

/** A timestamp, a duration, bytes: values that JSON has no word for, and whose equality the library knows. */
function isMade(value: unknown): value is object {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && prototype !== Object.prototype
}

/** Whether `string(…)` takes it. */
const hasText = (value: unknown): boolean => (typeof value !== 'object' && value !== null) || isMade(value)

function compute({ sign, ints, doubles }: Arithmetic, left: unknown, right: unknown): unknown {
  if (isNumber(left) && isNumber(right)) {
    if ((sign === '/' || sign === '%') && Number(right) === 0) throw new ExpressionFault('division by zero')
    if (typeof left === 'bigint' && typeof right === 'bigint') return bounded(ints(left, right))
    const value = doubles(Number(left), Number(right))
    // Only what is written with all of its digits looks exact [R-86].
    if (sign !== '/' && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
      checkDigits(value, ints, left, right)
    return value
  }
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') {
    charge((left.length + right.length) >> 6)
    return left + right
  }
  if (sign === '+' && Array.isArray(left) && Array.isArray(right)) {
    charge((left.length + right.length) >> 3)
    return [...(left as unknown[]), ...(right as unknown[])]
  }
  if ((sign === '+' || sign === '-') && isMade(left) && isMade(right)) {
    const time = times.sumOfTimes(sign, left, right)
    if (time !== null) return time
    if (left.constructor === right.constructor && !isTimestamp(left))
      return library()[sign === '+' ? 'sum' : 'difference']({ left, right })
  }
  const text =
    sign === '+' &&
    ((typeof left === 'string' && hasText(right)) || (typeof right === 'string' && hasText(left)))
  const hint = text ? '; convert with string(…)' : ''
  throw new ExpressionFault(`'${sign}' does not work on ${describe(left)} and ${describe(right)}${hint}`)
}

/** @throws ExpressionFault where whole numbers gave another one than they should */
function checkDigits(
  value: number,
  ints: Arithmetic['ints'],
  left: number | bigint,
  right: number | bigint,
): void {
  const isWhole = (one: number | bigint) => typeof one === 'bigint' || Number.isInteger(one)
  if (!isWhole(value) || !isWhole(left) || !isWhole(right)) return
  if (sameDigits(`${value}`, `${ints(BigInt(left), BigInt(right))}`)) return
  throw new ExpressionFault('the whole number is beyond 9007199254740991 and would lose digits')
}

const isSame = (whole: bigint, other: number): boolean => Number.isInteger(other) && BigInt(other) === whole

/** Equality of JSON values: 1 and 1.0 are equal, values of different types are not (R-10). */
function equals(left: unknown, right: unknown, depth = 0): boolean {
  charge(1 + sizeOf(left) + sizeOf(right))
  if (left === right) return true
  if (depth > 100) throw new ExpressionFault('the values are nested too deeply to compare')
  if (typeof left === 'bigint' && typeof right === 'number') return isSame(left, right)
  if (typeof left === 'number' && typeof right === 'bigint') return isSame(right, left)
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, i) => equals(item, right[i], depth + 1))
  }
  if (!isRecord(left) || !isRecord(right)) return false
  if (isMade(left) || isMade(right)) {
    return left.constructor === right.constructor && library().same({ left, right }) === true
  }
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key], depth + 1))
}

function isIn(value: unknown, container: unknown): boolean {
  charge(sizeOf(value))
  if (Array.isArray(container)) return container.some((item) => equals(value, item))
  if (typeof container === 'string' && typeof value === 'string') {
    charge(sizeOf(container))
    return container.includes(value)
  }
  if (isRecord(container)) {
    charge(sizeOf(container))
    return typeof value === 'string' && Object.hasOwn(container, value)
  }
  throw new ExpressionFault(`'in' needs a list, a map or a string on its right, not ${describe(container)}`)
}

function list(value: unknown, doing: string): unknown[] {
  if (!Array.isArray(value)) throw new ExpressionFault(`${doing} needs a list, not ${describe(value)}`)
  charge(sizeOf(value))
  return value as unknown[]
}

function extreme(name: 'min' | 'max', values: readonly unknown[]): number | bigint {
  let best: number | bigint | undefined
  for (const value of values) {
    const candidate = number(value, name)
    if (best === undefined || (name === 'min' ? candidate < best : candidate > best)) best = candidate
  }
  if (best === undefined) throw new ExpressionFault(`${name} of an empty list`)
  return best
}

function sum(values: unknown): number | bigint {
  let total: number | bigint = 0n
  for (const value of list(values, 'sum'))
    total = compute(add, total, number(value, 'sum')) as number | bigint
  return total
}

function round(value: unknown, digits: unknown): number | bigint {
  const v = number(value, 'round')
  const places = Number(number(digits, 'round'))
  if (!Number.isInteger(places) || places < 0 || places > 15) {
    throw new ExpressionFault('round keeps 0 to 15 decimals')
  }
  if (typeof v === 'bigint') return v
  // Halves go away from zero, as in spreadsheets; Math.round alone takes -2.5 to -2.
  const rounded = Math.sign(v) * Number(`${Math.round(Number(`${Math.abs(v)}e${places}`))}e-${places}`)
  return Number.isNaN(rounded) ? v : rounded + 0
}

/** As CEL's, and nothing becomes another number [R-86]. */
function double(value: unknown): unknown {
  const converted = library().double({ value })
  const text = typeof value === 'bigint' || typeof value === 'string' ? `${value}` : ''
  const isWord = /^[-+]?(?:nan|inf)/i.test(text)
  const fault = isWord ? null : findNumberFault(text)
  if (fault !== null) throw new ExpressionFault(fault.message)
  return converted
}

function abs(value: unknown): number | bigint {
  const v = number(value, 'abs')
  return v < 0 ? -v : v
}

function matches(text: unknown, pattern: unknown): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') {
    throw new ExpressionFault('matches needs two strings')
  }
  const compiled = compilePattern(pattern)
  if (!compiled.ok) throw new ExpressionFault(`the pattern '${pattern}' is not valid: ${compiled.error}`)
  // Making the pattern costs about as much as a short text.
  charge(((text.length + 16) * compiled.value.cost) >> 4)
  return compiled.value.test(text)
}

const timestampType = 'google.protobuf.Timestamp'
const durationType = 'google.protobuf.Duration'

function registerTimes(env: Environment): void {
  env.registerFunction(`${internalPrefix}timestamp(dyn): ${timestampType}`, times.timestampOf)
  env.registerFunction(`${internalPrefix}duration(dyn): ${durationType}`, times.durationOf)
  env.registerFunction(`${internalPrefix}part(dyn, string): int`, times.partOf)
  env.registerFunction(
    `${internalPrefix}part(dyn, string, dyn): int`,
    (value: unknown, name: string, zone: unknown) => {
      charge(zonedUnits)
      return times.partOf(value, name, zone)
    },
  )
  env.registerFunction(`int(${timestampType}): int`, times.secondsOf)
  env.registerFunction(`string(${timestampType}): string`, (at: Date) => at.toISOString())
  env.registerFunction(`string(${timestampType}, string): string`, (at: Date, zone: string) => {
    charge(zonedUnits)
    return times.textInZone(at, zone)
  })
  env.registerFunction(`string(${durationType}): string`, times.textOfDuration)
}

function createEnvironment(): Environment {
  const env = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: 2_000,
      maxDepth: 64,
      maxListElements: 500,
      maxMapEntries: 500,
      maxCallArguments: 16,
    },
  })
  env.registerFunction('abs(dyn): dyn', abs)
  env.registerFunction('round(dyn): dyn', (value: unknown) => round(value, 0n))
  env.registerFunction('round(dyn, dyn): dyn', round)
  env.registerFunction('sum(dyn): dyn', sum)
  env.registerFunction('upper(string): string', (value: string) => value.toUpperCase())
  env.registerFunction('lower(string): string', (value: string) => value.toLowerCase())
  env.registerFunction(`${internalPrefix}double(dyn): double`, double)
  for (const name of ['min', 'max'] as const) {
    env.registerFunction(`${name}(dyn): dyn`, (value: unknown) => extreme(name, list(value, name)))
    for (let count = 2; count <= 8; count++) {
      const signature = Array.from({ length: count }, () => 'dyn').join(', ')
      env.registerFunction(`${name}(${signature}): dyn`, (...values: unknown[]) => extreme(name, values))
    }
  }
  registerTimes(env)
  for (const [name, operation] of Object.entries(arithmetic)) {
    env.registerFunction(`${internalPrefix}${name}(dyn, dyn): dyn`, (a: unknown, b: unknown) =>
      compute(operation, a, b),
    )
  }
  env.registerFunction(`${internalPrefix}equals(dyn, dyn): bool`, (a: unknown, b: unknown) => equals(a, b))
  env.registerFunction(`${internalPrefix}in(dyn, dyn): bool`, isIn)
  env.registerFunction(`${internalPrefix}matches(dyn, dyn): bool`, matches)
  env.registerFunction(`${internalPrefix}step(dyn): dyn`, (value: unknown) => {
    charge(1 + sizeOf(value))
    return value
  })
  env.registerFunction(`${internalPrefix}more(): bool`, () => {
    charge(0)
    return true
  })
  env.registerFunction(`${internalPrefix}counted(dyn): dyn`, (value: unknown) => {
    charge(typeof value === 'string' ? value.length >> 3 : sizeOf(value))
    return value
  })
  env.registerFunction(`${internalPrefix}operand(dyn): dyn`, (value: unknown) => {
    charge(sizeOf(value))
    return value
  })
  return env
}

type Library = {
  /** Parses what authors write, with tight limits. */
  readonly environment: Environment
  /** Runs what expressions are lowered to: the same functions, more room for the calls that lowering adds. */
  readonly lowered: Environment
  /** The library's own operators, for what ours do not know. */
  readonly same: Operator
  readonly sum: Operator
  readonly difference: Operator
  readonly double: (operand: { readonly value: unknown }) => unknown
}
type Operator = (operands: { readonly left: unknown; readonly right: unknown }) => unknown

let made: Library | null = null

/** The environments. Made by the first expression: a page that shows a pipeline without any opens without them. */
export function library(): Library {
  return (made ??= createLibrary())
}

function createLibrary(): Library {
  const environment = createEnvironment()
  return {
    environment,
    lowered: environment.clone({ limits: { maxAstNodes: 20_000, maxDepth: 250, maxCallArguments: 16 } }),
    same: environment.parse('left == right'),
    sum: environment.parse('left + right'),
    difference: environment.parse('left - right'),
    double: environment.parse('double(value)'),
  }
}

/** Names that CEL itself takes as values: types and namespaces. No node may be called so (R-80). */
export function isCelName(name: string): boolean {
  return library().environment.hasVariable(name)
}
