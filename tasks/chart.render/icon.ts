import { ChartLine } from 'lucide-react'

export const icon = { face: ChartLine, tint: 'chart' } as const
