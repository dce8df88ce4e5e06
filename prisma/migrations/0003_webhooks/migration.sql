-- CreateTable
CREATE TABLE "webhooks" (
    "tenant_id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT NOT NULL,
    "pipeline_id" TEXT,
    "retry" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_until" BIGINT,
    "created_at" BIGINT NOT NULL,
    "created_by" TEXT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    PRIMARY KEY ("tenant_id", "webhook_id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "next_at" BIGINT,
    "last_status" INTEGER,
    "last_error" TEXT,
    "created_at" BIGINT NOT NULL,
    "delivered_at" BIGINT,

    PRIMARY KEY ("execution_id", "seq", "webhook_id")
) WITHOUT ROWID;

-- CreateIndex
CREATE INDEX "webhook_deliveries_tenant_id_webhook_id_next_at_execution_id_seq_idx" ON "webhook_deliveries"("tenant_id", "webhook_id", "next_at", "execution_id", "seq");

-- CreateIndex
CREATE INDEX "webhook_deliveries_tenant_id_webhook_id_status_created_at_execution_id_seq_idx" ON "webhook_deliveries"("tenant_id", "webhook_id", "status", "created_at", "execution_id", "seq");
