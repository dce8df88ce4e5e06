'use client'

import { ContextMenu } from 'radix-ui'
import { useState, type ReactNode } from 'react'
import { commands, type Command, type Tools } from '@/components/editor/commands'
import { report } from '@/components/editor/report'
import { keysOfChord } from '@/components/ui/chords'
import { Kbd } from '@/components/ui/copyable'

/** The menu at the pointer: the commands that have something to do, in their groups, each with its key. */
export function CanvasMenu({ tools, children }: { tools: Tools; children: ReactNode }) {
  const [shown, setShown] = useState<readonly Command[][]>([])
  return (
    <ContextMenu.Root
      modal={false}
      onOpenChange={(open) => {
        if (open) setShown(groupsFor(tools))
      }}
    >
      <ContextMenu.Trigger asChild>{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content
          collisionPadding={8}
          className="z-50 max-h-(--radix-context-menu-content-available-height) min-w-56 overflow-y-auto rounded-lg border border-line bg-surface p-1 text-sm shadow-raised duration-150 data-[state=open]:animate-in data-[state=open]:fade-in-0"
          // What a command opens (a field, the palette) keeps the keyboard.
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          {shown.map((group, at) => (
            <div key={group[0]?.id}>
              {at > 0 && <ContextMenu.Separator className="my-1 h-px bg-line" />}
              {group.map((command) => (
                <ContextMenu.Item
                  key={command.id}
                  onSelect={() => report(command.run(tools) ?? null)}
                  className="flex h-8 cursor-default items-center gap-6 rounded-md px-2 text-ink outline-none select-none data-[highlighted]:bg-sunken"
                >
                  {command.title}
                  <span className="ml-auto flex gap-0.5">
                    {keysOfChord(command.keys[0] ?? '')
                      .filter((key) => key !== '')
                      .map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                  </span>
                </ContextMenu.Item>
              ))}
            </div>
          ))}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}

function groupsFor(tools: Tools): Command[][] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    if (command.menu !== true || command.can?.(tools) === false) continue
    groups.set(command.group, [...(groups.get(command.group) ?? []), command])
  }
  return [...groups.values()]
}
