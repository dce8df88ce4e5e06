// Written by `npm run generate` from the tables that the migrations build. Do not edit: change prisma/schema.prisma.
import type { ColumnType, Generated } from 'kysely'

/** SQLite answers 0 or 1, PostgreSQL a boolean; both take a boolean. */
export type Flag = ColumnType<boolean | number, boolean, boolean>

export type Tables = {
  account: {
    id: string
    tenant_id: Generated<string>
    account_id: string
    provider_id: string
    user_id: string
    access_token: string | null
    refresh_token: string | null
    id_token: string | null
    access_token_expires_at: string | null
    refresh_token_expires_at: string | null
    scope: string | null
    password: string | null
    created_at: Generated<string>
    updated_at: string
  }
  approvals: {
    tenant_id: string
    execution_id: string
    node_id: string
    pipeline_id: string
    opened_at: number
    due_at: number | null
    request: string
  }
  artifacts: {
    tenant_id: string
    execution_id: string
    artifact_id: string
    node_id: string
    name: string
    content_type: string
    bytes: number
    digest: string
    created_at: number
  }
  audit: {
    id: Generated<number>
    tenant_id: string
    at: number
    actor: string
    action: string
    subject: string
    result: string
    actor_id: string | null
  }
  drafts: {
    tenant_id: string
    user_id: string
    user_name: string
    pipeline_id: string
    base_revision: number
    text: string
    format: string
    version: number
    updated_at: number
  }
  engine_owner: {
    tenant_id: Generated<string>
    owner: string
    epoch: number
  }
  events: {
    tenant_id: string
    execution_id: string
    seq: number
    type: string
    entity_type: string
    entity_id: string
    generation: number
    attempt: number | null
    item: number | null
    actor: string | null
    payload: string
    timestamp: number
    actor_id: string | null
  }
  execution_labels: {
    tenant_id: string
    key: string
    value: string
    created_at: number
    execution_id: string
  }
  executions: {
    tenant_id: string
    execution_id: string
    pipeline_id: string
    revision: number
    status: string
    lifecycle: string
    priority: number
    labels: string
    requested_by: string
    created_at: number
    started_at: number | null
    finished_at: number | null
    closed_at: number | null
    next_wake_at: number | null
    error: string | null
    parent_id: string | null
    waiting_for: string | null
    requested_by_id: string | null
    inputs: string | null
    search_text: Generated<string>
    handled_failures: Generated<number>
    mocked: Flag
    origin_id: string | null
  }
  idempotency: {
    tenant_id: string
    scope: string
    key: string
    request_digest: string
    answer: string
    execution_id: string | null
  }
  log_lines: {
    tenant_id: string
    execution_id: string
    node_id: string
    n: number
    generation: number
    attempt: number
    item: number | null
    at: number
    stream: string
    text: string
  }
  node_statistics: {
    tenant_id: string
    pipeline_id: string
    node_id: string
    completed: number
    failed: number
    durations: string
  }
  objective_minutes: {
    tenant_id: string
    minute: number
    up_ms: number
    runs: number
    recovery_ms: number | null
    parse: string
    transition: string
  }
  pipelines: {
    tenant_id: string
    id: string
    name: string
    description: string | null
    labels: string
    search_text: string
    revision: number
    created_at: number
    updated_at: number
    deleted: Flag
  }
  pools: {
    tenant_id: string
    name: string
    capacity: number
    updated_at: number
    updated_by: string
    updated_by_id: string | null
  }
  refused_results: {
    id: Generated<number>
    tenant_id: string
    execution_id: string
    node_id: string
    generation: number
    attempt: number
    item: number | null
    token: number
    reason: string
    at: number
  }
  removals: {
    tenant_id: string
    kind: string
    id: string
  }
  revisions: {
    tenant_id: string
    pipeline_id: string
    revision: number
    definition: string
    text: string | null
    digest: string
    created_at: number
    created_by: string
    note: string | null
    created_by_id: string | null
  }
  run_profiles: {
    tenant_id: string
    execution_id: string
    seq: number
    profile: string
  }
  schedules: {
    tenant_id: string
    pipeline_id: string
    trigger_id: string
    cron: string
    timezone: string
    enabled: Flag
    active: Flag
    next_at: number | null
    last_at: number | null
    last_execution_id: string | null
    last_error: string | null
  }
  secrets: {
    tenant_id: string
    name: string
    sealed: string
    created_at: number
    updated_at: number
    updated_by: string
    updated_by_id: string | null
  }
  session: {
    id: string
    tenant_id: Generated<string>
    expires_at: string
    token: string
    created_at: Generated<string>
    updated_at: string
    ip_address: string | null
    user_agent: string | null
    user_id: string
  }
  settings: {
    tenant_id: string
    key: string
    value: string
  }
  user: {
    id: string
    tenant_id: Generated<string>
    name: string
    email: string
    email_verified: Flag
    image: string | null
    roles: Generated<string>
    created_at: Generated<string>
    updated_at: string
  }
  variables: {
    tenant_id: string
    execution_id: string
    name: string
    seq: number
    ordinal: number
    value: string
    ref: string | null
  }
  verification: {
    id: string
    tenant_id: Generated<string>
    identifier: string
    value: string
    expires_at: string
    created_at: Generated<string>
    updated_at: string
  }
  webhook_deliveries: {
    tenant_id: string
    execution_id: string
    seq: number
    webhook_id: string
    event_type: string
    status: string
    attempts: number
    next_at: number | null
    last_status: number | null
    last_error: string | null
    created_at: number
    delivered_at: number | null
  }
  webhooks: {
    tenant_id: string
    webhook_id: string
    url: string
    event_types: string
    pipeline_id: string | null
    retry: string
    active: Flag
    secret: string
    previous_secret: string | null
    previous_until: number | null
    created_at: number
    created_by: string
    updated_at: number
    created_by_id: string | null
  }
}
