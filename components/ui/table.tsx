import type { ComponentProps } from 'react'
import { cn } from './class-names'

/** A table that scrolls sideways in its own box on a narrow page. The box contains its screen reader text as well. */
export function Table({ label, className, ...rest }: ComponentProps<'table'> & { label: string }) {
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className={cn('w-full border-collapse text-left', className)} {...rest} />
    </div>
  )
}

export function Th({ className, ...rest }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={cn(
        'h-9 border-b border-line px-3 text-xs sm:px-4 font-medium whitespace-nowrap text-faint',
        className,
      )}
      {...rest}
    />
  )
}

export function Td({ className, ...rest }: ComponentProps<'td'>) {
  return <td className={cn('h-9 px-3 whitespace-nowrap sm:px-4', className)} {...rest} />
}

export function Tr({ className, ...rest }: ComponentProps<'tr'>) {
  return (
    <tr
      className={cn(
        'border-b border-line transition-colors duration-150 last:border-0 hover:bg-sunken',
        className,
      )}
      {...rest}
    />
  )
}
