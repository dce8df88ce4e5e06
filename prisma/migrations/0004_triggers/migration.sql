-- CreateTable
CREATE TABLE "schedules" (
    "tenant_id" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "trigger_id" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "active" BOOLEAN NOT NULL,
    "next_at" BIGINT,
    "last_at" BIGINT,
    "last_execution_id" TEXT,
    "last_error" TEXT,

    PRIMARY KEY ("tenant_id", "pipeline_id", "trigger_id")
);

-- CreateIndex
CREATE INDEX "schedules_tenant_id_next_at_idx" ON "schedules"("tenant_id", "next_at");
