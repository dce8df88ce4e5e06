'use client'

import { useEffect } from 'react'
import { isTyping } from '@/components/ui/typing'
import { useEditor } from './editor-context'

/** The keys of the editor. None fires while somebody types in a field, except the one that saves. */
export function useEditorKeys(publish: () => void): void {
  const { draft, view } = useEditor()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const command = event.ctrlKey || event.metaKey
      const key = event.key.toLowerCase()
      if (command && key === 's') {
        event.preventDefault()
        publish()
      } else if (!isTyping(event.target) && command && key === 'z') {
        event.preventDefault()
        if (event.shiftKey) draft.redo()
        else draft.undo()
      } else if (!isTyping(event.target) && !command && !event.altKey && key === 'n') {
        event.preventDefault()
        view.setState({ adding: true })
      } else if (!isTyping(event.target) && !command && !event.altKey && key === 'o') {
        event.preventDefault()
        view.setState(({ panel }) => ({ panel: panel === 'outline' ? 'node' : 'outline' }))
      }
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [draft, view, publish])
}
