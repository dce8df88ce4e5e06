import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { openApiServer } from '@/testing/api-server'
import { addProcessMetrics } from './gauges'
import { createMetrics } from './metrics'

const file = (name: string) => readFileSync(resolve(import.meta.dirname, '../../ops', name), 'utf8')

const rules = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^Penstock[A-Z]\w+$/),
            expr: z.string(),
            for: z.string().regex(/^\d+m$/),
            labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
            annotations: z.strictObject({ summary: z.string(), description: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(file('prometheus-alerts.yaml')))
  .groups.flatMap((group) => group.rules)

const dashboard = z
  .looseObject({
    panels: z.array(
      z.looseObject({
        title: z.string(),
        type: z.string(),
        gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
        targets: z.array(z.looseObject({ expr: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(file('grafana-dashboard.json')))

/** What an expression selects: names of series, and names of labels that it matches or groups by. @throws when it is no PromQL */
function read(expression: string): { series: string[]; labels: string[] } {
  const text = expression.replaceAll('$__rate_interval', '5m')
  const series: string[] = []
  const labels: string[] = []
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`)
      const word = text.slice(from, to)
      if (name === 'Identifier') series.push(word)
      if (name === 'LabelName') labels.push(word)
    },
  })
  return { series, labels }
}

/** The names under which the server shows its metrics: a histogram has three. */
async function seriesNames(): Promise<Set<string>> {
  await using server = await openApiServer()
  const process = createMetrics()
  addProcessMetrics(process)
  const all = [
    ...(await server.metrics.registry.getMetricsAsJSON()),
    ...(await process.registry.getMetricsAsJSON()),
  ]
  // Prometheus itself adds whether a scrape worked.
  return new Set([
    'up',
    ...all.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
    ),
  ])
}

const alerts = rules.map(({ alert, expr }) => [alert, expr] as const)
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
)

describe('the files for Prometheus and Grafana', () => {
  it('[H-O12] the check reads expressions: it finds a name that is not there, and what is no PromQL', () => {
    expect(read('sum by (status) (rate(a_total{pool="x"}[$__rate_interval])) > 1')).toEqual({
      series: ['a_total'],
      labels: ['status', 'pool'],
    })
    expect(() => read('sum(rate(a_total[5m])')).toThrow('no PromQL')
  })

  it('[H-O12] every expression is PromQL over metrics and labels that the server has', async () => {
    const known = await seriesNames()
    expect(alerts.length).toBeGreaterThanOrEqual(10)
    expect(panels.length).toBeGreaterThanOrEqual(30)
    for (const [where, expression] of [...alerts, ...panels]) {
      const { series, labels } = read(expression)
      expect(series.length, where).toBeGreaterThan(0)
      expect(
        series.filter((name) => !known.has(name)),
        where,
      ).toEqual([])
      expect(
        labels.filter((name) => !['job', 'instance', 'status', 'pool', 'le'].includes(name)),
        where,
      ).toEqual([])
    }
  })

  it.each([
    ['PenstockTasksFail', '> 0.01'],
    ['PenstockQueueLong', '> 1000'],
    ['PenstockAnswersSlow', '> 1'],
    ['PenstockManyRollbacks', '> 0.5'],
    ['PenstockProcessorBusy', '> 0.9'],
    ['PenstockMemoryFull', '> 0.9'],
    ['PenstockDiskFull', '> 0.9'],
    ['PenstockCheckpointsFail', '> 0.1'],
    ['PenstockParsingSlow', '> 0.12'],
    ['PenstockTransitionsSlow', '> 0.05'],
  ])('[H-O12] %s is raised at %s', (name, threshold) => {
    expect(rules.find(({ alert }) => alert === name)?.expr).toMatch(new RegExp(`${threshold}$`))
  })

  it('every panel of the dashboard has a place of its own', () => {
    const taken = new Map<string, string>()
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x}/${y}`), title).toBeUndefined()
          taken.set(`${x}/${y}`, title)
        }
    }
  })
})
