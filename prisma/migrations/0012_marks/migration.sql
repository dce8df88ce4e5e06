-- AlterTable
ALTER TABLE "executions" ADD COLUMN "handled_failures" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "executions" ADD COLUMN "mocked" BOOLEAN NOT NULL DEFAULT false;

-- Runs that completed although nodes failed, or items of them did: the failure counts unless a rerun reset the node after it. What a
-- fork took over stands in its first entry. Nodes that fail behind the outcome are finally nodes, which only warn.
UPDATE "executions" SET "handled_failures" = (
    SELECT COUNT(DISTINCT "failures"."node") FROM (
        SELECT "entity_id" AS "node", "seq" FROM "events"
        WHERE "events"."execution_id" = "executions"."execution_id" AND (
            ("entity_type" = 'node' AND "type" = "entity_id" || '.failed') OR
            ("entity_type" = 'task' AND "item" IS NOT NULL AND "type" IN ("entity_id" || '.task.failed', "entity_id" || '.task.lost')
                AND json_extract("payload", '$.final'))
        )
        UNION ALL
        SELECT substr("name", 10), "seq" FROM "variables"
        WHERE "variables"."execution_id" = "executions"."execution_id" AND "seq" = 1 AND "name" LIKE 'pipeline/%'
            AND json_extract("value", '$.status') = 'failed'
    ) AS "failures"
    WHERE "failures"."seq" < (
        SELECT MAX("seq") FROM "events"
        WHERE "events"."execution_id" = "executions"."execution_id" AND "type" = 'pipeline.completed'
    ) AND NOT EXISTS (
        SELECT 1 FROM "events"
        WHERE "events"."execution_id" = "executions"."execution_id"
            AND "type" = "failures"."node" || '.reset' AND "events"."seq" > "failures"."seq"
    )
) WHERE "status" = 'completed';

UPDATE "executions" SET "mocked" = true WHERE (
    SELECT json_type("payload", '$.mocks') FROM "events"
    WHERE "events"."execution_id" = "executions"."execution_id" AND "seq" = 1
) IS NOT NULL;
