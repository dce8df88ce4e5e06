import { eventNameOf, eventTypeOf, isExternal, producerOf } from '@/core/pipeline/gate/event-type'
import { relabelEvent } from '@/core/pipeline/gate/edit'
import type { Expression } from '@/core/pipeline/expression/expression'
import { eventsOfTask, pipelineEvents } from '@/core/pipeline/gate/events'
import { append, error, withFix, issueAt, warning, type Issue } from '@/core/pipeline/issue'
import { errorVariable } from '@/core/pipeline/definition/reserved'
import { didYouMean } from '@/core/pipeline/suggest'
import { templateExpressions, type Template } from '@/core/pipeline/expression/template'
import type { ReadNode, ValidationContext } from '@/core/pipeline/definition/read-node'
import { checkFiles } from './files'

type Path = (string | number)[]

/** Everything about one node that its schema and its syntax do not check. */
export function checkNode(read: ReadNode, context: ValidationContext): Issue[] {
  const path: Path = ['nodes', read.index]
  return [
    ...checkTask(read, context, path),
    ...checkRollback(read, context, [...path, 'rollback']),
    ...checkGate(read, context, [...path, 'startWhen']),
    ...checkFinally(read, path),
    ...read.bindingIssues.map((issue) => issueAt(path, issue)),
    ...checkPhase(read, context, path),
    ...checkReads(read, context, path),
    ...checkFiles(read, context, path),
  ]
}

function checkTask(
  { node, contract }: ReadNode,
  { tasks, disabledTasks, nearest }: ValidationContext,
  path: Path,
): Issue[] {
  const issues: Issue[] = []
  if (node.task === undefined && node.pipeline === undefined) {
    return [
      error([...path, 'task'], 'missing_field', "'task' is missing", 'a node names the task that it runs'),
    ]
  }
  if (node.task !== undefined && node.pipeline !== undefined) {
    return [error([...path, 'pipeline'], 'invalid_value', 'a node has a task or a pipeline, not both')]
  }
  if (node.task !== undefined && contract === undefined) {
    const near = nearest(node.task, tasks.keys())
    const hint = near === null ? `tasks are ${[...tasks.keys()].join(', ')}` : `did you mean ${near}?`
    const issue = error([...path, 'task'], 'unknown_task', `'${node.task}' is not a task`, hint)
    return [withFix(issue, near)]
  }
  const setting = disabledTasks.get(node.task ?? '')
  if (setting !== undefined) {
    const message = `'${node.task}' is switched off on this server: the node would fail`
    issues.push(warning([...path, 'task'], 'task_disabled', message, `${setting}=true turns it on`))
  }
  if (contract?.type === 'approval' && node.timeout !== undefined) {
    const hint = 'an approval takes its timeout as an input: inputBindings.timeout'
    return [
      error([...path, 'timeout'], 'timeout_on_approval', 'an approval has no timeout of an attempt', hint),
    ]
  }
  if (contract?.type === 'approval') {
    for (const field of ['retry', 'forEach'] as const) {
      if (node[field] === undefined) continue
      issues.push(
        error([...path, field], 'invalid_value', `an approval takes no ${field}: people decide once`),
      )
    }
  }
  return issues
}

/** What undoes the node is a task that does its work by itself, when everything has ended. */
function checkRollback(
  { node, compensation }: ReadNode,
  { tasks, disabledTasks, nearest }: ValidationContext,
  path: Path,
): Issue[] {
  const { rollback } = node
  if (rollback === undefined) return []
  if (node.finally) {
    const message = 'a node that runs after the end is not rolled back'
    return [error(path, 'rollback_in_finally', message, 'remove rollback')]
  }
  const { task } = rollback
  if (task === undefined) return []
  if (compensation === undefined) {
    const near = nearest(task, tasks.keys())
    const hint = near === null ? undefined : `did you mean ${near}?`
    return [withFix(error([...path, 'task'], 'unknown_task', `'${task}' is not a task`, hint), near)]
  }
  if (task === 'approval' || task === 'wait') {
    return [error([...path, 'task'], 'invalid_value', `'${task}' undoes nothing: name a task that works`)]
  }
  const setting = disabledTasks.get(task)
  if (setting === undefined) return []
  const message = `'${task}' is switched off on this server: the node could not be rolled back`
  return [warning([...path, 'task'], 'task_disabled', message, `${setting}=true turns it on`)]
}

