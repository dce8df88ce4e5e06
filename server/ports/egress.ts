import type { Readable } from 'node:stream'

export type EgressMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export type EgressRequest = {
  readonly method: EgressMethod
  /** Absolute, http or https, without a user or a password. */
  readonly url: string
  /** Names in any case, each once. Those that belong to the connection (Host, Content-Length, Connection, …) are refused. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array | null
  /** Ends the call at any moment, the reading of the body included; `fetch` or the body then fails with the signal's reason. */
  readonly signal: AbortSignal
  /** Bytes of the body, after decompression, past which it fails. 10 MB when absent. */
  readonly maxBytes?: number
  /** Whether up to five redirects are followed, each checked as the first address is. Otherwise a redirect is an answer like another. */
  readonly followRedirects: boolean
}

export type EgressResponse = {
  /** Where the answer came from, after redirects. */
  readonly url: string
  readonly status: number
  /** Names in lower case; several of a name are joined by a comma and a space. Without Set-Cookie, which cannot be joined. */
  readonly headers: ReadonlyMap<string, string>
  /** The values of Set-Cookie, each as it came. */
  readonly setCookies: readonly string[]
  /**
   * The decompressed body. Read it to its end or destroy it. It fails with an `EgressFailure`: `output_too_large` past the limit,
   * `unreachable` when the connection breaks, or what came is incomplete or cannot be decompressed.
   */
  readonly body: Readable
}

/**
 * `egress_refused`: the scheme or the address may not be reached, which no retry changes. `invalid_request`: not an address, or
 * a header that may not be sent. `output_too_large`: headers or body. `unreachable`: name, connection, TLS, or no proper answer.
 */
export type EgressFailureCode = 'egress_refused' | 'invalid_request' | 'output_too_large' | 'unreachable'

/** What `fetch` and the body throw: recognised by `name` and distinguished by `code`. The message is for people, without secrets. */
export type EgressFailure = Error & { readonly name: 'EgressFailure'; readonly code: EgressFailureCode }

/** The only way out of the server. Every address is checked when it is connected to. */
export interface Egress {
  /** Resolves when the headers have arrived, whatever the status is. */
  fetch(request: EgressRequest): Promise<EgressResponse>
  /** Ends every connection and all that runs. */
  close(): Promise<void>
}

/** Finds the addresses of a host name, all of them. */
export type ResolveHost = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>
