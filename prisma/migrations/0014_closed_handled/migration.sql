-- DropIndex
DROP INDEX "executions_tenant_id_closed_at_next_wake_at_status_idx";

-- CreateIndex
CREATE INDEX "executions_tenant_id_closed_at_next_wake_at_status_handled_failures_idx" ON "executions"("tenant_id", "closed_at", "next_wake_at", "status", "handled_failures");