function checkGate(read: ReadNode, context: ValidationContext, path: Path): Issue[] {
  if (read.parts.gate === null) return []
  const issues: Issue[] = []
  const seen = new Set<string>()
  let external = false
  for (const { atom, negated } of read.parts.gateAtoms) {
    if (atom.kind !== 'event') continue
    if (isExternal(atom.type)) {
      external = true
      if (negated && read.node.startTimeout === undefined) {
        const message = `'!event:${atom.type}' would wait for ever: an external event may come at any time`
        issues.push(error(path, 'external_negation_without_start_timeout', message, 'set startTimeout'))
      }
    }
    if (seen.has(atom.type)) continue
    seen.add(atom.type)
    append(issues, checkEvent(atom.type, read, context, path))
  }
  if (seen.size === 0) {
    const hint = 'add an event, such as event:pipeline.started &&'
    issues.push(
      error(
        path,
        'state_only_start_when',
        'startWhen names no event: nothing would make it look again',
        hint,
      ),
    )
  }
  if (read.node.startTimeout !== undefined && !external && seen.size > 0) {
    const at = [...path.slice(0, -1), 'startTimeout']
    issues.push(
      warning(at, 'unused_start_timeout', 'startTimeout has no effect: startWhen names no external event'),
    )
  }
  return issues
}

/** One event atom: somebody must be able to publish it, and it must be allowed here. */
function checkEvent(type: string, read: ReadNode, context: ValidationContext, path: Path): Issue[] {
  const source = producerOf(type)
  const name = eventNameOf(type)
  if (source === 'external') return checkExternal(type, context, path)
  if (source === 'pipeline') {
    if (!(pipelineEvents as readonly string[]).includes(name)) {
      return [unknownEvent(type, read, context, path)]
    }
    if (name !== 'started' && !read.node.finally) {
      const message = `'event:${type}' may stand only in a node with finally: true`
      return [error(path, 'pipeline_event_outside_finally', message, 'set finally: true, or wait for a node')]
    }
    return []
  }
  const producer = context.byId.get(source)
  if (producer === undefined) return [unknownEvent(type, read, context, path)]
  if (source === read.id) {
    return [error(path, 'cycle', `'${source}' waits for its own event ${type}`, 'wait for another node')]
  }
  const known = producer.node.task === undefined || producer.contract !== undefined
  if (known && !eventsOfTask(producer.node.task).includes(name)) {
    return [unknownEvent(type, read, context, path)]
  }
  if (producer.node.finally && !read.node.finally) {
    const message = `'${source}' runs after the end, so '${type}' can never start this node`
    return [error(path, 'finally_event_outside_finally', message)]
  }
  return []
}

/** A decision belongs to its approval: it reaches others only as that node's own event. */
function checkExternal(type: string, { byId }: ValidationContext, path: Path): Issue[] {
  const { node, word: decision } = eventTypeOf(type)
  const decides = decision === 'approved' || decision === 'rejected'
  if (!decides || byId.get(node)?.node.task !== 'approval') return []
  const message = `'event:${type}' is reserved for the approval '${node}'`
  return [error(path, 'reserved_event', message, `write event:${node}.${decision}`)]
}

/** The event of the right node before that of another with a similar name. */
function unknownEvent(type: string, { node }: ReadNode, context: ValidationContext, path: Path): Issue {
  const { byId, sources, nearest } = context
  const source = producerOf(type)
  const eventsOf = (id: string): string[] => {
    if (id === 'pipeline') return pipelineEvents.map((name) => `pipeline.${name}`)
    const producer = byId.get(id)
    if (producer === undefined) return []
    return eventsOfTask(producer.node.task).map((name) => `${id}.${name}`)
  }
  const isKnown = source === 'pipeline' || byId.has(source)
  const other = isKnown ? source : nearest(source, sources)
  const owner = other === null || other === 'system' ? null : other
  const events = owner === null ? [] : eventsOf(owner)
  const same = `${owner}.${eventNameOf(type)}`
  const meant = !isKnown && events.includes(same) ? same : owner === null ? null : nearest(type, events)
  const rest = isKnown ? `${owner} publishes ${events.join(', ')}` : `there is a node ${owner}`
  const hint = meant !== null ? `did you mean ${meant}?` : owner === null ? undefined : rest
  const issue = error(path, 'unknown_event', `nothing publishes '${type}'`, hint)
  const edited = meant === null ? null : relabelEvent(node.startWhen ?? '', type, meant)
  return withFix(issue, edited?.ok ? edited.value : null)
}

