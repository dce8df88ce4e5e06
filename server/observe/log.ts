import { pino, type Logger } from 'pino'

export type { Logger }

/** The server's log: JSON lines on stdout. Credentials never get that far, and if one does it is taken out. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: [
      '*.authorization',
      '*.cookie',
      '*.token',
      'headers.authorization',
      'headers.cookie',
      'req.headers.authorization',
      'req.headers.cookie',
    ],
  })
}
