-- AlterTable
ALTER TABLE "executions" ADD COLUMN "waiting_for" TEXT;

-- A run that was run again began when it began first.
UPDATE "executions" SET "started_at" = (
    SELECT MIN("timestamp") FROM "events"
    WHERE "events"."execution_id" = "executions"."execution_id" AND "events"."type" = 'pipeline.started'
) WHERE "started_at" IS NOT NULL;
