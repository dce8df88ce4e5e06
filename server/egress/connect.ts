import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import type { ResolveHost } from '@/server/ports/egress'
import { isAllowed, type EgressRule } from './allowance'
import { egressFailure } from './egress-failure'
import { isPublicAddress } from './public-address'

/** From the look-up of the name to the end of the handshake. */
const CONNECT_MS = 10_000

/**
 * Makes connections, and refuses those to what is neither public nor allowed. The check is made here, on the addresses that
 * the socket then uses: a name that leads elsewhere a moment later changes nothing. One bad address among several is enough.
 */
export function createConnector(
  rules: readonly EgressRule[],
  resolve: ResolveHost,
): buildConnector.connector {
  const check = (host: string, address: string, port: number): void => {
    if (isPublicAddress(address) || isAllowed(rules, { host, address, port })) return
    // The address behind a name is not in the message: that would let a pipeline read the names of a private network.
    const what = host === address ? 'is not a public address' : 'leads to an address that is not public'
    throw egressFailure('egress_refused', `${host} ${what}; PENSTOCK_EGRESS_ALLOW can open it`)
  }
  return (options, callback) => {
    const host = options.hostname
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
    if (isIP(host) !== 0) {
      try {
        check(host, host, port)
      } catch (refused) {
        callback(refused as Error, null)
        return
      }
    }
    const connect = buildConnector({
      timeout: CONNECT_MS,
      // Called for names only: an address is connected to as it stands.
      lookup(_name, { all }, done) {
        resolve(host)
          .then((addresses) => {
            for (const { address } of addresses) check(host, address, port)
            const [first] = addresses
            if (first === undefined) throw egressFailure('unreachable', `${host} has no address`)
            if (all) done(null, [...addresses])
            else done(null, first.address, first.family)
          })
          .catch((error: NodeJS.ErrnoException) => done(error, ''))
      },
    })
    connect(options, callback)
  }
}
