'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useMemo } from 'react'
import { arrange } from '@/components/graph/arrange'
import { countsAt, isChord, keysOfChord } from '@/components/ui/chords'
import { useListCommands } from '@/components/ui/listed-commands'
import { useListShortcuts } from '@/components/ui/listed-shortcuts'
import { toast } from '@/components/ui/toast'
import { isTyping } from '@/components/ui/typing'
import { idPattern } from '@/core/pipeline/definition/definition'
import { removeSelected } from './model/actions'
import { layOutAll } from './model/canvas/arrange-actions'
import { copySelected, paste } from './model/canvas/clipboard-actions'
import { commands, offered, shortcutGroups, type Command, type Tools } from './commands'
import { useEditor } from './editor-context'
import type { EditorStores } from '@/components/editor/model/stores'
import type { TrialStores } from '@/components/editor/trial/trial-store'
import { nodesOf } from './model/flow'
import { report } from './report'
import type { TrialActions } from './trial/trial-store'
import { onlyNode } from './model/view'

/** How long a form may take to appear, in milliseconds: at its first time it is loaded. */
const PATIENCE_MS = 3_000

/**
 * Does what a key asks on the actions of the node that is chosen; where its form is being opened, once it is there. The last key counts, and
 * only for the node for which it was pressed: its work is real.
 */
function createTrialKeys({ trials, view }: TrialStores): (act: (actions: TrialActions) => void) => void {
  let forget = () => {}
  return (act) => {
    forget()
    const { actions } = trials.getState()
    if (actions !== null) return act(actions)
    const node = onlyNode(view.getState())
    if (node === null || view.getState().panel !== 'node') return
    const unsubscribe = trials.subscribe(({ actions: opened }) => {
      if (opened === null) return
      forget()
      if (onlyNode(view.getState()) === node) act(opened)
    })
    const timer = setTimeout(() => forget(), PATIENCE_MS)
    forget = () => {
      unsubscribe()
      clearTimeout(timer)
      forget = () => {}
    }
  }
}

/** What the commands of the editor work with. */
export function useTools(publish: () => void): Tools {
  const stores = useEditor()
  const router = useRouter()
  const onTrial = useMemo(() => createTrialKeys(stores), [stores])
  return useMemo(
    () => ({
      ...stores,
      publish,
      layOut: () =>
        void layOutAll(stores, (drawing) => arrange(drawing, 'right')).then((refused) => {
          if (refused === null) toast({ tone: 'good', title: 'The graph was laid out' })
          else report(refused)
        }),
      tryNode: () => onTrial((actions) => actions.start()),
      pinNode: () => onTrial((actions) => actions.pin()),
      enter: (id) => {
        const node = nodesOf(stores.draft.getState().definition).find((one) => one.id === id)
        const pipeline = node?.['pipeline']
        // What is no id leads nowhere, and may be no part of an address either.
        if (typeof pipeline === 'string' && idPattern.test(pipeline)) router.push(`/pipelines/${pipeline}`)
      },
      // The event that this makes is answered below: the clipboard needs no permission then.
      clipboard: (what) => void document.execCommand(what),
    }),
    [stores, publish, router, onTrial],
  )
}

/** The keys of the editor. None fires while somebody types in a field, except the one that saves. */
export function useEditorKeys(tools: Tools): void {
  useListShortcuts(shortcutGroups)
  useListCommands(() =>
    offered(tools).map(({ id, title, keys: [chord], run }) => ({
      ...{ id, title, run: () => report(run(tools) ?? null) },
      ...(chord === undefined ? {} : { keys: keysOfChord(chord) }),
    })),
  )
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const meant = commands.filter((one) => isMeant(one, event))
      const command = meant.find((one) => one.can?.(tools) ?? true)
      if (command === undefined) {
        // A key of ours that has nothing to do now leads to no bookmark and to no other page either.
        if (meant.length > 0 && (event.ctrlKey || event.metaKey || event.altKey)) event.preventDefault()
        return
      }
      // Escape closes what others have open as well.
      if (command.id !== 'escape') event.preventDefault()
      report(command.run(tools) ?? null)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [tools])
  useClipboard(tools)
}

function isMeant(command: Command, event: KeyboardEvent): boolean {
  const chord = command.keys.find((one) => isChord(event, one))
  if (command.native === true || chord === undefined) return false
  if (command.always === true) return true
  if (event.defaultPrevented || isTyping(event.target) || isElsewhere(event.target)) return false
  if (!countsAt(chord, event.target)) return false
  return command.canvasOnly !== true || isOnCanvas(event.target)
}

/** In a menu or a dialog keys mean what they mean there. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

const isOnCanvas = (target: EventTarget | null): boolean =>
  target === document.body ||
  (target instanceof Element &&
    target.closest('.react-flow') !== null &&
    target.closest('[role="toolbar"]') === null)

/** The browser's own copy, cut and paste events: they work between tabs and need no permission. */
function useClipboard(stores: EditorStores): void {
  useEffect(() => {
    const belongsElsewhere = ({ target }: Event) =>
      isTyping(target) || isElsewhere(target) || document.getSelection()?.isCollapsed === false
    const copy = (event: ClipboardEvent) => {
      const text = belongsElsewhere(event) ? null : copySelected(stores)
      if (text === null) return
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
      if (event.type === 'cut') report(removeSelected(stores))
    }
    const put = (event: ClipboardEvent) => {
      if (isTyping(event.target) || isElsewhere(event.target)) return
      event.preventDefault()
      report(paste(stores, event.clipboardData?.getData('text/plain') ?? ''))
    }
    window.addEventListener('copy', copy)
    window.addEventListener('cut', copy)
    window.addEventListener('paste', put)
    return () => {
      window.removeEventListener('copy', copy)
      window.removeEventListener('cut', copy)
      window.removeEventListener('paste', put)
    }
  }, [stores])
}
