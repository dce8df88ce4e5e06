import type { IncomingMessage } from 'node:http'
import { DomainError, type RequestIssue } from '@/server/operations/domain-error'
import { bodyLimits, contentType, parseJson, readText } from '@/server/transports/body'
import { readQueryFields } from '@/server/transports/query'
import { didYouMean } from '@/core/pipeline/suggest'
import type { QueryField, Route } from './route'

/**
 * Gathers what a request says from its path, query, headers and body, each field from the one part that the route names.
 * @throws DomainError `malformed`, `too_large`, `unsupported_media_type`, or `invalid_request` for fields that stand nowhere.
 */
export async function readRequest(
  request: IncomingMessage,
  route: Route,
  params: Readonly<Record<string, string>>,
  query: string,
): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = { ...params, ...readQuery(route.query, query) }
  if (route.ifMatch) {
    const header = request.headers['if-match']
    if (header !== undefined) fields['if_match'] = numberOf(header)
    else
      throw new DomainError(
        'precondition_required',
        'Say what you changed: If-Match with the number of the revision or version that you saw.',
      )
  }
  if (route.body === 'definition') Object.assign(fields, await readDefinitionBody(request))
  if (route.body === 'fields') {
    const own = new Set([
      ...route.params,
      ...Object.keys(route.query),
      ...(route.keyed ? ['idempotency_key'] : []),
      ...(route.ifMatch ? ['if_match'] : []),
    ])
    if (route.rest.keyInBody === true) own.delete('idempotency_key')
    Object.assign(fields, await readFields(request, own, route.bodyLimit))
  }
  const key = request.headers['idempotency-key']
  if (route.keyed && key !== undefined) {
    if (fields['idempotency_key'] !== undefined && fields['idempotency_key'] !== key) {
      throw new DomainError(
        'invalid_request',
        'The header Idempotency-Key and the field idempotency_key differ.',
      )
    }
    fields['idempotency_key'] = key
  }
  return fields
}

function numberOf(header: string): number {
  const match = /^(?:"(\d{1,15})"|(\d{1,15}))$/.exec(header.trim())
  if (!match) throw new DomainError('malformed', 'If-Match takes the number of a revision or version.')
  return Number(match[1] ?? match[2])
}

async function readDefinitionBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = contentType(request)
  if (type === 'application/json')
    return { definition: parseJson(await readText(request, bodyLimits.definition)) }
  if (type === 'application/yaml') return { yaml: await readText(request, bodyLimits.definition) }
  throw new DomainError(
    'unsupported_media_type',
    'Send the definition as application/json or application/yaml.',
  )
}

async function readFields(
  request: IncomingMessage,
  own: ReadonlySet<string>,
  limit: number,
): Promise<Record<string, unknown>> {
  const type = contentType(request)
  if (type !== null && type !== 'application/json') {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json.')
  }
  const text = await readText(request, limit)
  if (text === '') return {}
  if (type === null) throw new DomainError('unsupported_media_type', 'Send the body as application/json.')
  const body = parseJson(text)
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new DomainError('invalid_request', 'The body has to be a JSON object.')
  }
  const misplaced = Object.keys(body).filter((key) => own.has(key))
  if (misplaced.length > 0) throw unknownFields(misplaced, [])
  return body as Record<string, unknown>
}

function readQuery(known: Readonly<Record<string, QueryField>>, query: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [name, text] of readQueryFields(query)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) unknown.push(name)
    else fields[name] = readValue(kind, text)
  }
  if (unknown.length > 0) throw unknownFields(unknown, Object.keys(known))
  return fields
}

/** What cannot be read stays text: the schema of the operation refuses it with the path and the expected type. */
function readValue(kind: QueryField, text: string): unknown {
  if (kind === 'list') return text.split(',')
  if (kind === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function unknownFields(names: readonly string[], known: readonly string[]): DomainError {
  const issues = names.slice(0, 50).map((name): RequestIssue => {
    const word = name.slice(0, 80)
    const hint = didYouMean(word, known)
    const issue = { path: [word], code: 'unknown_field', message: `'${word}' is not a field here` }
    return hint === undefined ? issue : { ...issue, hint }
  })
  return new DomainError(
    'invalid_request',
    'The request names fields that do not exist: see the issues.',
    issues,
  )
}
