import { OctagonX } from 'lucide-react'

export const icon = { face: OctagonX, tint: 'flow' } as const
