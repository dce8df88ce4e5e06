import { durationText } from '@/components/ui/times'

/** What to do as the error budget is used up. */
export const budgetText = {
  none: 'Less than a quarter is used.',
  review: 'A quarter is used: look into what took the server down.',
  careful: 'Half is used: take fewer risks with changes.',
  fixes_only: 'Three quarters are used: change only what makes it more reliable.',
  freeze: 'Nine tenths are used: change nothing until it recovers.',
} as const

/** A measured value as people read it. */
export function valueText(unit: 'ms' | 'percent' | 'runs', value: number): string {
  if (unit === 'runs') return value.toLocaleString('en')
  // Three nines have to be told from four.
  if (unit === 'percent') return `${value >= 100 ? 100 : (Math.floor(value * 1_000) / 1_000).toFixed(3)} %`
  return value < 1_000 ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : durationText(value)
}
