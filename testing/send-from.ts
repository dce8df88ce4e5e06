import { request } from 'node:http'

type Request = {
  readonly method?: string
  /** Sent as `Authorization: Bearer`. */
  readonly token: string
  /** An address of this machine: 127.0.0.1 to 127.255.255.254. */
  readonly from?: string
}

/** The status of a request from an address of its own: what is limited by address is then limited for nobody else. */
export function sendFrom(
  url: string,
  { method = 'GET', token, from = '127.0.0.1' }: Request,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' }
    request(url, { method, headers, localAddress: from }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}
