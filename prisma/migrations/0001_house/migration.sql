-- CreateTable
CREATE TABLE "executions" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL PRIMARY KEY,
    "pipeline_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "lifecycle" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "labels" TEXT NOT NULL,
    "requested_by" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "started_at" BIGINT,
    "finished_at" BIGINT,
    "closed_at" BIGINT,
    "next_wake_at" BIGINT,
    "error" TEXT
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "execution_labels" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "execution_id" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "key", "value", "created_at", "execution_id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "events" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "entity_type" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "attempt" INTEGER,
    "item" INTEGER,
    "actor" TEXT,
    "payload" TEXT NOT NULL,
    "timestamp" BIGINT NOT NULL,

    PRIMARY KEY ("execution_id", "seq")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "variables" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "value" TEXT NOT NULL,

    PRIMARY KEY ("execution_id", "name", "seq")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "idempotency" (
    "tenant_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_digest" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "execution_id" TEXT,

    PRIMARY KEY ("tenant_id", "scope", "key")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "node_statistics" (
    "tenant_id" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "completed" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "durations" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "pipeline_id", "node_id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "approvals" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "opened_at" BIGINT NOT NULL,
    "due_at" BIGINT,
    "request" TEXT NOT NULL,

    PRIMARY KEY ("execution_id", "node_id")
);

-- CreateTable
CREATE TABLE "pipelines" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "labels" TEXT NOT NULL,
    "search_text" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "deleted" BOOLEAN NOT NULL DEFAULT false,

    PRIMARY KEY ("tenant_id", "id")
);

-- CreateTable
CREATE TABLE "revisions" (
    "tenant_id" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "definition" TEXT NOT NULL,
    "text" TEXT,
    "digest" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "pipeline_id", "revision")
);

-- CreateTable
CREATE TABLE "log_lines" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "generation" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "item" INTEGER,
    "at" BIGINT NOT NULL,
    "stream" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    PRIMARY KEY ("execution_id", "node_id", "n")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "artifacts" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "artifact_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,

    PRIMARY KEY ("execution_id", "artifact_id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "refused_results" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "item" INTEGER,
    "token" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "at" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "settings" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "key")
);

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenant_id" TEXT NOT NULL DEFAULT 'default',
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "roles" TEXT NOT NULL DEFAULT '',
    "created_at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenant_id" TEXT NOT NULL DEFAULT 'default',
    "expires_at" DATETIME NOT NULL,
    "token" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" DATETIME NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "user_id" TEXT NOT NULL,
    CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenant_id" TEXT NOT NULL DEFAULT 'default',
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" DATETIME,
    "refresh_token_expires_at" DATETIME,
    "scope" TEXT,
    "password" TEXT,
    "created_at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "verification" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenant_id" TEXT NOT NULL DEFAULT 'default',
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" DATETIME NOT NULL,
    "created_at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "executions_tenant_id_created_at_execution_id_idx" ON "executions"("tenant_id", "created_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_pipeline_id_created_at_execution_id_idx" ON "executions"("tenant_id", "pipeline_id", "created_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_status_created_at_execution_id_idx" ON "executions"("tenant_id", "status", "created_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_closed_at_next_wake_at_idx" ON "executions"("tenant_id", "closed_at", "next_wake_at");

-- CreateIndex
CREATE INDEX "executions_tenant_id_closed_at_execution_id_idx" ON "executions"("tenant_id", "closed_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_pipeline_id_closed_at_idx" ON "executions"("tenant_id", "pipeline_id", "closed_at");

-- CreateIndex
CREATE INDEX "execution_labels_execution_id_idx" ON "execution_labels"("execution_id");

-- CreateIndex
CREATE INDEX "events_execution_id_type_idx" ON "events"("execution_id", "type");

-- CreateIndex
CREATE INDEX "idempotency_execution_id_idx" ON "idempotency"("execution_id");

-- CreateIndex
CREATE INDEX "approvals_tenant_id_opened_at_execution_id_node_id_idx" ON "approvals"("tenant_id", "opened_at", "execution_id", "node_id");

-- CreateIndex
CREATE INDEX "artifacts_digest_idx" ON "artifacts"("digest");

-- CreateIndex
CREATE INDEX "refused_results_execution_id_node_id_idx" ON "refused_results"("execution_id", "node_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "account_user_id_idx" ON "account"("user_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");
