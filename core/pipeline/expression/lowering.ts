import type { ASTNode } from '@marcbachmann/cel-js'
import { ExpressionFault } from './fault'
import { internalPrefix } from './functions'
import { timeParts } from './times'
import { findNumberFault } from '@/core/pipeline/number-text'

/**
 * Lowering prints a parsed CEL expression as CEL again, with its operators on numbers, lists and text replaced by
 * functions of ours (expression-functions.ts), macro steps counted and `matches` sent to the linear matcher.
 * So the library still parses, checks and evaluates, and an evaluation has a bounded cost.
 */

const operators = {
  '+': 'plus',
  '-': 'minus',
  '*': 'times',
  '/': 'divide',
  '%': 'modulo',
  '==': 'equals',
  in: 'in',
} as const

/** Functions of the library that are sent to ours. */
const ours: ReadonlySet<string> = new Set(['timestamp', 'duration', 'double'])

export const macros = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])

function call(name: string, ...args: string[]): string {
  return `${internalPrefix}${name}(${args.join(', ')})`
}

/** A literal as the author wrote it. @throws ExpressionFault for a double that is another number than it says [R-86] */
function literal(node: ASTNode): string {
  const text = node.input.slice(node.start, node.end)
  const fault = node.op === 'value' && typeof node.args === 'number' ? findNumberFault(text) : null
  if (fault !== null) throw new ExpressionFault(fault.message)
  return text
}

/** An argument of a function: its size is paid for, unless it stands there in full. */
function operand(node: ASTNode): string {
  return node.op === 'value' ? literal(node) : call('operand', lower(node))
}

/** As `operand`, of `size`: it counts the characters of a text one by one. */
function counted(node: ASTNode): string {
  return node.op === 'value' ? literal(node) : call('counted', lower(node))
}

function lowerMethod(name: string, receiver: ASTNode, args: readonly ASTNode[]): string {
  const [first, ...rest] = args
  if (macros.has(name) && first?.op === 'id') {
    // Macros like `all` go on past errors, so a step asks whether anything is left before it does anything.
    const steps = rest.map((body) => `(${call('more')} ? ${call('step', lower(body))} : dyn(null))`)
    return `${operand(receiver)}.${name}(${[first.args, ...steps].join(', ')})`
  }
  if (name === 'matches' && first && rest.length === 0) return call('matches', lower(receiver), lower(first))
  if (name === 'size' && args.length === 0) return `${counted(receiver)}.size()`
  if (timeParts.has(name) && rest.length === 0)
    return call('part', operand(receiver), `'${name}'`, ...args.map(operand))
  // A plain path stays as it is: `google.protobuf.X(…)` and the like are names, not values.
  return `${operand(receiver)}.${name}(${args.map(operand).join(', ')})`
}

/** The CEL text to run instead of the given tree. */
export function lower(node: ASTNode): string {
  switch (node.op) {
    case 'value':
      return literal(node)
    case 'id':
      return node.args
    case '.':
      return `${lower(node.args[0])}.${node.args[1]}`
    case '[]':
      return `${lower(node.args[0])}[${lower(node.args[1])}]`
    case 'call': {
      const [name, args] = node.args
      if (name === 'has' && args[0]) return `has(${lower(args[0])})`
      // Ours read times strictly (times.ts), and numbers as they are written.
      if (ours.has(name) && args.length === 1) return call(name, ...args.map(operand))
      return `${name}(${args.map(name === 'size' ? counted : operand).join(', ')})`
    }
    case 'rcall':
      return lowerMethod(node.args[0], node.args[1], node.args[2])
    case 'list':
      return `[${node.args.map(lower).join(', ')}]`
    case 'map':
      return `{${node.args.map(([key, value]) => `${lower(key)}: ${lower(value)}`).join(', ')}}`
    case '?:': {
      const [condition, yes, no] = node.args
      return `(${lower(condition)} ? ${call('operand', lower(yes))} : ${call('operand', lower(no))})`
    }
    case '||':
    case '&&':
      return `(${lower(node.args[0])} ${node.op} ${lower(node.args[1])})`
    case '!_':
      return `(!(${lower(node.args)}))`
    case '-_':
      return call('minus', '0', lower(node.args))
    case '!=':
      return `(!${call('equals', lower(node.args[0]), lower(node.args[1]))})`
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '==':
    case 'in':
      return call(operators[node.op], lower(node.args[0]), lower(node.args[1]))
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `(${operand(node.args[0])} ${node.op} ${operand(node.args[1])})`
    default:
      // Optional access is switched off, so the parser never makes the operators that are left.
      throw new Error(`no lowering for ${node.op}`)
  }
}
