import { Globe } from 'lucide-react'

export const icon = { face: Globe, tint: 'data' } as const
