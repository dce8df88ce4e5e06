import { useCallback } from 'react'
import { useEditor } from '@/components/editor/editor-context'
import type { Problem } from '@/components/editor/model/problems/problem-list'
import { selectionOf } from '@/components/editor/model/view'
import { focusField } from '@/components/editor/node/focus-form'

/**
 * Leads to a problem. Who reads the code or the outline stays there, and is led to the line; in a form the field gets the keyboard.
 */
export function useGoTo(): (problem: Problem) => void {
  const { view } = useEditor()
  return useCallback(
    ({ nodes, path, line }) => {
      view.setState(({ panel }) => {
        const next =
          panel === 'code' || nodes.length === 0 ? 'code' : panel === 'outline' ? 'outline' : 'node'
        return {
          panel: next,
          ...(nodes.length === 0 ? {} : { selection: selectionOf(...nodes) }),
          ...(next === 'code' ? { sought: line ?? [...path] } : {}),
        }
      })
      const [only, ...others] = nodes
      if (only !== undefined && others.length === 0 && view.getState().panel === 'node')
        focusField(`Node ${only}`, path)
    },
    [view],
  )
}
