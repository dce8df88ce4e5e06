// Pipelines that journeys define over REST, each small enough to say what it is for.

const base = (id: string, name: string) => ({ schemaVersion: 1, id, name })

/** Two nodes side by side, the second after the first unless it says otherwise. */
export const pair = (id: string, name: string, loadWhen = 'event:extract.completed') => ({
  ...base(id, name),
  nodes: [
    { id: 'extract', name: 'Extract', task: 'noop', startWhen: 'event:pipeline.started' },
    { id: 'load', name: 'Load', task: 'noop', startWhen: loadWhen },
  ],
  layout: { extract: { x: 0, y: 0 }, load: { x: 400, y: 160 } },
})

/** Fails at its second node, after which a third is skipped. */
export const failing = (id: string) => ({
  ...base(id, 'Nightly import'),
  description: 'Fails on purpose, so that a failure can be seen.',
  nodes: [
    { id: 'fetch', name: 'Fetch the export', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'import_rows',
      name: 'Import the rows',
      task: 'fail',
      startWhen: 'event:fetch.completed',
      inputBindings: {
        message: 'row 318: column "amount" holds "n/a", a number was expected',
        kind: 'invalid_input',
      },
    },
    { id: 'report', name: 'Report', task: 'noop', startWhen: 'event:import_rows.completed' },
  ],
})

/** Loads, or fails to when `broken`, which another node handles; then there is no chart. */
export const handledOrNot = (id: string) => ({
  ...base(id, 'Handled or not'),
  inputs: { broken: { type: 'boolean', default: false } },
  nodes: [
    { id: 'begin', name: 'Begin', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'load',
      name: 'Load',
      task: 'fail',
      startWhen: 'event:begin.completed && {{ pipeline.input.broken }}',
      inputBindings: { message: 'no rows' },
    },
    { id: 'fix', name: 'Write to somebody', task: 'noop', startWhen: 'event:load.failed' },
    {
      id: 'chart',
      name: 'Chart',
      task: 'noop',
      startWhen: 'event:begin.completed && {{ !pipeline.input.broken }}',
    },
  ],
})

/** Fails over a file of which DuckDB has much to say. */
export const unreadableFile = (id: string) => ({
  ...base(id, 'Unreadable file'),
  nodes: [
    {
      id: 'write',
      name: 'Write a file',
      task: 'file.write',
      startWhen: 'event:pipeline.started',
      inputBindings: { path: 'data.csv', content: 'a,b\n1,2\n3,4,5,6\n' },
    },
    {
      id: 'read',
      name: 'Read the file',
      task: 'duckdb.query',
      startWhen: 'event:write.completed',
      inputBindings: {
        files: { data: '{{ write.artifact }}' },
        sql: "select * from read_csv($data, header = true, columns = {'a': 'int', 'b': 'int'})",
      },
    },
  ],
})

/** Asks about a value that is computed from another; `rows` is there to be mocked. */
export const mocked = (id: string) => ({
  ...base(id, 'Mocked'),
  nodes: [
    { id: 'rows', name: 'Rows', task: 'set', startWhen: 'event:pipeline.started', inputBindings: { n: 1 } },
    {
      id: 'sum',
      name: 'Sum',
      task: 'set',
      startWhen: 'event:rows.completed',
      inputBindings: { n: '{{ rows.n + 1 }}' },
    },
    {
      id: 'ask',
      name: 'May it go on?',
      task: 'approval',
      startWhen: 'event:sum.completed',
      inputBindings: { approvers: ['role:approver'], message: '{{ sum.n }} rows are to be published' },
    },
  ],
})

/** Waits until somebody outside publishes external.shipment. */
export const waitingForEvent = (id: string) => ({
  ...base(id, 'Wait for the shipment'),
  nodes: [
    { id: 'announce', name: 'Announce', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'receive',
      name: 'Receive the shipment',
      task: 'log',
      startWhen: 'event:announce.completed && event:external.shipment',
      inputBindings: { message: 'the shipment has come' },
    },
    { id: 'store', name: 'Store it', task: 'noop', startWhen: 'event:receive.completed' },
  ],
})

