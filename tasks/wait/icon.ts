import { Timer } from 'lucide-react'

export const icon = { face: Timer, tint: 'flow' } as const
