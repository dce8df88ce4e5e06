import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** One entry of PENSTOCK_EGRESS_ALLOW: what it opens, on one port or (null) on any. */
export type EgressRule = { readonly port: number | null } & (
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'suffix'; readonly suffix: string }
  | { readonly kind: 'range'; readonly range: Range }
)

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const hostName = new RegExp(`^(${label}\\.)*${label}$`)

/**
 * Reads one entry: `name`, `*.suffix` (below it, not itself), an address or a CIDR range, each with an optional `:port`; IPv6 with
 * a port in brackets (`[fd00::/8]:8080`). Returns null for anything else.
 */
export function parseEgressRule(text: string): EgressRule | null {
  const { subject, portText } = splitPort(text.toLowerCase())
  const port = portText === null ? null : Number(portText)
  if (port !== null && (!/^[0-9]{1,5}$/.test(portText ?? '') || port < 1 || port > 65_535)) return null
  const range = parseRange(subject)
  if (range !== null) return { kind: 'range', range, port }
  const wild = subject.startsWith('*.')
  const name = wild ? subject.slice(2) : subject
  // A name that ends in a number is an address to the URL parser: it could never match.
  if (name.length > 253 || !hostName.test(name) || /(^|\.)(0x[0-9a-f]*|[0-9]+)$/.test(name)) return null
  return wild ? { kind: 'suffix', suffix: `.${name}`, port } : { kind: 'host', name, port }
}

/** Reads a whole setting, entries between commas. Throws with a sentence about the first entry that is none. */
export function readEgressAllow(text: string): EgressRule[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter(Boolean).map((entry) => {
    const rule = parseEgressRule(entry)
    if (rule === null) {
      throw new Error(
        `${JSON.stringify(entry.slice(0, 300))} is neither a host name, *.suffix, an address nor a range such as 10.0.0.0/8, each with an optional :port`,
      )
    }
    return rule
  })
}

function splitPort(text: string): { subject: string; portText: string | null } {
  const [, inside, after] = /^\[([^[\]]*:[^[\]]*)\](?::(.*))?$/.exec(text) ?? []
  if (inside !== undefined) return { subject: inside, portText: after ?? null }
  const [subject = '', portText, ...more] = text.split(':')
  // With more colons it is an IPv6 address, which has a port only outside brackets.
  return more.length > 0 ? { subject: text, portText: null } : { subject, portText: portText ?? null }
}

function parseRange(text: string): Range | null {
  const [, address = '', bits] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const prefix = bits === undefined ? most : Number(bits)
  return most === -1 || prefix > most ? null : [ipaddr.parse(address), prefix]
}

/** Whether a rule opens this address to which this host (a name or the address itself) leads. */
export function isAllowed(
  rules: readonly EgressRule[],
  { host, address, port }: { host: string; address: string; port: number },
): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return rules.some((rule) => {
    if (rule.port !== null && rule.port !== port) return false
    if (rule.kind === 'host') return rule.name === name
    if (rule.kind === 'suffix') return name.endsWith(rule.suffix)
    const [start, bits] = rule.range
    if (isIP(address) === 0) return false
    const parsed = ipaddr.parse(address)
    return parsed.kind() === start.kind() && parsed.match(start, bits)
  })
}
