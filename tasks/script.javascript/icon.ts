import { Braces } from 'lucide-react'

export const icon = { face: Braces, tint: 'code' } as const
