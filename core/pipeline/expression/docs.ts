/** A function or macro of expressions, for who writes one. `sample` evaluates to `gives`. */
export type FunctionDoc = {
  readonly name: string
  readonly call: string
  readonly doc: string
  readonly sample: string
  readonly gives: unknown
}

const row = (call: string, doc: string, sample: string, gives: unknown): FunctionDoc => ({
  name: /(\w+)\(/.exec(call)?.[1] ?? call,
  call,
  doc,
  sample,
  gives,
})

/** What an author may call in `{{ }}`, in the order in which it is offered. */
export const expressionFunctions: readonly FunctionDoc[] = [
  row('size(value)', 'How many members a list or map has, or characters a text.', 'size([1, 2])', 2),
  row('has(node.output.field)', 'Whether a member is there.', "[{'a': 1}].exists(x, has(x.a))", true),
  row('string(value)', 'A number, boolean, timestamp or duration as text.', 'string(3)', '3'),
  row(
    'int(value)',
    'A whole number of a text or a number; of a timestamp the seconds since 1970.',
    "int('42')",
    42,
  ),
  row('double(value)', 'A number of a text.', "double('2.5')", 2.5),
  row('round(number, decimals)', 'Rounded, half away from zero.', 'round(2.345, 2)', 2.35),
  row('abs(number)', 'Without its sign.', 'abs(-3)', 3),
  row('min(list)', 'The smallest of a list, or of several numbers.', 'min([3, 1])', 1),
  row('max(list)', 'The largest of a list, or of several numbers.', 'max(3, 1)', 3),
  row('sum(list)', 'All numbers of a list together.', 'sum([1, 2, 3])', 6),
  row('upper(text)', 'In capitals.', "upper('a')", 'A'),
  row('lower(text)', 'In small letters.', "lower('A')", 'a'),
  row(
    'timestamp(text)',
    'An instant of ISO 8601 with Z or an offset, or of seconds since 1970.',
    "timestamp('2026-01-31T06:00:00+01:00')",
    '2026-01-31T05:00:00.000Z',
  ),
  row(
    'string(timestamp, zone)',
    'What the clocks of a time zone show, with their offset.',
    "string(timestamp('2026-03-01T02:30:00Z'), 'America/Los_Angeles')",
    '2026-02-28T18:30:00.000-08:00',
  ),
  row('duration(text)', 'A span of time: 30s, 1h30m, 1d.', "string(duration('1h30m'))", '5400s'),
  row(
    'timestamp.getHours(zone)',
    'The hour in a time zone, or in UTC without one.',
    "timestamp('2026-01-31T06:00:00Z').getHours('Europe/Berlin')",
    7,
  ),
  row(
    'timestamp.getDayOfWeek(zone)',
    'The day of the week, 0 for Sunday.',
    "timestamp('2026-01-31T06:00:00Z').getDayOfWeek()",
    6,
  ),
  row('type(value)', 'What it is: int, string, list …', 'type(1) == int', true),
  row('list.map(x, …)', 'Each member made into something else.', '[1, 2].map(x, x * 2)', [2, 4]),
  row('list.filter(x, …)', 'The members for which it is true.', '[1, 2].filter(x, x > 1)', [2]),
  row('list.exists(x, …)', 'Whether it is true for some member.', '[1, 2].exists(x, x > 1)', true),
  row('list.all(x, …)', 'Whether it is true for every member.', '[1, 2].all(x, x > 0)', true),
  row('text.contains(part)', 'Whether the text has the part in it.', "'abc'.contains('b')", true),
  row('text.startsWith(part)', 'Whether the text begins so.', "'abc'.startsWith('a')", true),
  row('text.endsWith(part)', 'Whether the text ends so.', "'abc'.endsWith('c')", true),
  row('text.matches(pattern)', 'Whether a regular expression is found in it.', "'abc'.matches('b.')", true),
  row('text.split(sign)', 'The list of its parts.', "'a,b'.split(',')", ['a', 'b']),
  row('list.join(sign)', 'One text of a list of texts.', "['a', 'b'].join('-')", 'a-b'),
]