/** What a finally node may not do. */
function checkFinally({ node, parts }: ReadNode, path: Path): Issue[] {
  if (!node.finally) return []
  const issues: Issue[] = []
  if (node.task === 'approval') {
    const message = 'an approval cannot run after the end: nobody is left to wait for it'
    issues.push(error([...path, 'task'], 'approval_in_finally', message))
  }
  for (const type of parts.gateEvents) {
    if (!isExternal(type)) continue
    const message = `'event:${type}' cannot start a finally node: no event is accepted after the end`
    issues.push(error([...path, 'startWhen'], 'external_in_finally', message))
  }
  return issues
}

function checkPhase({ node }: ReadNode, { phases, nearest }: ValidationContext, path: Path): Issue[] {
  if (node.phase === undefined || phases === null || phases.includes(node.phase)) return []
  const near = nearest(node.phase, phases)
  const hint = near === null ? undefined : `did you mean ${near}?`
  const message = `'${node.phase}' is not one of the phases`
  return [withFix(error([...path, 'phase'], 'unknown_phase', message, hint), near)]
}

/** Every variable that the node reads, where it reads it. */
function checkReads(read: ReadNode, context: ValidationContext, path: Path): Issue[] {
  const issues: Issue[] = []
  for (const expression of read.parts.conditions) {
    const at = [...path, 'startWhen']
    append(issues, checkExpression(expression, { read, context, path: at, locals: [], gate: true }))
  }
  // One that is written but wrong is reported as that, and not once more at whatever reads its items.
  const each = read.node.forEach !== undefined || read.issues.some(({ path: [at] }) => at === 'forEach')
  const locals = each ? ['item', 'index'] : []
  for (const [key, template] of read.parts.bindings.entries) {
    const at = [...path, 'inputBindings', key]
    append(issues, checkTemplate(template, { read, context, path: at, locals, gate: false }))
  }
  if (read.parts.forEach !== null) {
    const at = [...path, 'forEach', 'items']
    append(
      issues,
      checkTemplate(read.parts.forEach.items, { read, context, path: at, locals: [], gate: false }),
    )
  }
  if (read.parts.retry?.when) {
    const at = [...path, 'retry', 'when']
    const place = { read, context, path: at, locals: ['error', 'attempts'], gate: false }
    append(issues, checkExpression(read.parts.retry.when, place))
  }
  const { compensation } = read.parts
  for (const [key, template] of compensation?.bindings.entries ?? []) {
    const at = [...path, 'rollback', 'inputBindings', key]
    append(
      issues,
      checkTemplate(template, { read, context, path: at, locals: [], gate: false, afterwards: true }),
    )
  }
  if (compensation?.retry?.when) {
    const at = [...path, 'rollback', 'retry', 'when']
    const place = { read, context, path: at, locals: ['error', 'attempts'], gate: false, afterwards: true }
    append(issues, checkExpression(compensation.retry.when, place))
  }
  for (const [name, template] of read.parts.outputVariables ?? []) {
    const at = [...path, 'outputVariables', name]
    append(
      issues,
      checkTemplate(template, { read, context, path: at, locals: ['result', ...locals], gate: false }),
    )
  }
  return issues
}

/** Where an expression stands, and what is in scope there. */
export type Place = {
  /** The node that reads, or null for the pipeline's own outputs. */
  read: ReadNode | null
  context: ValidationContext
  path: Path
  locals: readonly string[]
  gate: boolean
  /** It is evaluated after the node has ended: what that leaves behind is there. */
  afterwards?: boolean
}

