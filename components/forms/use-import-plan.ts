import { useEffect, useRef, useState } from 'react'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { maxDocumentLength } from '@/core/pipeline/yaml/yaml'
import { planImport, tooLarge, type ImportPlan } from './import-plan'

/** From the last change of the text until it is planned, in milliseconds. */
const PAUSE_MS = 250

/** The text of an import, what it would do once that is known (null until then), and why something was refused. */
export function useImportPlan(currentOf: (id: string) => Promise<PipelineDefinition | null>, as?: string) {
  const [text, setText] = useState('')
  const [planned, setPlanned] = useState<{ text: string; plan: ImportPlan } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const find = useRef(currentOf)
  useEffect(() => {
    find.current = currentOf
  }, [currentOf])

  useEffect(() => {
    if (text.trim() === '') return
    let latest = true
    const timer = setTimeout(() => {
      planImport(text, (wanted) => find.current(wanted), as).then(
        (plan) => latest && setPlanned({ text, plan }),
        (error: unknown) => latest && setRefusal(textOfError(error)),
      )
    }, PAUSE_MS)
    return () => {
      latest = false
      clearTimeout(timer)
    }
  }, [text, as])

  return {
    text,
    setText(next: string): void {
      const fits = next.length <= maxDocumentLength
      setRefusal(fits ? null : tooLarge)
      setText(fits ? next : '')
    },
    plan: planned !== null && planned.text === text ? planned.plan : null,
    refusal,
    refuse: (why: string): void => setRefusal(why),
  }
}

export const textOfError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
