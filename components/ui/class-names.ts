import { clsx, type ClassValue } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Joins class names; of two that set the same property the later wins. */
export function cn(...values: ClassValue[]): string {
  return twMerge(clsx(values))
}
