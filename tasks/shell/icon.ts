import { Terminal } from 'lucide-react'

export const icon = { face: Terminal, tint: 'code' } as const
