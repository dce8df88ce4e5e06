import type { ELK } from 'elkjs/lib/elk-api.js'

let started: Promise<ELK> | null = null

/**
 * The layout engine. It is loaded when it is first needed, as it is the heaviest thing on the page, and computes in a worker, so that
 * the page goes on meanwhile; where there are no workers (tests) it computes in place.
 */
export function startElk(): Promise<ELK> {
  started ??= typeof Worker === 'undefined' ? inPlace() : inWorker()
  return started
}

async function inWorker(): Promise<ELK> {
  const { default: Elk } = await import('elkjs/lib/elk-api.js')
  return new Elk({
    workerFactory: () => new Worker(new URL('elkjs/lib/elk-worker.min.js', import.meta.url)),
  })
}

async function inPlace(): Promise<ELK> {
  const { default: Elk } = await import('elkjs/lib/elk.bundled.js')
  return new Elk()
}
