import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './class-names'

const look = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors duration-150 disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
        plain: 'border-line bg-surface text-ink shadow-card hover:border-line-strong hover:bg-sunken',
        quiet: 'border-transparent bg-transparent text-muted hover:bg-sunken hover:text-ink',
        danger:
          'border-danger/40 bg-surface text-danger hover:border-danger hover:bg-[color-mix(in_oklab,var(--danger)_8%,var(--surface))]',
      },
      size: {
        small: 'h-7 px-2 text-xs',
        normal: 'h-8 px-3 text-sm',
        large: 'h-10 px-4 text-base',
        icon: 'size-8 p-0',
      },
    },
    defaultVariants: { tone: 'plain', size: 'normal' },
  },
)

/** A button, or with `asChild` a link that looks like one. A page has at most one of tone `primary`. */
export function Button({
  className,
  tone,
  size,
  asChild = false,
  type,
  ...rest
}: ComponentProps<'button'> & VariantProps<typeof look> & { asChild?: boolean }) {
  const classes = cn(look({ tone, size }), className)
  if (asChild) return <Slot.Root className={classes} {...rest} />
  return <button type={type ?? 'button'} className={classes} {...rest} />
}
