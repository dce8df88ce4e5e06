import { UserCheck } from 'lucide-react'

export const icon = { face: UserCheck, tint: 'gate' } as const
