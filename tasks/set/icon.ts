import { Equal } from 'lucide-react'

export const icon = { face: Equal, tint: 'flow' } as const
