import {
  Box,
  Braces,
  ChartLine,
  CircleDashed,
  Database,
  Equal,
  FileOutput,
  Globe,
  OctagonX,
  ScrollText,
  Terminal,
  Timer,
  UserCheck,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import { cn } from './class-names'

type Tint = 'data' | 'code' | 'chart' | 'gate' | 'flow'

const tints: Record<Tint, string> = {
  data: 'bg-(--tint-data) text-(--tint-data-ink)',
  code: 'bg-(--tint-code) text-(--tint-code-ink)',
  chart: 'bg-(--tint-chart) text-(--tint-chart-ink)',
  gate: 'bg-(--tint-gate) text-(--tint-gate-ink)',
  flow: 'bg-(--tint-flow) text-(--tint-flow-ink)',
}

const faces: ReadonlyMap<string, { icon: LucideIcon; tint: Tint }> = new Map([
  ['noop', { icon: CircleDashed, tint: 'flow' }],
  ['log', { icon: ScrollText, tint: 'flow' }],
  ['set', { icon: Equal, tint: 'flow' }],
  ['fail', { icon: OctagonX, tint: 'flow' }],
  ['wait', { icon: Timer, tint: 'flow' }],
  ['script.javascript', { icon: Braces, tint: 'code' }],
  ['shell', { icon: Terminal, tint: 'code' }],
  ['http.request', { icon: Globe, tint: 'data' }],
  ['duckdb.query', { icon: Database, tint: 'data' }],
  ['chart.render', { icon: ChartLine, tint: 'chart' }],
  ['file.write', { icon: FileOutput, tint: 'chart' }],
  ['pipeline', { icon: Workflow, tint: 'flow' }],
  ['approval', { icon: UserCheck, tint: 'gate' }],
])

/** The icon of a task type in the quiet tint of its category; a type that is not known gets a plain box. */
export function TaskIcon({ task, className }: { task: string; className?: string }) {
  const { icon: Icon, tint } = faces.get(task) ?? { icon: Box, tint: 'flow' }
  return (
    <span className={cn('grid size-8 shrink-0 place-items-center rounded-md', tints[tint], className)}>
      <Icon aria-hidden className="size-4" />
    </span>
  )
}
