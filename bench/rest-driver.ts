import { Agent, request, type IncomingMessage } from 'node:http'

/** Somebody who uses the product over REST and SSE, from a process of its own, with connections that stay open. */
export type RestDriver = {
  /** Sends JSON, answers JSON. @throws when the status is not `expected` */
  post(path: string, body: unknown, expected: number): Promise<unknown>
  /** Resolves when the event stream of the execution has told its outcome; `opened` when the server has answered. */
  follow(executionId: string, opened?: () => void): Promise<void>
  close(): void
}

const OUTCOME = /^event: ?pipeline\.(completed|failed|cancelled)$/m

export function createRestDriver(server: { readonly port: number; readonly token: string }): RestDriver {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  // A stream keeps its connection to its end: it must not take one from the requests.
  const streams = new Agent({ keepAlive: true, maxSockets: Infinity })
  const options = { host: '127.0.0.1', port: server.port }
  const authorization = `Bearer ${server.token}`

  return {
    post(path, body, expected) {
      const text = JSON.stringify(body)
      const headers = {
        authorization,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      return new Promise((resolve, reject) => {
        request({ ...options, agent, method: 'POST', path: `/api/v1${path}`, headers }, (response) => {
          readText(response).then((answer) => {
            if (response.statusCode === expected) resolve(JSON.parse(answer))
            else reject(new Error(`POST ${path}: ${response.statusCode} ${answer}`))
          }, reject)
        })
          .on('error', reject)
          .end(text)
      })
    },

    follow(executionId, opened) {
      const path = `/api/v1/executions/${executionId}/stream`
      return new Promise((resolve, reject) => {
        request({ ...options, agent: streams, path, headers: { authorization } }, (response) => {
          opened?.()
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
            if (OUTCOME.test(text)) resolve()
            text = text.slice(text.lastIndexOf('\n\n') + 1)
          })
          response.on('end', () => reject(new Error(`the stream of ${executionId} ended without an outcome`)))
          response.on('error', reject)
        })
          .on('error', reject)
          .end()
      })
    },

    close() {
      agent.destroy()
      streams.destroy()
    },
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}
