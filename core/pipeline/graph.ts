/**
 * An edge of the derived graph. `event`: the target's startWhen names an event of the source;
 * `variable`: the target reads a variable of the source.
 */
export type Edge = {
  from: string
  to: string
  kind: 'event' | 'variable'
  /** The event type or variable name. */ label: string
}
