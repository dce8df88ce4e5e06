// Pipelines whose journeys look at how long things take.

import { working } from './pipelines'

const base = (id: string, name: string) => ({ schemaVersion: 1, id, name })

/** One node that works for `ms` milliseconds, and a beginning and an end. */
export const timedWork = (id: string, ms: number) => ({
  ...base(id, 'Timed work'),
  nodes: [
    { id: 'begin', task: 'noop', startWhen: 'event:pipeline.started' },
    { id: 'work', name: 'Work', startWhen: 'event:begin.completed', ...working(ms) },
    { id: 'end', task: 'noop', startWhen: 'event:work.completed' },
  ],
})

/** Goes on in four steps, each when somebody publishes the event of it: a list, tries, work that a crash loses, a branch not taken. */
export const inSteps = (id: string) => ({
  ...base(id, 'In steps'),
  nodes: [
    {
      id: 'one',
      task: 'set',
      startWhen: 'event:pipeline.started && event:external.one',
      inputBindings: { list: [1, 2, 3, 4, 5, 6] },
    },
    {
      id: 'items',
      task: 'set',
      forEach: { items: '{{ one.list }}', concurrency: 2 },
      startWhen: 'event:one.completed && event:external.two',
      inputBindings: { twice: '{{ item * 2 }}' },
    },
    { id: 'work', startWhen: 'event:items.completed', ...working(4_000) },
    {
      id: 'shaky',
      task: 'fail',
      startWhen: 'event:work.completed && event:external.three',
      allowFailure: true,
      inputBindings: { message: 'the other side is not there' },
      retry: { maxAttempts: 3, strategy: 'fixed', delay: '50ms', jitter: 0 },
    },
    { id: 'mend', task: 'noop', startWhen: 'event:shaky.failed' },
    { id: 'never', task: 'noop', startWhen: 'event:shaky.completed' },
    { id: 'four', task: 'noop', startWhen: 'event:mend.completed && event:external.four' },
  ],
})

/** With one slot: a node that queues behind another, one that is tried twice and fails, a list, and a person who decides. */
export const eventful = (id: string, ms: number) => ({
  ...base(id, 'Eventful'),
  nodes: [
    { id: 'first', startWhen: 'event:pipeline.started', ...working(ms) },
    { id: 'second', startWhen: 'event:pipeline.started', ...working(ms) },
    {
      id: 'again',
      task: 'fail',
      startWhen: 'event:second.completed',
      allowFailure: true,
      inputBindings: { message: 'the other side is not there' },
      retry: { maxAttempts: 2, strategy: 'fixed', delay: '300ms', jitter: 0 },
    },
    {
      id: 'items',
      startWhen: 'event:again.failed',
      forEach: { items: ['jan', 'feb', 'mar'], concurrency: 1 },
      ...working(ms / 4),
    },
    {
      id: 'ask',
      name: 'May it go on?',
      task: 'approval',
      startWhen: 'event:items.completed',
      inputBindings: { approvers: ['role:approver'], message: 'May it go on?' },
    },
    { id: 'act', name: 'Act', task: 'noop', startWhen: 'event:ask.approved' },
  ],
})

/** Works as long as its input says, reports what it was told, and fails at the end when it was told nothing. */
export const measured = (id: string) => ({
  ...base(id, 'Measured'),
  inputs: { ms: { type: 'number', default: 1 }, word: { type: 'string', default: '' } },
  nodes: [
    { id: 'begin', name: 'Begin', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'work',
      name: 'Do the work',
      task: 'script.javascript',
      startWhen: 'event:begin.completed',
      inputBindings: {
        input: { ms: '{{ pipeline.input.ms }}', word: '{{ pipeline.input.word }}' },
        code: 'console.log("begins"); console.error("careful with " + input.word); const end = Date.now() + input.ms; while (Date.now() < end) {} return [{ word: input.word, length: input.word.length }, { word: "last", length: 4 }]',
      },
    },
    {
      id: 'check',
      name: 'Check the word',
      task: 'script.javascript',
      startWhen: 'event:work.completed',
      inputBindings: {
        input: { rows: '{{ work.result }}' },
        code: 'if (input.rows[0].length === 0) throw new Error("there is no word"); return input.rows[0].word',
      },
    },
    { id: 'publish', name: 'Publish', task: 'noop', startWhen: 'event:check.completed' },
  ],
})
