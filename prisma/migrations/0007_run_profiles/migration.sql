-- CreateTable
CREATE TABLE "run_profiles" (
    "tenant_id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL PRIMARY KEY,
    "seq" INTEGER NOT NULL,
    "profile" TEXT NOT NULL
);

-- DropIndex
DROP INDEX "executions_tenant_id_closed_at_next_wake_at_idx";

-- CreateIndex
CREATE INDEX "executions_tenant_id_closed_at_next_wake_at_status_idx" ON "executions"("tenant_id", "closed_at", "next_wake_at", "status");