/** Asks a person at once. */
export const asking = (id: string, approval: object = {}) => ({
  ...base(id, 'Ask first'),
  nodes: [
    {
      id: 'ask',
      name: 'May it go on?',
      task: 'approval',
      startWhen: 'event:pipeline.started',
      inputBindings: { approvers: ['role:approver'], message: 'May it go on?', ...approval },
    },
    { id: 'act', name: 'Act', task: 'noop', startWhen: 'event:ask.approved' },
    { id: 'step_back', name: 'Step back', task: 'noop', startWhen: 'event:ask.rejected' },
  ],
})

/** Two nodes that want a slot at the same time, each for `ms` milliseconds of a processor. */
export const crowded = (id: string, ms: number) => ({
  ...base(id, 'Crowded'),
  nodes: ['first', 'second'].map((node) => ({
    id: node,
    task: 'script.javascript',
    startWhen: 'event:pipeline.started',
    inputBindings: {
      input: { ms },
      code: 'const end = Date.now() + input.ms; while (Date.now() < end) {} return 1',
    },
  })),
})

/** Sleeps by a timer of the engine. */
export const sleeping = (id: string, duration: string) => ({
  ...base(id, 'Sleeper'),
  nodes: [
    { id: 'before', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'sleep',
      name: 'Sleep',
      task: 'wait',
      startWhen: 'event:before.completed',
      inputBindings: { duration },
    },
    { id: 'after', task: 'noop', startWhen: 'event:sleep.completed' },
  ],
})

export const hostileTexts = {
  markup: '<script>window.hacked = true</script><img src=x onerror="window.hacked = true">',
  quotes: `" ' \` \${7*7} {{ 7*7 }} \\`,
  rightToLeft: '\u202eתשלום سلام evil\u202c',
  long: 'x'.repeat(200),
  prototype: '__proto__',
} as const

/** Every text that people can choose is one that tries to be more than text. */
export const hostile = (id: string) => ({
  ...base(id, hostileTexts.markup),
  description: hostileTexts.quotes,
  labels: { kind: hostileTexts.prototype, side: hostileTexts.rightToLeft },
  inputs: {
    greeting: { type: 'string', default: hostileTexts.markup, description: hostileTexts.rightToLeft },
  },
  nodes: [
    { id: 'markup', name: hostileTexts.markup, task: 'noop', startWhen: 'event:pipeline.started' },
    { id: 'rtl', name: hostileTexts.rightToLeft, task: 'noop', startWhen: 'event:markup.completed' },
    { id: 'proto', name: hostileTexts.prototype, task: 'noop', startWhen: 'event:markup.completed' },
    { id: 'long', name: hostileTexts.long, task: 'noop', startWhen: 'event:markup.completed' },
    {
      id: 'ask',
      name: hostileTexts.quotes,
      task: 'approval',
      startWhen: 'event:markup.completed',
      inputBindings: { approvers: ['role:approver'], message: '{{ pipeline.input.greeting }}' },
    },
  ],
})

/** A layered graph of about `count` nodes: `width` lanes, each node after two of the layer before. */
export const large = (id: string, count: number, width = 20) => ({
  ...base(id, `Large graph of ${count}`),
  nodes: Array.from({ length: count }, (_, index) => {
    const layer = Math.floor(index / width)
    const lane = index % width
    const before = (step: number) => `n${(layer - 1) * width + ((lane + step) % width)}`
    return {
      id: `n${index}`,
      name: `Step ${layer}.${lane}`,
      task: 'noop',
      startWhen:
        layer === 0
          ? 'event:pipeline.started'
          : `event:${before(0)}.completed && event:${before(1)}.completed`,
    }
  }),
})

