import { ONE_CHILD } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import type { TaskContract } from '@/tasks/contract'
import { fileReference } from '@/tasks/fields'

export const chartRender = {
  type: 'chart.render',
  title: 'Draw a chart',
  description: 'Draws a Vega-Lite chart of the given rows as SVG. The specification cannot load URLs.',
  category: 'output',
  icon: 'chart-line',
  input: z.strictObject({
    spec: z.record(z.string(), jsonValue).meta({
      title: 'Specification',
      description: 'A Vega-Lite specification without its data.',
      contentMediaType: 'application/json',
    }),
    data: z.union([z.array(jsonValue).max(100_000), fileReference]).describe('The rows, or a file of them.'),
  }),
  output: {
    svg: { type: 'string', description: 'The drawing.' },
    artifact: { type: 'file', description: 'The drawing as a file.' },
  },
  example: {
    spec: { mark: 'bar', encoding: { x: { field: 'month' }, y: { field: 'rain', type: 'quantitative' } } },
    data: [{ month: 'Jan', rain: 3 }],
  },
  takesFiles: { input: 'data', many: false },
  placement: 'child',
  demands: ONE_CHILD,
} satisfies TaskContract
