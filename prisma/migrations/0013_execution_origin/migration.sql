-- AlterTable
ALTER TABLE "executions" ADD COLUMN "origin_id" TEXT;

-- The first entry of a fork names the run that it left.
UPDATE "executions" SET "origin_id" = (
    SELECT json_extract("payload", '$.origin.execution_id') FROM "events"
    WHERE "events"."execution_id" = "executions"."execution_id" AND "seq" = 1
);

-- CreateIndex
CREATE INDEX "executions_tenant_id_origin_id_created_at_idx" ON "executions"("tenant_id", "origin_id", "created_at");
