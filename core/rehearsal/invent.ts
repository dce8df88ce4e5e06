import type { Json, JsonObject } from '@/core/engine/event'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Expression } from '@/core/pipeline/expression/types'
import { readPaths } from '@/core/pipeline/expression/paths'
import { templateExpressions, type Template } from '@/core/pipeline/expression/template'

/** What is known of a value by how it is read. */
type Shape = { example: Json | undefined; readonly parts: Map<string | number, Shape> }

/** A place in a list that an invention can be read at: more would only be large. */
const MOST_PLACES = 100

const shape = (): Shape => ({ example: undefined, parts: new Map() })

/**
 * Values for outputs of which nobody knows what they are. They have the type that the task's contract declares and whatever the
 * pipeline's expressions read of them; a comparison with a constant holds for what it compares. So expressions can be evaluated
 * and a run goes on; what it comes to rests on inventions, and whoever uses them has to say so.
 */
export class Inventions {
  /** By node, then by output. */
  readonly #shapes = new Map<string, Map<string, Shape>>()

  constructor(readonly pipeline: CompiledPipeline) {
    for (const node of pipeline.nodes.values()) this.#read(node)
    for (const { template } of pipeline.outputs.values()) this.#readTemplate(template)
  }

  /** Names of the outputs of a node that something reads. */
  readOf(node: string): readonly string[] {
    return [...(this.#shapes.get(node)?.keys() ?? [])]
  }

  /** Every output of a node: all that its task declares, or of another pipeline what is read of it. */
  outputsOf(compiled: CompiledNode): JsonObject {
    const own = compiled.outputNames.filter((name) => name !== ITEM_ERRORS)
    const names = own.length > 0 ? own : this.readOf(compiled.id).filter((name) => !NO_OUTPUTS.has(name))
    return Object.fromEntries(names.map((name) => [name, this.outputOf(compiled, name)]))
  }

  /** One output of one attempt at a node: of a forEach, of one item. */
  outputOf(compiled: CompiledNode, name: string): Json {
    const read = this.#shapes.get(compiled.id)?.get(name)
    const known = compiled.forEach === null ? read : read?.parts.get(0)
    return valueOf(known ?? shape(), typeOf(compiled, name))
  }

  #read(node: CompiledNode): void {
    const item = node.forEach === null ? null : listOf(node.forEach.items)
    const expressions = [...node.gateConditions]
    templateExpressions(node.bindings, expressions)
    for (const template of node.outputVariables?.values() ?? []) templateExpressions(template, expressions)
    if (node.retry?.when) expressions.push(node.retry.when)
    if (node.forEach !== null) templateExpressions(node.forEach.items, expressions)
    for (const expression of expressions) this.#readExpression(expression, item)
    // A list that is gone through has something in it.
    if (item !== null) this.#note([...item, 0], undefined)
  }

  #readTemplate(template: Template): void {
    for (const expression of templateExpressions(template)) this.#readExpression(expression, null)
  }

  /** `item`: the path of the list whose elements the local `item` is. */
  #readExpression({ source }: Expression, item: readonly (string | number)[] | null): void {
    for (const { segments, example } of readPaths(source)) {
      if (segments[0] !== 'item') this.#note(segments, example)
      else if (item !== null) this.#note([...item, 0, ...segments.slice(1)], example)
    }
  }

  #note([node, name, ...deeper]: readonly (string | number)[], example: Json | undefined): void {
    if (typeof node !== 'string' || typeof name !== 'string' || !this.pipeline.nodes.has(node)) return
    const outputs = this.#shapes.get(node) ?? new Map<string, Shape>()
    this.#shapes.set(node, outputs)
    let at = outputs.get(name) ?? shape()
    outputs.set(name, at)
    for (const segment of deeper) {
      const part = at.parts.get(segment) ?? shape()
      at.parts.set(segment, part)
      at = part
    }
    at.example ??= example
  }
}

const ITEM_ERRORS = 'item_errors'
/** Names of a node's variables that no work gives. */
const NO_OUTPUTS: ReadonlySet<string> = new Set([ITEM_ERRORS, 'error'])

/** The path of a list that stands there by itself: `{{ extract.months }}`. */
function listOf(items: Template): readonly (string | number)[] | null {
  if (items.kind !== 'expression') return null
  const paths = readPaths(items.expression.source)
  return paths.length === 1 ? paths[0]!.segments : null
}

/** The declared type of an output: that of the task's, also where a variable hands it on as it is. */
function typeOf({ contract, outputVariables }: CompiledNode, name: string): string {
  if (outputVariables === null) return contract.output[name]?.type ?? 'any'
  const template = outputVariables.get(name)
  if (template?.kind === 'text') return 'string'
  const [path] = template?.kind === 'expression' ? readPaths(template.expression.source) : []
  return path?.segments[0] === 'result' && path.segments.length === 2
    ? (contract.output[path.segments[1]!]?.type ?? 'any')
    : 'any'
}

function valueOf({ example, parts }: Shape, type: string): Json {
  if (parts.size > 0) {
    const keys = [...parts.keys()]
    if (keys.every((key) => typeof key === 'number') && type !== 'object' && type !== 'file') {
      const length = Math.min(MOST_PLACES, 1 + Math.max(...keys))
      return Array.from({ length }, (_, index) => valueOf(parts.get(index) ?? parts.get(0) ?? shape(), 'any'))
    }
    const members = Object.fromEntries([...parts].map(([key, part]) => [key, valueOf(part, 'any')]))
    return type === 'file' ? { ...FILE, ...members } : members
  }
  if (example !== undefined && (type === 'any' || typeName(example) === type)) return example
  return (SAMPLES as Readonly<Record<string, Json>>)[type] ?? 'sample'
}

const FILE = { artifact_id: 'invented', name: 'sample', content_type: 'text/plain', bytes: 0 } as const
const SAMPLES = { string: 'sample', number: 1, boolean: true, array: [], object: {}, file: FILE } as const

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value)
