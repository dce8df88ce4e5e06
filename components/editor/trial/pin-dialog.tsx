'use client'

import { useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import type { JsonObject } from '@/core/engine/event'
import { readValues, type Source } from './pin-sources'

/** Edits the sample data that replaces the outputs of a node, or the inputs of the pipeline, in trials. */
export function PinDialog({
  of,
  title,
  start,
  sources,
  onPin,
  onUnpin,
  onClose,
}: {
  of: string
  title: string
  start: Source
  sources: readonly Source[]
  /** Null, or why it was refused. */
  onPin: (outputs: JsonObject, executions: readonly string[]) => string | null
  /** Absent: nothing is pinned. */
  onUnpin?: (() => void) | undefined
  onClose: () => void
}) {
  const id = useId()
  const [text, setText] = useState(() => JSON.stringify(start.outputs, null, 2))
  const [executions, setExecutions] = useState(start.executions)
  const [fault, setFault] = useState<string>()
  const save = () => {
    const read = readValues(text)
    const refused = read.ok ? onPin(read.values, executions) : read.fault
    if (refused === null) onClose()
    else setFault(refused)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description="Pinned data stays in this browser and replaces real values while you try nodes. Runs never use it."
    >
      <form
        className="flex min-h-0 flex-col gap-3 px-5 pb-4"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {sources.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {sources.map((source) => (
              <Button
                key={source.label}
                size="small"
                onClick={() => {
                  setText(JSON.stringify(source.outputs, null, 2))
                  setExecutions(source.executions)
                  setFault(undefined)
                }}
              >
                {source.label}
              </Button>
            ))}
          </div>
        )}
        <Field id={id} label={`Values of ${of} as JSON`} error={fault}>
          <Textarea
            id={id}
            autoFocus
            spellCheck={false}
            aria-invalid={fault !== undefined}
            className="h-72 font-mono text-xs"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setFault(undefined)
            }}
          />
        </Field>
        <div className="flex justify-end gap-2">
          {onUnpin !== undefined && (
            <Button
              tone="danger"
              className="mr-auto"
              onClick={() => {
                onUnpin()
                onClose()
              }}
            >
              Unpin
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary">
            Pin
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
