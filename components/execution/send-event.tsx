'use client'

import { useMutation } from '@tanstack/react-query'
import { Radio } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { api, problemOf } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Textarea } from '@/components/ui/field'
import { toast } from '@/components/ui/toast'
import { readTypedJson } from '@/core/pipeline/json-text'

const payloads = z.record(z.string(), z.json())

/** Parses typed text as a JSON object, or says what is wrong with it. Empty text is an empty object. */
function payloadIn(
  text: string,
): { readonly payload: z.infer<typeof payloads> } | { readonly error: string } {
  if (text.trim() === '') return { payload: {} }
  const read = readTypedJson(text)
  if (!read.ok) return { error: read.error }
  const { data } = payloads.safeParse(read.value)
  return data === undefined
    ? { error: 'The payload must be an object, such as { "rows": 3 }' }
    : { payload: data }
}

/** Sends the external events that a gate waits for, in place of another system. */
export function SendEvents({ executionId, types }: { executionId: string; types: readonly string[] }) {
  const [asked, setAsked] = useState<string | null>(null)
  if (types.length === 0) return null
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {types.map((type) => (
        <Button key={type} size="small" onClick={() => setAsked(type)}>
          <Radio aria-hidden /> Send {type}…
        </Button>
      ))}
      {asked !== null && <SendEvent executionId={executionId} type={asked} onClose={() => setAsked(null)} />}
    </div>
  )
}

function SendEvent({
  executionId,
  type,
  onClose,
}: {
  executionId: string
  type: string
  onClose: () => void
}) {
  const [text, setText] = useState('')
  const read = payloadIn(text)
  const send = useMutation(
    api.events.publish.mutationOptions({
      onSuccess: () => {
        onClose()
        toast({ tone: 'good', title: `${type} was sent` })
      },
    }),
  )
  const wrong = 'error' in read ? read.error : send.error === null ? undefined : problemOf(send.error).message
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={`Send ${type}?`}
      description="Sends the event as if it came from the other system. Every node of this run that waits for it continues."
    >
      <form
        className="flex flex-col gap-4 overflow-y-auto px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          if ('payload' in read)
            send.mutate({ execution_id: executionId, event_type: type, payload: read.payload })
        }}
      >
        <Field
          id="event-payload"
          label="Payload"
          hint="Optional. JSON data to send with the event."
          error={wrong}
        >
          <Textarea
            id="event-payload"
            aria-describedby="event-payload-hint"
            className="font-mono text-xs"
            placeholder="{ }"
            autoFocus
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" tone="primary" disabled={send.isPending || 'error' in read}>
            {send.isPending ? 'Sending…' : 'Send'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
