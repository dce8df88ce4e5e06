'use client'

import { Maximize2 } from 'lucide-react'
import { useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { CodeField } from './code-field'
import type { ControlProps } from './controls'
import { useFormHost } from './form-host'
import type { Language } from './shape'

/** Code, which can be looked at larger than a panel is. */
export function CodeControl({ language, ...props }: ControlProps & { language: Language }) {
  const { id, title, path, value, onChange, empty, templates, invalid, describedBy, focused = false } = props
  const host = useFormHost()
  const [large, setLarge] = useState(false)
  const field = {
    label: title,
    value: typeof value === 'string' ? value : '',
    onChange: (text: string) => onChange(text === '' ? empty : text),
    language,
    ...(templates === 'all' ? { grammar: 'template' as const, names: () => host.namesAt(path) } : {}),
  }
  return (
    <div className="group relative min-w-0">
      <CodeField {...field} id={id} invalid={invalid} describedBy={describedBy} focused={focused} />
      <button
        type="button"
        aria-label={`Enlarge ${title}`}
        title="Enlarge"
        onClick={() => setLarge(true)}
        className="absolute right-1 bottom-1 flex size-6 items-center justify-center rounded-md bg-surface text-faint hover:bg-sunken hover:text-ink [&_svg]:size-3.5"
      >
        <Maximize2 aria-hidden />
      </button>
      <Dialog open={large} onOpenChange={setLarge} title={title} className="w-[min(1040px,calc(100vw-2rem))]">
        <div className="min-h-0 px-5 pb-5">
          <CodeField {...field} id={`${id}-large`} large focused />
        </div>
      </Dialog>
    </div>
  )
}
