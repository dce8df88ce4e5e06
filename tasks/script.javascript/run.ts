import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten'
import type { Json } from '@/core/engine/event'
import type { TaskContext, TaskRun } from '@/server/ports/runner'
import { OUTPUT_LIMITS, sayBytes } from '@/tasks/support/outputs'
import { TaskFailure } from '@/tasks/support/task-failure'
import { scriptMemory } from './memory'
import { prelude } from './prelude'

const CODE_CHARACTERS = 1_000_000
/** Lines that the sandbox puts before the body of a function that it compiles. */
const LINES_BEFORE = 2

/**
 * Runs `code`, the body of an async function in which `input` stands for the input of that name; what it returns is `result`.
 * The sandbox is QuickJS in WebAssembly with a module, a runtime and a context of its own for every attempt: no host object,
 * no network, no files, no modules, no timers. The result is what JSON keeps of it (nothing returned: null).
 * Wall clock and resident memory are held by the parent, because neither can be held from inside.
 */
export const run: TaskRun = async (input, context) => {
  const code = input['code']
  if (typeof code !== 'string') throw new TaskFailure('invalid_input', 'code must be text')
  if (code.length > CODE_CHARACTERS) {
    throw new TaskFailure('invalid_input', `code is longer than ${CODE_CHARACTERS} characters`)
  }
  if (code.includes('\0')) {
    // The sandbox takes it for the end of the code.
    throw new TaskFailure('invalid_input', 'code has a NUL character: write it as \\0 in a text')
  }
  const memory = scriptMemory(input)
  const { newQuickJSWASMModule } = await import('quickjs-emscripten')
  const sandbox = await newQuickJSWASMModule()
  return { result: evaluate(sandbox, { code, memory, input: input['input'] ?? null }, context) }
}

type Work = { readonly code: string; readonly memory: number; readonly input: Json }

function evaluate(sandbox: QuickJSWASMModule, work: Work, context: TaskContext): Json {
  const runtime = sandbox.newRuntime()
  runtime.setMemoryLimit(work.memory)
  runtime.setMaxStackSize(512 * 1024)
  const vm = runtime.newContext()
  // Nothing is disposed: the whole module is thrown away, and disposing after a memory error aborts the process.
  const print = vm.newFunction('print', (stream, text) => {
    context.log(vm.getString(stream) === 'stderr' ? 'stderr' : 'stdout', vm.getString(text))
  })
  const host = call(vm, vm.unwrapResult(vm.evalCode(prelude, 'prelude.js')), [print])
  const compile = vm.getProp(host, 'compile')
  const body = call(vm, compile, [vm.newString('input'), vm.newString(`'use strict';${work.code}`)])
  const value = call(vm, vm.getProp(host, 'parse'), [vm.newString(JSON.stringify(work.input))])
  const promise = call(vm, body, [value])
  const resolved = runToEnd(vm, runtime, promise, vm.getProp(host, 'show'))
  let json: QuickJSHandle
  try {
    json = call(vm, vm.getProp(host, 'encode'), [resolved])
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new TaskFailure('task_failed', `what the script returned cannot be written as JSON: ${why}`)
  }
  if (vm.typeof(json) !== 'string') {
    throw new TaskFailure('task_failed', 'what the script returned cannot be written as JSON')
  }
  // Looked at before it is copied out of the sandbox.
  const length = vm.getNumber(vm.getProp(json, 'length'))
  if (length > OUTPUT_LIMITS.one) {
    throw new TaskFailure(
      'output_too_large',
      `output result: ${sayBytes(length)} where ${sayBytes(OUTPUT_LIMITS.one)} are allowed; return less or write a file`,
      { output: 'result', bytes: length, limit: OUTPUT_LIMITS.one },
    )
  }
  return JSON.parse(vm.getString(json)) as Json
}

/** Runs the script's jobs until its promise has a result; a promise that never gets one is a failure. */
function runToEnd(
  vm: QuickJSContext,
  runtime: QuickJSRuntime,
  promise: QuickJSHandle,
  show: QuickJSHandle,
): QuickJSHandle {
  for (;;) {
    const state = vm.getPromiseState(promise)
    if (state.type === 'fulfilled') return state.value
    if (state.type === 'rejected') throw scriptError(vm, state.error, show)
    const jobs = runtime.executePendingJobs()
    if (jobs.error) throw scriptError(vm, jobs.error, show)
    if (jobs.value === 0) {
      throw new TaskFailure('task_failed', 'the script waits for a promise that nothing settles')
    }
  }
}

function call(vm: QuickJSContext, fn: QuickJSHandle, values: QuickJSHandle[]): QuickJSHandle {
  const result = vm.callFunction(fn, vm.undefined, ...values)
  if (result.error) throw scriptError(vm, result.error)
  return result.value
}

/**
 * The script's own error as a failure of the task: name, message and the line of the script when the engine knows it. `show` is
 * the prelude's, for what was thrown and is no error.
 */
function scriptError(vm: QuickJSContext, error: QuickJSHandle, show?: QuickJSHandle): TaskFailure {
  const text = (key: string) => {
    const property = vm.getProp(error, key)
    return vm.typeof(property) === 'string' ? vm.getString(property) : ''
  }
  const isObject = vm.typeof(error) === 'object' && !vm.eq(error, vm.null)
  const [message, stack] = isObject ? [text('message'), text('stack')] : ['', '']
  if (message === '' && stack === '') {
    const shown = show === undefined ? null : vm.callFunction(show, vm.undefined, error)
    const value = shown === null || shown.error ? 'a value that cannot be shown' : vm.getString(shown.value)
    return new TaskFailure('task_failed', `the script threw ${value}`)
  }
  const name = text('name') || 'Error'
  const line = /<input>:([0-9]+)/.exec(stack)?.[1]
  const at = line === undefined ? '' : ` (line ${Math.max(1, Number(line) - LINES_BEFORE)})`
  if (name === 'InternalError' && message === 'out of memory') {
    return new TaskFailure('task_failed', `the script used more memory than it may (input memory)${at}`)
  }
  const what =
    message === '' ? `${name} without a message` : `${name === 'Error' ? '' : `${name}: `}${message}`
  return new TaskFailure('task_failed', `${what}${at}`)
}
