import { z } from 'zod'
import type { JsonObject } from '@/core/engine/event'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Expression } from '@/core/pipeline/expression/types'
import {
  besides,
  listPath,
  MIRRORED,
  readPaths,
  wholePath,
  type ReadPath,
} from '@/core/pipeline/expression/paths'
import { templateExpressions, type Template } from '@/core/pipeline/expression/template'
import { valueAt, type Json } from '@/core/pipeline/json'
import type { Plan } from './plan'

type Path = readonly (string | number)[]

/** What is known of a value by how it is read. */
type Shape = {
  example: Json | undefined
  /** The least number of its elements or characters. */
  size: number | undefined
  readonly parts: Map<string | number, Shape>
}

/** A place in a list that an invention can be read at: more would only be large. */
const MOST_PLACES = 100
/** Computed values that are followed back, and rounds in which one value says what the next one is. */
const MOST_STEPS = 20

const shape = (): Shape => ({ example: undefined, size: undefined, parts: new Map() })

/** What is given, so that it is not invented. */
type Given = Pick<Plan, 'inputs' | 'nodes'>

/**
 * Values for outputs of which nobody knows what they are. They have the type that the task's contract declares and whatever the
 * pipeline's expressions read of them, also through nodes that only compute; a comparison with a constant holds for what it compares. So
 * expressions can be evaluated and a run goes on; what it comes to rests on inventions, and whoever uses them has to say so.
 */
export class Inventions {
  /** By node, then by output. */
  readonly #shapes = new Map<string, Map<string, Shape>>()
  readonly #likes: { readonly left: Path; readonly op: string; readonly right: Path }[] = []

  constructor(
    readonly pipeline: CompiledPipeline,
    readonly given: Given = { inputs: {}, nodes: {} },
  ) {
    // Conditions decide what happens, so what they compare with comes before what others merely compute.
    for (const node of pipeline.nodes.values()) this.#readConditions(node)
    for (const { expression } of pipeline.verify) this.#readExpression(expression, null, true)
    for (const node of pipeline.nodes.values()) this.#read(node)
    for (const { template } of pipeline.outputs.values()) this.#readTemplate(template)
    this.#liken()
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

  #readConditions({ gateConditions, retry, forEach }: CompiledNode): void {
    const item = forEach === null ? null : listOf(forEach.items)
    for (const condition of gateConditions) this.#readExpression(condition, item, true)
    if (retry?.when) this.#readExpression(retry.when, item, true)
  }

  #read(node: CompiledNode): void {
    const item = node.forEach === null ? null : listOf(node.forEach.items)
    const expressions = templateExpressions(node.bindings)
    for (const template of node.outputVariables?.values() ?? []) templateExpressions(template, expressions)
    if (node.forEach !== null) templateExpressions(node.forEach.items, expressions)
    for (const { expression, wanted } of boundInputs(node)) this.#readExpression(expression, item, wanted)
    for (const expression of expressions) this.#readExpression(expression, item)
    // A list that is gone through has something in it.
    if (item !== null) this.#note({ segments: [...item, 0] })
  }

  #readTemplate(template: Template): void {
    for (const expression of templateExpressions(template)) this.#readExpression(expression, null)
  }

  /** `item`: the path of the list whose elements the local `item` is. */
  #readExpression({ source }: Expression, item: Path | null, wanted?: Json, steps = 0): void {
    const placed = (path: Path): Path | null =>
      path[0] !== 'item' ? path : item === null ? null : [...item, 0, ...path.slice(1)]
    const constant = (path: Path) => this.#given(path)
    for (const read of readPaths(source, { constant, ...(wanted === undefined ? {} : { wanted }) })) {
      const segments = placed(read.segments)
      if (segments === null) continue
      const right = read.like === undefined ? null : placed(read.like.segments)
      if (read.like !== undefined && right !== null)
        this.#likes.push({ left: segments, op: read.like.op, right })
      this.#note({ ...read, segments }, steps)
    }
  }

  /** The value of a path where the plan gives it. */
  #given([root, name, ...deeper]: Path): Json | undefined {
    const values =
      root === 'pipeline' && name === 'input' ? this.given.inputs : this.given.nodes[root ?? '']?.outputs
    const path = root === 'pipeline' ? deeper : name === undefined ? [] : [name, ...deeper]
    return values === undefined || path.length === 0 ? undefined : (valueAt(values, path) as Json | undefined)
  }

  #note({ segments, example, size }: ReadPath, steps = 0): void {
    const [id, name, ...deeper] = segments
    const node = typeof id === 'string' ? this.pipeline.nodes.get(id) : undefined
    if (node === undefined || typeof name !== 'string' || steps > MOST_STEPS) return
    const at = this.#shapeAt(node.id, name, deeper)
    at.example ??= example
    if (size !== undefined) at.size = Math.max(at.size ?? 0, size)
    const made = madeOf(node, [name, ...deeper])
    if (made === null) return
    const source = wholePath(made.expression.source)
    if (source !== null)
      return this.#note(
        {
          segments: [...source, ...made.deeper],
          ...(example === undefined ? {} : { example }),
          ...(size === undefined ? {} : { size }),
        },
        steps + 1,
      )
    if (made.deeper.length === 0 && example !== undefined)
      this.#readExpression(made.expression, null, example, steps + 1)
  }

  #shapeAt(node: string, name: string, deeper: Path): Shape {
    const outputs = this.#shapes.get(node) ?? new Map<string, Shape>()
    this.#shapes.set(node, outputs)
    let at = outputs.get(name) ?? shape()
    outputs.set(name, at)
    for (const segment of deeper) {
      const part = at.parts.get(segment) ?? shape()
      at.parts.set(segment, part)
      at = part
    }
    return at
  }

  /** What is compared or added to something has its type; where nothing is known of either, both are numbers if they have to be. */
  #liken(): void {
    for (let round = 0, changed = true; changed && round < MOST_STEPS; round += 1) {
      changed = false
      for (const { left, op, right } of this.#likes) {
        const [a, b] = [this.#exampleAt(left), this.#exampleAt(right)]
        if ((a === undefined) === (b === undefined)) continue
        if (a === undefined) this.#note({ segments: left, example: likeOf(op, b!) })
        else this.#note({ segments: right, example: likeOf(MIRRORED[op] ?? op, a) })
        changed = true
      }
    }
    for (const { left, op, right } of this.#likes) {
      if (!ORDERED.has(op) || this.#exampleAt(left) !== undefined) continue
      this.#note({ segments: right, example: 1 })
      this.#note({ segments: left, example: likeOf(op, 1) })
    }
  }

  /** What a path is so far; undefined: nothing says what. */
  #exampleAt(path: Path): Json | undefined {
    const [id, name, ...deeper] = path
    const node = typeof id === 'string' ? this.pipeline.nodes.get(id) : undefined
    if (node === undefined || typeof name !== 'string') return undefined
    const at = this.#shapeAt(node.id, name, deeper)
    if (at.example !== undefined) return at.example
    if (at.parts.size > 0) return valueOf(at, 'any')
    return deeper.length === 0 ? SAMPLES[typeOf(node, name)] : undefined
  }
}

