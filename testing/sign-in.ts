import { setTimeout as pause } from 'node:timers/promises'
import { bootMs, type ServerProcess } from './server-process'

/** Opens the one-time link of the console. Answers the headers by which a browser is the owner from then on. */
export async function signIn({
  origin,
  log,
}: Pick<ServerProcess, 'origin' | 'log'>): Promise<{ cookie: string; origin: string }> {
  // The link is printed just after the server has begun to answer.
  const tokenOf = () => /\/sign-in\?token=([A-Za-z0-9_-]+)/.exec(log())?.[1]
  const latest = performance.now() + bootMs
  while (tokenOf() === undefined && performance.now() < latest) await pause(20)
  const answer = await fetch(`${origin}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: tokenOf(), next: '/' }),
  })
  if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`)
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  return { cookie: cookies.join('; '), origin }
}