export function checkTemplate(template: Template, place: Place): Issue[] {
  return templateExpressions(template).flatMap((expression) => checkExpression(expression, place))
}

const localHints: Readonly<Record<string, string>> = {
  item: 'it is known only inside forEach',
  index: 'it is known only inside forEach',
  result: 'it is known only inside outputVariables',
  error: 'it is known only where a retry is decided',
  attempts: 'it is known only where a retry is decided',
  body: 'it is known only inside the inputs of a webhook',
}

/** What a retry may ask of the failure. */
const errorFields = ['kind', 'message', 'detail']

export function checkExpression({ reads, locals, members }: Expression, place: Place): Issue[] {
  const issues: Issue[] = []
  for (const local of locals) {
    if (place.locals.includes(local)) continue
    issues.push(error(place.path, 'unknown_variable', `'${local}' is not known here`, localHints[local]))
  }
  for (const member of members) {
    const [local, field = ''] = member.split('.')
    if (local !== 'error' || errorFields.includes(field)) continue
    const hint = didYouMean(field, errorFields) ?? `it has ${errorFields.join(', ')}`
    issues.push(error(place.path, 'unknown_variable', `'error' has no '${field}'`, hint))
  }
  for (const { name, root, variable } of reads) append(issues, checkReference(name, root, variable, place))
  return issues
}

function checkReference(name: string, root: string, variable: string, place: Place): Issue[] {
  const { context, path, read } = place
  if (root === 'pipeline.input') {
    if (context.inputNames.includes(variable)) return []
    const hint = didYouMean(variable, context.inputNames, context.nearest)
    return [
      error(path, 'unknown_input', `'${name}' is read, but the pipeline has no input '${variable}'`, hint),
    ]
  }
  if (root === 'system') {
    if (context.systemVariables.includes(variable)) return []
    const hint =
      didYouMean(variable, context.systemVariables, context.nearest) ??
      `there are ${context.systemVariables.join(', ')}`
    return [error(path, 'unknown_variable', `'${name}' is not a variable`, hint)]
  }
  if (root === 'pipeline.output') {
    const message = `'${name}' is known only when the pipeline has completed`
    return [error(path, 'unknown_variable', message, 'read the variable of the node instead')]
  }
  const producer = context.byId.get(root)
  if (producer === undefined) return [unknownRoot(name, root, place)]
  if (producer === read && place.afterwards !== true) {
    return [
      error(
        path,
        'unknown_variable',
        `'${name}' is this node's own output`,
        place.locals.includes('result') ? 'write result.…' : undefined,
      ),
    ]
  }
  const isError = variable === errorVariable && !producer.outputNames?.includes(variable)
  if (producer.outputNames !== null && !isError && !producer.outputNames.includes(variable)) {
    const hint = didYouMean(variable, producer.outputNames, context.nearest)
    const known =
      producer.outputNames.length === 0 ? 'it has none' : `it has ${producer.outputNames.join(', ')}`
    return [error(path, 'unknown_variable', `'${root}' has no output '${variable}'`, hint ?? known)]
  }
  if (producer.node.finally && !read?.node.finally) {
    return [error(path, 'unknown_variable', `'${root}' runs after the end, so '${name}' is never there`)]
  }
  if (read?.id !== undefined && producer !== read && !place.gate && !context.waitsFor(read.id, root)) {
    const message = `'${name}' may be missing: nothing makes this node wait for '${root}'`
    const ending = isError ? 'failed' : 'completed'
    return [warning(path, 'may_be_missing', message, `add event:${root}.${ending} to startWhen`)]
  }
  return []
}

function unknownRoot(name: string, root: string, { context, path }: Place): Issue {
  if (/^exec(ution)?_/.test(root)) {
    // The form that the first systems had: execution_x.node.y (N-O1).
    const message = `'${name}' is not the name of a variable: other executions cannot be read`
    return error(path, 'invalid_variable_name', message, 'write node.output')
  }
  const hint = didYouMean(root, context.sources, context.nearest)
  return error(path, 'unknown_variable', `'${name}' is read, but there is no node '${root}'`, hint)
}
