'use client'

import { useReactFlow } from '@xyflow/react'
import { useMemo, useState } from 'react'
import { openGroupOf, show } from '@/components/editor/model/actions'
import { useDraft, useEditor } from '@/components/editor/editor-context'
import { nodesOf } from '@/components/editor/model/flow'
import { FindField } from '@/components/graph/find-field'
import { useSeek, type Sought } from '@/components/graph/use-seek'

/** Finds a node by its id, name, task or gate, and shows it close enough to read it; a group in which it is folded opens. */
export function FindNode() {
  const stores = useEditor()
  const definition = useDraft((draft) => draft.definition)
  const nodes = useMemo(
    () =>
      nodesOf(definition).map(({ id, name, task, pipeline, startWhen }) => ({
        id,
        name: typeof name === 'string' && name !== '' ? name : id,
        text: [id, name, task, pipeline, startWhen].join(' '),
      })),
    [definition],
  )
  const { getNodes } = useReactFlow()
  const [sought, setSought] = useState<Sought | null>(null)
  useSeek(sought, getNodes)
  return (
    <FindField
      nodes={nodes}
      onGo={(node) => {
        openGroupOf(stores, node)
        show(stores, node)
        setSought({ node })
      }}
      onClose={() => stores.view.setState({ searching: false })}
    />
  )
}
