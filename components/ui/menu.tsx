'use client'

import { DropdownMenu } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './class-names'

/** A menu at a button. `trigger` must be one element that takes a ref. */
export function Menu({
  trigger,
  align = 'end',
  children,
}: {
  trigger: ReactNode
  align?: 'start' | 'end'
  children: ReactNode
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          // A dialog that an item opened keeps the focus; else it returns to the button.
          onCloseAutoFocus={(event) => {
            const { activeElement } = document
            if (activeElement !== document.body && !isWithin(activeElement, event.currentTarget))
              event.preventDefault()
          }}
          className="z-50 min-w-48 rounded-lg border border-line bg-surface p-1 text-sm shadow-raised duration-150 data-[state=open]:animate-in data-[state=open]:fade-in-0"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const isWithin = (element: Element | null, menu: EventTarget | null): boolean =>
  menu instanceof Element && menu.contains(element)

const itemLook =
  'flex h-8 cursor-default items-center gap-2 rounded-md px-2 text-ink outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-sunken [&_svg]:size-4 [&_svg]:text-faint'

export function MenuItem({ className, ...rest }: ComponentProps<typeof DropdownMenu.Item>) {
  return <DropdownMenu.Item className={cn(itemLook, className)} {...rest} />
}

/** One of several; the chosen one is marked for screen readers and by weight. */
export function MenuChoice<T extends string>({
  value,
  onChange,
  options,
}: {
  value: T
  onChange: (value: T) => void
  options: readonly { readonly value: T; readonly label: string; readonly icon?: ReactNode }[]
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      {options.map((option) => (
        <DropdownMenu.RadioItem
          key={option.value}
          value={option.value}
          className={cn(itemLook, 'data-[state=checked]:font-semibold')}
        >
          {option.icon}
          {option.label}
          <DropdownMenu.ItemIndicator className="ml-auto size-1.5 rounded-full bg-accent" />
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2 py-1.5 text-xs text-faint">{children}</DropdownMenu.Label>
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />
}
