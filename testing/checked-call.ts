import { checkAnswer } from './answer-check'

export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/**
 * Calls to one server, each answer held against its schema. `identity`: the headers that say who calls. A body that is text is sent
 * as it is, any other as JSON; an answer that is no JSON is its text.
 */
export function checkedCall(origin: string, identity: Readonly<Record<string, string>>): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const { status, headers: answered } = response
    const parsed = jsonOrText(await response.text())
    checkAnswer({ method, path, status, contentType: answered.get('content-type'), body: parsed })
    return { status, body: parsed, headers: answered }
  }
}

function jsonOrText(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `fetch` for clients of tRPC, which holds their answers against their schemas as well. */
export async function checkedFetch(input: RequestInfo | URL, options?: object): Promise<Response> {
  const init = options as RequestInit | undefined
  const response = await fetch(input, init)
  const { pathname: path } = new URL(response.url)
  const contentType = response.headers.get('content-type')
  const body: unknown = await response.clone().json()
  checkAnswer({ method: init?.method ?? 'GET', path, status: response.status, contentType, body })
  return response
}
