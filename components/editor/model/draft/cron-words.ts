import cronstrue from 'cronstrue'

/** How often a cron expression fires, in words: `at 06:00, every day`. What the library does not read is named as it is written. */
export function cronWords(cron: string): string {
  try {
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true, verbose: true })
    return words.charAt(0).toLowerCase() + words.slice(1).replace(', every hour, every day', '')
  } catch {
    return `by ${cron.trim()}`
  }
}