/** Five items of which the third fails at every try; the next try comes after `delay`. */
export const itemwise = (id: string, delay: string) => ({
  ...base(id, 'Monthly figures'),
  nodes: [
    { id: 'begin', name: 'Begin', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'months',
      name: 'Read each month',
      task: 'script.javascript',
      startWhen: 'event:begin.completed',
      forEach: { items: ['jan', 'feb', 'mar', 'apr', 'may'], concurrency: 2, allowFailures: true },
      retry: { maxAttempts: 2, strategy: 'fixed', delay, jitter: 0 },
      inputBindings: {
        input: { month: '{{ item }}' },
        code: "console.log('reading', input.month); if (input.month === 'mar') throw new Error('no file for mar'); return input.month",
      },
    },
    {
      id: 'review',
      name: 'Let them be reviewed',
      pipeline: `${id}_review`,
      startWhen: 'event:months.completed',
    },
    { id: 'publish', name: 'Publish', task: 'noop', startWhen: 'event:review.completed' },
  ],
})

/** What `itemwise` runs inside: a person decides. */
export const review = (id: string) => ({
  ...base(`${id}_review`, 'Review'),
  nodes: [
    {
      id: 'ask',
      name: 'Are the figures right?',
      task: 'approval',
      startWhen: 'event:pipeline.started',
      inputBindings: { approvers: ['role:approver'], message: 'Are the figures right?' },
    },
    { id: 'sign', name: 'Sign', task: 'noop', startWhen: 'event:ask.approved' },
  ],
})

/** Fails at each of three tries, with `delay` between them. */
export const stubborn = (id: string, delay: string) => ({
  ...base(id, 'Stubborn'),
  nodes: [
    {
      id: 'push',
      name: 'Push the export',
      task: 'fail',
      startWhen: 'event:pipeline.started',
      inputBindings: { message: 'the other side is not there' },
      retry: { maxAttempts: 3, strategy: 'fixed', delay, jitter: 0 },
    },
  ],
})

/** Once external.go has come, prints a line each `ms` milliseconds of a processor, `lines` times. */
export const talking = (id: string, lines: number, ms: number) => ({
  ...base(id, 'Talker'),
  nodes: [
    {
      id: 'talk',
      name: 'Talk',
      task: 'script.javascript',
      startWhen: 'event:pipeline.started && event:external.go',
      inputBindings: {
        input: { lines, ms },
        code: 'for (let n = 1; n <= input.lines; n++) { console.log("word " + n); const end = Date.now() + input.ms; while (Date.now() < end) {} } return input.lines',
      },
    },
  ],
})

/** Publishes a version when a person has approved it. */
export const gated = (id: string) => ({
  ...base(id, 'Release'),
  inputs: { version: { type: 'string' } },
  nodes: [
    { id: 'prepare', name: 'Prepare it', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'approve',
      name: 'Approve it',
      task: 'approval',
      startWhen: 'event:prepare.completed',
      inputBindings: { message: 'Release {{ pipeline.input.version }}?', approvers: ['role:approver'] },
    },
    { id: 'publish', name: 'Publish it', task: 'noop', startWhen: 'event:approve.approved' },
  ],
})

/** Works for `ms` milliseconds of a processor. */
export const working = (ms: number) => ({
  task: 'script.javascript',
  inputBindings: {
    input: { ms },
    code: 'const end = Date.now() + input.ms; while (Date.now() < end) {} return 1',
  },
})

/** Is at work for ten minutes, and takes none of the processor. */
const held = { task: 'shell', inputBindings: { command: ['sleep', 600] } }