/** Comparisons and sums of numbers; of texts too, where one of them is known to be one. */
const ORDERED: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '+', '-', '*', '/', '%'])

/** A value of the type of `other` for the left side of an operator. */
const likeOf = (op: string, other: Json): Json => besides(op, other) ?? other

/** Of forms that inputs of tasks ask for. */
const FORMS: readonly Json[] = [
  1,
  true,
  '1s',
  '2026-01-01T00:00:00Z',
  'https://sample.invalid/',
  '64Mi',
  'text/plain',
  '2xx',
  ['role:approver'],
  [],
  ['sample'],
  {},
]

/** Inputs that an expression fills as a whole and that take no text: the first of the usual forms that they take. */
function boundInputs({ bindings, contract }: CompiledNode): { expression: Expression; wanted: Json }[] {
  if (bindings.kind !== 'map' || !(contract.input instanceof z.ZodObject)) return []
  const shape = contract.input.shape as Readonly<Record<string, z.ZodType | undefined>>
  return [...bindings.entries].flatMap(([name, template]) => {
    const schema = shape[name]
    if (template.kind !== 'expression' || schema === undefined || schema.safeParse('sample').success)
      return []
    const wanted = [...choicesOf(schema), ...FORMS].find((form) => schema.safeParse(form).success)
    return wanted === undefined ? [] : [{ expression: template.expression, wanted }]
  })
}

/** The first of the words that an input takes, where it takes no others. */
function choicesOf(schema: z.ZodType): readonly Json[] {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options.slice(0, 1) : []
}

/** The expression of which a node that only computes makes what is read of it, and what is read of that. */
function madeOf(
  { contract, bindings, outputVariables }: CompiledNode,
  path: Path,
): { readonly expression: Expression; readonly deeper: Path } | null {
  if (contract.openOutputs !== true || outputVariables !== null) return null
  let template: Template = bindings
  for (const [at, segment] of path.entries()) {
    if (template.kind === 'expression') return { expression: template.expression, deeper: path.slice(at) }
    const next: Template | undefined =
      template.kind === 'map'
        ? template.entries.get(String(segment))
        : template.kind === 'list'
          ? template.items[Number(segment)]
          : undefined
    if (next === undefined) return null
    template = next
  }
  return template.kind === 'expression' ? { expression: template.expression, deeper: [] } : null
}

const ITEM_ERRORS = 'item_errors'
/** Names of a node's variables that no work gives. */
const NO_OUTPUTS: ReadonlySet<string> = new Set([ITEM_ERRORS, 'error'])

/** The path of a list that stands there by itself: `{{ extract.months }}`. */
function listOf(items: Template): Path | null {
  return items.kind === 'expression' ? listPath(items.expression.source) : null
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

function valueOf({ example, size, parts }: Shape, type: string): Json {
  if (parts.size > 0) {
    const keys = [...parts.keys()]
    if (keys.every((key) => typeof key === 'number') && type !== 'object' && type !== 'file') {
      const length = Math.min(MOST_PLACES, Math.max(size ?? 0, 1 + Math.max(...keys)))
      return Array.from({ length }, (_, index) => valueOf(parts.get(index) ?? parts.get(0) ?? shape(), 'any'))
    }
    const members = Object.fromEntries([...parts].map(([key, part]) => [key, valueOf(part, 'any')]))
    return type === 'file' ? { ...FILE, ...members } : members
  }
  const known = example !== undefined && (type === 'any' || typeName(example) === type)
  return sized(known ? example : (SAMPLES[type] ?? (size === undefined ? 'sample' : [])), size)
}

/** As long as it is read to be. */
function sized(value: Json, size = 0): Json {
  const missing = Math.min(MOST_PLACES, size)
  if (typeof value === 'string') return value.padEnd(missing, '.')
  if (!Array.isArray(value) || value.length >= missing) return value
  return [...(value as readonly Json[]), ...Array<Json>(missing - value.length).fill('sample')]
}

const FILE = { artifact_id: 'invented', name: 'sample', content_type: 'text/plain', bytes: 0 } as const
const SAMPLES: Readonly<Record<string, Json>> = {
  string: 'sample',
  number: 1,
  boolean: true,
  array: [],
  object: {},
  file: FILE,
}

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value)
