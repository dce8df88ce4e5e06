import { Database } from 'lucide-react'

export const icon = { face: Database, tint: 'data' } as const
