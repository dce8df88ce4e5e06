'use client'

import { Label } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './class-names'

const box =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink shadow-card transition-colors duration-150 placeholder:text-faint hover:border-faint focus-visible:outline-offset-0 aria-invalid:border-danger disabled:opacity-60'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={cn(box, 'h-8', className)} {...rest} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={cn(box, 'min-h-20 py-1.5 leading-5', className)} {...rest} />
}

/** The platform's own select: it works with every keyboard, screen reader and phone. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={cn(box, 'h-8 pr-8', className)} {...rest} />
}

/** A label, its control, a hint below, and the error in addition to the hint. */
export function Field({
  id,
  label,
  required = false,
  hint,
  error,
  children,
}: {
  /** The id of the control; `${id}-hint` and `${id}-error` describe it. */
  id: string
  label: ReactNode
  required?: boolean
  hint?: ReactNode
  error?: string | undefined
  children: ReactNode
}) {
  return (
    <div className="flex flex-col gap-1">
      <Label.Root htmlFor={id} className="flex items-baseline gap-1.5 text-sm font-medium">
        {label}
        {required && <span className="text-xs font-normal text-faint">required</span>}
      </Label.Root>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-faint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-xs font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
