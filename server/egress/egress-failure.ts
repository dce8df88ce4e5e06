import type { EgressFailure, EgressFailureCode } from '@/server/ports/egress'

/** A failure of the port, with a sentence that says what to do. */
export function egressFailure(code: EgressFailureCode, message: string): EgressFailure {
  return Object.assign(new Error(message), { name: 'EgressFailure' as const, code })
}

export function isEgressFailure(thrown: unknown): thrown is EgressFailure {
  return thrown instanceof Error && thrown.name === 'EgressFailure'
}

/** Codes of what goes wrong on the way, in words; of any other the code is the text. */
const words: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'its name cannot be looked up at the moment'],
  ['ECONNREFUSED', 'nothing listens there'],
  ['ECONNRESET', 'the connection was closed'],
  ['EHOSTUNREACH', 'there is no way to it'],
  ['ENETUNREACH', 'there is no way to it'],
  ['ETIMEDOUT', 'it does not answer'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it cannot be connected to within 10 seconds'],
  ['UND_ERR_HEADERS_TIMEOUT', 'it sends no answer'],
  ['UND_ERR_BODY_TIMEOUT', 'its answer does not go on'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'its answer is shorter or longer than it says'],
  ['Z_BUF_ERROR', 'the compressed data ends too early'],
  ['ERR_TRAILING_JUNK_AFTER_STREAM_END', 'other data follows the compressed data'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is signed by nobody else'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is signed by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is signed by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its certificate is signed by an unknown authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
])

/** What an error of the network libraries means for the caller, before there is an answer. */
export function networkFailure(thrown: unknown, url: URL): EgressFailure {
  if (isEgressFailure(thrown)) return thrown
  const code = codeOf(thrown)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return egressFailure('output_too_large', `the headers of ${url.host}'s answer are too large`)
  }
  const why = words.get(code) ?? (code === '' ? 'its answer is not proper HTTP' : `it failed (${code})`)
  return egressFailure('unreachable', `${url.host} cannot be reached: ${why}`)
}

/** As `networkFailure`, once the answer has begun: the host was reached, and what it sent cannot be read to its end. */
export function bodyFailure(thrown: unknown, url: URL): EgressFailure {
  if (isEgressFailure(thrown)) return thrown
  const code = codeOf(thrown)
  const isDamaged = code !== 'Z_BUF_ERROR' && /^(?:Z_|ERR_BROTLI_|ERR__ERROR_FORMAT)/.test(code)
  const why = words.get(code) ?? (isDamaged ? 'the compressed data is damaged' : `it failed (${code})`)
  return egressFailure('unreachable', `the answer of ${url.host} cannot be read to its end: ${why}`)
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
