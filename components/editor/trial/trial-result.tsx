'use client'

import { CircleAlert, CircleCheck, FileText } from 'lucide-react'
import type { Ref } from 'react'
import type { TrialAnswer } from '@/components/api'
import { AnsiText } from '@/components/ui/ansi-text'
import { cn } from '@/components/ui/class-names'
import { ErrorBox } from '@/components/ui/error-box'
import { JsonView } from '@/components/ui/json-view'
import { bytesText, durationText } from '@/components/ui/times'
import { ValueView } from '@/components/ui/value-view'
import { isRecord } from '@/core/pipeline/json'

/** What came of a try: the error first, then what the node gave, its files, and what it printed. */
export function TrialResult({ answer, ref }: { answer: TrialAnswer; ref: Ref<HTMLElement> }) {
  const { status, error, outputs, left_out: leftOut, files, logs } = answer
  const failed = status === 'failed'
  const Icon = failed ? CircleAlert : CircleCheck
  const named = Object.keys(outputs)
    .map((name) => ({ name, file: fileOf(outputs[name], files) }))
    // A drawing says more than the text that it is made of.
    .toSorted((a, b) => Number(b.file !== undefined) - Number(a.file !== undefined))
  const others = files.filter((file) => named.every((output) => output.file !== file))
  return (
    <section ref={ref} aria-label="Result of the trial" className="flex flex-col gap-3">
      <p
        className={cn(
          'flex items-center gap-1.5 text-sm font-medium',
          failed ? 'text-failed' : 'text-completed',
        )}
      >
        <Icon aria-hidden className="size-4" />
        {failed ? 'Failed' : 'Completed'}
        <span className="ml-auto font-mono text-xs font-normal text-faint">
          {durationText(answer.duration_ms)}
        </span>
      </p>
      {error !== null && (
        <ErrorBox
          error={error}
          details={
            error.detail === undefined ? undefined : (
              <div className="mt-2">
                <ValueView value={error.detail} label="Details of the error" />
              </div>
            )
          }
        />
      )}
      {named.map(({ name, file }) => (
        <div key={name}>
          <h4 className="mb-1 font-mono text-xs text-muted">{name}</h4>
          {file === undefined ? (
            <ValueView value={outputs[name]} label={`Output ${name}`} />
          ) : (
            <FileView file={file} />
          )}
        </div>
      ))}
      {!failed && named.length === 0 && leftOut.length === 0 && (
        <p className="text-xs text-faint">It has no outputs.</p>
      )}
      {leftOut.length > 0 && (
        <p className="text-xs text-warning">
          {leftOut.join(', ')}: more than 1 MB, too large to show here. A run has it.
        </p>
      )}
      {others.length > 0 && (
        <div className="flex flex-col gap-1.5">
          <h4 className="text-xs font-medium text-muted">Files</h4>
          {others.map((file) => (
            <FileView key={file.artifact_id} file={file} />
          ))}
        </div>
      )}
      {files.length > 0 && <p className="text-xs text-faint">Files of a trial are deleted.</p>}
      {logs.length > 0 && (
        <details open={failed}>
          <summary className="cursor-pointer text-xs font-medium text-muted">
            {`Log, ${logs.length} ${logs.length === 1 ? 'line' : 'lines'}`}
          </summary>
          <div
            role="log"
            aria-label="Log of the trial"
            tabIndex={0}
            className="mt-1 max-h-56 overflow-auto rounded-md border border-line bg-sunken px-2.5 py-1.5 font-mono text-[11px] leading-[18px]"
          >
            {logs.map((line, at) => (
              <div
                key={at}
                className={cn('break-words whitespace-pre-wrap', line.stream === 'stderr' && 'text-failed')}
              >
                <AnsiText line={line.text} />
              </div>
            ))}
          </div>
        </details>
      )}
    </section>
  )
}

type TriedFile = TrialAnswer['files'][number]

/** The file that an output names, where it is one of this try. */
function fileOf(value: unknown, files: readonly TriedFile[]): TriedFile | undefined {
  return isRecord(value) ? files.find((file) => file.artifact_id === value['artifact_id']) : undefined
}

function FileView({ file }: { file: TriedFile }) {
  return (
    <div className="text-xs">
      <p className="flex items-center gap-1.5">
        <FileText aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="truncate">{file.name}</span>
        <span className="ml-auto shrink-0 text-faint">{bytesText(file.bytes)}</span>
      </p>
      <Preview file={file} />
    </div>
  )
}

function Preview({ file: { name, content_type, preview } }: { file: TriedFile }) {
  if (preview === null) return null
  const { encoding, content } = preview
  // A picture is shown as one: what a drawing could do otherwise, it cannot do there.
  if (content_type.startsWith('image/')) {
    const data =
      encoding === 'base64' ? `;base64,${content}` : `;charset=utf-8,${encodeURIComponent(content)}`
    return (
      <img
        src={`data:${content_type.split(';', 1)[0]}${data}`}
        alt={name}
        className="mt-1 max-h-64 max-w-full rounded-md border border-line bg-white"
      />
    )
  }
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-faint">Show content</summary>
      <JsonView value={content} className="mt-1 max-h-56" />
    </details>
  )
}
