'use client'

import { Copy } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { usePipeline } from './pipeline-frame'

/** The definition as its author wrote it, comments included. Read only. */
export function PipelineCode() {
  const document = usePipeline()
  const lines = document.yaml.replace(/\n$/, '').split('\n')
  return (
    <div className="mx-auto w-full max-w-6xl p-4 lg:p-6">
      <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
        <div className="flex h-11 items-center border-b border-line px-4">
          <h2 className="text-sm font-semibold">Definition</h2>
          <span className="ml-2 text-xs text-faint">{lines.length} lines of YAML</span>
          <Button
            size="small"
            className="ml-auto"
            onClick={() =>
              void navigator.clipboard
                ?.writeText(document.yaml)
                .then(() => toast({ tone: 'good', title: 'The definition was copied' }))
            }
          >
            <Copy aria-hidden /> Copy
          </Button>
        </div>
        <pre tabIndex={0} aria-label="Definition as YAML" className="overflow-x-auto py-3 text-xs leading-5">
          {lines.map((line, index) => (
            <div key={index} className="flex px-4 hover:bg-sunken">
              <span aria-hidden className="mr-4 w-8 shrink-0 text-right text-faint select-none">
                {index + 1}
              </span>
              <code className="text-xs whitespace-pre">
                <Line text={line} />
              </code>
            </div>
          ))}
        </pre>
      </div>
    </div>
  )
}

/** Colours comments and keys only. */
function Line({ text }: { text: string }) {
  if (/^\s*#/.test(text)) return <span className="text-faint italic">{text}</span>
  const [, lead = '', key, rest = ''] = /^(\s*(?:- )?)([A-Za-z_][\w.]*)(:(?:\s.*)?)$/.exec(text) ?? []
  if (key === undefined) return text === '' ? ' ' : text
  return (
    <>
      {lead}
      <span className="text-accent">{key}</span>
      {rest}
    </>
  )
}
