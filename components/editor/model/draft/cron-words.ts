const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}

/** How often a cron expression fires, in words: `every day at 06:00`. What has no short words is named as it is written. */
export function cronWords(cron: string): string {
  const text = cron.trim()
  const fields = (NICKNAMES[text] ?? text).split(/ +/)
  const [minute = '', hour = '', day, month, weekday = ''] = fields
  const asWritten = `by ${text}`
  if (fields.length !== 5 || month !== '*') return asWritten
  const everyMinutes = /^\*\/(\d+)$/.exec(minute)?.[1]
  if (day === '*' && weekday === '*' && hour === '*') {
    if (minute === '*') return 'every minute'
    if (everyMinutes !== undefined && 60 % Number(everyMinutes) === 0) return `every ${everyMinutes} minutes`
    return isNumber(minute) ? `every hour at minute ${Number(minute)}` : asWritten
  }
  if (!isNumber(minute) || !isNumber(hour)) return asWritten
  const at = `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*') {
    if (weekday === '*') return `every day ${at}`
    if (weekday === '1-5') return `Monday to Friday ${at}`
    return isNumber(weekday) && WEEKDAYS[Number(weekday)] !== undefined
      ? `every ${WEEKDAYS[Number(weekday)]} ${at}`
      : asWritten
  }
  return weekday === '*' && day !== undefined && isNumber(day)
    ? `on day ${Number(day)} of every month ${at}`
    : asWritten
}

const isNumber = (text: string): boolean => /^\d{1,2}$/.test(text)
