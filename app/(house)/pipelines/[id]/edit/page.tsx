'use client'

import { useParams } from 'next/navigation'
import { Editor } from '@/components/editor/editor'

export default function EditPage() {
  const { id } = useParams<{ id: string }>()
  return <Editor pipelineId={id} />
}
