'use client'

import { useMemo, useRef } from 'react'
import type { Definition } from '@/components/editor/model/draft/draft'
import { useEditor, useView } from '@/components/editor/editor-context'
import { freshNode } from '@/components/editor/model/view'
import { changedAt, type Path } from '@/core/pipeline/json-edits'
import type { FormHost } from '@/components/editor/form/form-host'
import { inWords } from '@/components/editor/form/shape'
import { isToDo, type Problem } from '@/components/editor/model/problems/problem-list'
import { useChildren } from './children'
import { PreviewLine } from './preview-line'
import { membersBelow } from '@/components/editor/model/node/members-below'
import { eventsAt, readableAt, type Place, type Readable } from '@/components/editor/model/node/readable'
import { useSamples, valuesByName, type Samples } from '@/components/editor/trial/samples'

/** What the forms of the editor share: they edit the draft live and know its problems. */
export function useEditorFormHost(problems: readonly Problem[]): FormHost {
  const { draft, view } = useEditor()
  const children = useChildren()
  const fresh = useView(freshNode)
  const samples = useSamples()
  const latest = useRef(samples)
  latest.current = samples
  return useMemo(
    (): FormHost => ({
      issues:
        fresh === null
          ? problems
          : problems.map((one) => (isToDo(one, fresh) ? { ...one, severity: 'info' as const } : one)),
      edit(path, value, alone = false) {
        const { definition } = draft.getState()
        draft.edit(
          `Change ${whatOf(definition, path)}`,
          (before) => changedAt(before, path, value) as Definition,
          alone ? undefined : path.join('/'),
        )
      },
      namesAt(path) {
        const { definition } = draft.getState()
        const place = placeOf(definition, path)
        return {
          variables: withMembers(readableAt(definition, place, children), latest.current),
          events: place.in === 'gate' && place.node !== null ? eventsAt(definition, place.node) : [],
        }
      },
      typedAt(path) {
        // Other nodes may come and go before it.
        const node = path[0] === 'nodes' ? nodeIdAt(draft.getState().definition, path[1]) : null
        const key = JSON.stringify(node === null ? path : [node, ...path.slice(2)])
        return {
          found: () => view.typed.get(key) ?? null,
          keep: (typed) => void (typed === null ? view.typed.delete(key) : view.typed.set(key, typed)),
        }
      },
      preview: (text, path) => <PreviewLine text={text} place={placeOf(draft.getState().definition, path)} />,
    }),
    [draft, view, problems, fresh, children],
  )
}

const withMembers = (variables: readonly Readable[], samples: Samples): readonly Readable[] => {
  const values = valuesByName(samples)
  return variables.flatMap((one) => [one, ...membersBelow(one.name, values.get(one.name))])
}

function nodeIdAt({ nodes }: Definition, index: unknown): string | null {
  const node: unknown = Array.isArray(nodes) && typeof index === 'number' ? nodes[index] : null
  return typeof node === 'object' && node !== null && 'id' in node && typeof node.id === 'string'
    ? node.id
    : null
}

/** The context of an expression at a path. */
function placeOf(definition: Definition, [list, index, field]: Path): Place {
  if (list === 'triggers') return { node: null, in: 'webhook' }
  if (list !== 'nodes') return { node: null, in: 'outputs' }
  return { node: nodeIdAt(definition, index), in: places.get(String(field)) ?? 'bindings' }
}

const places: ReadonlyMap<string, Place['in']> = new Map([
  ['startWhen', 'gate'],
  ['outputVariables', 'result'],
  ['forEach', 'items'],
  ['retry', 'retry'],
])

/** `sql of extract`, `description of the pipeline`: for the history. */
function whatOf(definition: Definition, path: Path): string {
  const node = path[0] === 'nodes' ? nodeIdAt(definition, path[1]) : null
  const names = path.slice(node === null ? 0 : 2).filter((part) => typeof part === 'string')
  const what = inWords(names.at(-1) ?? 'value').toLowerCase()
  return `${what} of ${node ?? 'the pipeline'}`
}
