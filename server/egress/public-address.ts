import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What the IANA has given out of IPv6 for the public; everything else is special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address (as the system writes it) lies in the public internet: none of the special ranges of the IANA's registries,
 * and none that carries an IPv4 address inside it (mapped, NAT64, 6to4, Teredo), because that could be anything.
 */
export function isPublicAddress(address: string): boolean {
  // The library takes `1.2.3` for an address too; the system does not.
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}
