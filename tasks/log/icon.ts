import { ScrollText } from 'lucide-react'

export const icon = { face: ScrollText, tint: 'flow' } as const
