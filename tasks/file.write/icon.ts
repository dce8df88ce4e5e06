import { FileOutput } from 'lucide-react'

export const icon = { face: FileOutput, tint: 'chart' } as const
