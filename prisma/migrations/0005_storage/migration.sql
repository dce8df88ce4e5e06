-- AlterTable
ALTER TABLE "executions" ADD COLUMN "parent_id" TEXT;

-- Whose child an execution is stands in its first event.
UPDATE "executions" SET "parent_id" = (
    SELECT "payload" ->> '$.parent.execution_id' FROM "events"
    WHERE "events"."execution_id" = "executions"."execution_id" AND "events"."seq" = 1
);

-- AlterTable
ALTER TABLE "variables" ADD COLUMN "ref" TEXT;

-- CreateTable
CREATE TABLE "removals" (
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "id" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "kind", "id")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "audit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "tenant_id" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "result" TEXT NOT NULL
);

-- CreateIndex
CREATE INDEX "executions_tenant_id_parent_id_idx" ON "executions"("tenant_id", "parent_id");
