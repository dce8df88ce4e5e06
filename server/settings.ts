import { z } from 'zod'
import { resolve } from 'node:path'
import { readEgressAllow, type EgressRule } from '@/server/egress/allowance'
import { usualLimits } from '@/server/runner/limits'

const integer = (fallback: number, least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .default(fallback)

const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .default(false)

/** A token that goes into a header. */
const secretText = z
  .string()
  .min(8, 'at least 8 characters')
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'visible ASCII characters')

/** The product's settings, each with a default that works. Empty counts as absent. */
const schema = z.object({
  PORT: integer(3000, 0, 65_535),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'a host name or an address')
    .default('127.0.0.1'),
  PENSTOCK_DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.string().startsWith('file:', 'a SQLite file, written file:…').optional(),
  PENSTOCK_BOOTSTRAP_TOKEN: secretText.optional(),
  PENSTOCK_SECRET_KEY: z.string().min(32, 'at least 32 characters').max(1_000).optional(),
  PENSTOCK_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  PENSTOCK_MAX_NODES: integer(500, 1, 10_000),
  PENSTOCK_MAX_CONCURRENT_TASKS: integer(100, 1, 10_000),
  PENSTOCK_MAX_CHILD_PROCESSES: integer(usualLimits().maxChildren, 1, 1_000),
  PENSTOCK_ALLOW_SHELL: flag,
  PENSTOCK_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return readEgressAllow(text)
      } catch (thrown) {
        context.addIssue({ code: 'custom', message: (thrown as Error).message })
        return z.NEVER
      }
    }),
  PENSTOCK_MAX_DATABASE_MB: integer(0, 0, 100_000_000),
  PENSTOCK_RETENTION_DAYS: integer(30, 1, 36_500),
  PENSTOCK_RATE_LIMIT: integer(500, 1, 1_000_000),
  PENSTOCK_METRICS_TOKEN: secretText.optional(),
  PENSTOCK_METRICS_PORT: integer(0, 0, 65_535),
  PENSTOCK_TRACE_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  PENSTOCK_TRACE_PERCENT: integer(10, 0, 100),
  PENSTOCK_TRACE_LINK: z
    .string()
    .max(1_000)
    .regex(
      /^https?:\/\/[^\s]*\{trace_id\}/,
      'an address with {trace_id}, and {span_id} where the tool knows spans',
    )
    .optional(),
  PENSTOCK_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export type Settings = {
  readonly port: number
  readonly host: string
  /** Absolute. */
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly bootstrapToken: string | null
  readonly secretKey: string | null
  readonly publicUrl: URL | null
  readonly maxNodes: number
  readonly maxConcurrentTasks: number
  /** Attempts in child processes at once. */
  readonly maxChildren: number
  readonly allowShell: boolean
  readonly egressAllow: readonly EgressRule[]
  /** Megabytes; 0: no limit. */
  readonly maxDatabaseMb: number
  readonly retentionDays: number
  readonly rateLimit: number
  /** null: only programs of this machine read metrics. */
  readonly metricsToken: string | null
  /** null: metrics are on the port of everything else. */
  readonly metricsPort: number | null
  /** Where traces are sent, and how many of a hundred; null: nothing is traced. */
  readonly traces: { readonly endpoint: URL; readonly percent: number } | null
  /** The address of a span in a tracing tool. */
  readonly traceLink: string | null
  readonly logLevel: string
}

/**
 * Reads the settings from the environment.
 * @returns the settings and the names that begin with PENSTOCK_ but mean nothing, or one line for every value that cannot be used
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; settings: Settings; unknown: string[] } | { ok: false; problems: string[] } {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    return {
      ok: false,
      problems: parsed.error.issues.map(
        (issue) => `${String(issue.path[0])} cannot be used: ${issue.message}`,
      ),
    }
  }
  const values = parsed.data
  const unknown = Object.keys(given).filter((name) => name.startsWith('PENSTOCK_') && !(name in schema.shape))
  return {
    ok: true,
    unknown,
    settings: {
      port: values.PORT,
      host: values.HOST,
      dataDir: resolve(values.PENSTOCK_DATA_DIR),
      databaseUrl: values.DATABASE_URL ?? null,
      bootstrapToken: values.PENSTOCK_BOOTSTRAP_TOKEN ?? null,
      secretKey: values.PENSTOCK_SECRET_KEY ?? null,
      publicUrl: values.PENSTOCK_PUBLIC_URL === undefined ? null : new URL(values.PENSTOCK_PUBLIC_URL),
      maxNodes: values.PENSTOCK_MAX_NODES,
      maxConcurrentTasks: values.PENSTOCK_MAX_CONCURRENT_TASKS,
      maxChildren: values.PENSTOCK_MAX_CHILD_PROCESSES,
      allowShell: values.PENSTOCK_ALLOW_SHELL,
      egressAllow: values.PENSTOCK_EGRESS_ALLOW,
      maxDatabaseMb: values.PENSTOCK_MAX_DATABASE_MB,
      retentionDays: values.PENSTOCK_RETENTION_DAYS,
      rateLimit: values.PENSTOCK_RATE_LIMIT,
      metricsToken: values.PENSTOCK_METRICS_TOKEN ?? null,
      metricsPort: values.PENSTOCK_METRICS_PORT === 0 ? null : values.PENSTOCK_METRICS_PORT,
      traces:
        values.PENSTOCK_TRACE_ENDPOINT === undefined
          ? null
          : { endpoint: new URL(values.PENSTOCK_TRACE_ENDPOINT), percent: values.PENSTOCK_TRACE_PERCENT },
      traceLink: values.PENSTOCK_TRACE_LINK ?? null,
      logLevel: values.PENSTOCK_LOG_LEVEL,
    },
  }
}
