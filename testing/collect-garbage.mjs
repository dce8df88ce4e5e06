// `node --import` of this file: SIGUSR2 collects all garbage, so that what is left of the memory is what is in use.
import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const session = new Session()
  session.connect()
  process.on('SIGUSR2', () => session.post('HeapProfiler.collectGarbage'))
}