/** Comes to a stand, where two tasks run at once, with nodes in every status but those that a cancelled run gives. */
export const everyStatus = (id: string) => ({
  ...base(id, 'Every status'),
  nodes: [
    { id: 'done', name: 'Completed', task: 'noop', startWhen: 'event:pipeline.started' },
    { id: 'busy', name: 'Running', startWhen: 'event:done.completed', ...held },
    { id: 'busy_too', name: 'Running too', startWhen: 'event:done.completed', ...held },
    { id: 'in_line', name: 'Queued', startWhen: 'event:done.completed', ...held },
    {
      id: 'again',
      name: 'Retrying',
      task: 'fail',
      startWhen: 'event:done.completed',
      inputBindings: { message: 'the other side is not there' },
      retry: { maxAttempts: 3, strategy: 'fixed', delay: '45m', jitter: 0 },
    },
    {
      id: 'ask',
      name: 'Waiting for people',
      task: 'approval',
      startWhen: 'event:done.completed',
      inputBindings: { approvers: ['role:approver', 'user:ada'], message: 'May it go on?', timeout: '2h' },
    },
    {
      id: 'sleep',
      name: 'Waiting for a time',
      task: 'wait',
      startWhen: 'event:done.completed',
      inputBindings: { duration: '3h' },
    },
    {
      id: 'outside',
      name: 'Pending, for an event',
      task: 'noop',
      startWhen: 'event:done.completed && event:external.shipment',
    },
    {
      id: 'broken',
      name: 'Failed and handled',
      task: 'fail',
      startWhen: 'event:done.completed',
      inputBindings: { message: 'row 318: column "amount" holds "n/a", a number was expected' },
    },
    { id: 'mend', name: 'Handler', task: 'noop', startWhen: 'event:broken.failed' },
    { id: 'not_taken', name: 'Skipped', task: 'noop', startWhen: 'event:broken.completed' },
    { id: 'later', name: 'Pending', task: 'noop', startWhen: 'event:ask.approved && event:sleep.completed' },
    {
      id: 'each',
      name: 'A list that runs',
      task: 'wait',
      startWhen: 'event:done.completed',
      forEach: { items: ['1s', '3h', '4h', '5h'], concurrency: 2 },
      inputBindings: { duration: '{{ item }}' },
    },
  ],
})

/** So many nodes, each after the one before it. */
export const row = (id: string, count: number) => ({
  ...base(id, 'A row of nodes'),
  nodes: Array.from({ length: count }, (_, at) => ({
    id: `n${at}`,
    name: `Step number ${at}`,
    task: 'set',
    startWhen: at === 0 ? 'event:pipeline.started' : `event:n${at - 1}.completed`,
    inputBindings: { value: at },
  })),
})

/** Eight nodes in a row, of which the last does something else. */
export const endingIn = (id: string, last: { readonly task: string; readonly inputBindings?: object }) => {
  const { nodes, ...rest } = row(id, 8)
  return {
    ...rest,
    nodes: nodes.map((node, at) => (at < nodes.length - 1 ? node : { ...node, id: 'last', ...last })),
  }
}

/** Edges with outcomes and conditions: side by side, joined, and past other nodes. */
export const branching = (id: string) => {
  const node = (name: string, startWhen: string) => ({ id: name, task: 'noop', startWhen })
  return {
    ...base(id, 'Branching'),
    nodes: [
      { ...node('count', 'event:pipeline.started'), task: 'set', inputBindings: { rows: 7 } },
      node('few', 'event:count.completed && {{ count.rows <= 1000 }}'),
      node('many', 'event:count.completed && {{ count.rows > 1000 }}'),
      {
        ...node('ask', 'event:few.completed || event:many.completed'),
        task: 'approval',
        inputBindings: { approvers: ['role:approver'], message: 'Go on?' },
      },
      node('publish', 'event:ask.approved'),
      node('refuse', 'event:ask.rejected || event:ask.timeout'),
      node('report', 'event:publish.completed && event:count.completed && {{ count.rows > 0 }}'),
      node('warn', 'event:few.failed || event:many.failed || event:publish.failed'),
    ],
  }
}

/** So many nodes that wait for the same node, and one that waits for all of them. */
export const alike = (id: string, count: number) => ({
  ...base(id, `${count} siblings`),
  nodes: [
    {
      id: 'first',
      name: 'Split',
      task: 'set',
      startWhen: 'event:pipeline.started',
      inputBindings: { value: 1 },
    },
    ...Array.from({ length: count }, (_, at) => ({
      id: `n${at}`,
      task: 'noop',
      startWhen: 'event:first.completed',
    })),
    {
      id: 'join',
      name: 'Join',
      task: 'noop',
      startWhen: Array.from({ length: count }, (_, at) => `event:n${at}.completed`).join(' && '),
    },
  ],
})
