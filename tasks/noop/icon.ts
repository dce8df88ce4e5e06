import { CircleDashed } from 'lucide-react'

export const icon = { face: CircleDashed, tint: 'flow' } as const
