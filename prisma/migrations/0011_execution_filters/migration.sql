-- AlterTable
ALTER TABLE "executions" ADD COLUMN "inputs" TEXT;
ALTER TABLE "executions" ADD COLUMN "search_text" TEXT NOT NULL DEFAULT '';

-- Runs of earlier versions are found by everything but their inputs.
UPDATE "executions" SET "search_text" =
    lower("execution_id" || char(10) || "pipeline_id" || char(10) || "requested_by" || char(10) || "labels" || coalesce(char(10) || "error", ''));

-- CreateIndex
CREATE INDEX "executions_tenant_id_pipeline_id_revision_created_at_execution_id_idx" ON "executions"("tenant_id", "pipeline_id", "revision", "created_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_requested_by_created_at_execution_id_idx" ON "executions"("tenant_id", "requested_by", "created_at", "execution_id");

-- CreateIndex
CREATE INDEX "executions_tenant_id_requested_by_id_created_at_execution_id_idx" ON "executions"("tenant_id", "requested_by_id", "created_at", "execution_id");
