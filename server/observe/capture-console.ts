import { Console } from 'node:console'
import { Writable } from 'node:stream'
import type { Log } from './log'

/**
 * Makes lines of the log of what libraries print by the console, and of the warnings of Node, so that every line can be parsed. For the
 * process that owns them.
 */
export function captureConsole(log: Log): void {
  const into = (write: (text: string) => void) =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        const text = String(chunk).trim()
        if (text !== '') write(text)
        done()
      },
    })
  globalThis.console = new Console({ stdout: into(log.info), stderr: into(log.warn), colorMode: false })
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn(`${warning.name}: ${warning.message}`))
}
