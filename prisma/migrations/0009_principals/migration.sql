-- A person is an id, no name. The names of earlier versions are two, `owner` (a session) and `bootstrap` (the token): both are the owner.
-- Journals hold names and are read as they are.

-- AlterTable
ALTER TABLE "audit" ADD COLUMN "actor_id" TEXT;

-- AlterTable
ALTER TABLE "events" ADD COLUMN "actor_id" TEXT;

-- AlterTable
ALTER TABLE "executions" ADD COLUMN "requested_by_id" TEXT;

-- AlterTable
ALTER TABLE "revisions" ADD COLUMN "created_by_id" TEXT;

-- AlterTable
ALTER TABLE "secrets" ADD COLUMN "updated_by_id" TEXT;

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "created_by_id" TEXT;

-- The ids of users become those of principals.
UPDATE "user" SET "id" = 'usr_' || "id" WHERE substr("id", 1, 4) <> 'usr_';
UPDATE "session" SET "user_id" = 'usr_' || "user_id" WHERE substr("user_id", 1, 4) <> 'usr_';
UPDATE "account" SET "user_id" = 'usr_' || "user_id" WHERE substr("user_id", 1, 4) <> 'usr_';

-- The owner, who signs in by links of the console and for whom the bootstrap token acts: there before anybody has signed in.
INSERT INTO "user" ("id", "name", "email", "email_verified", "roles", "created_at", "updated_at")
SELECT 'usr_' || lower(hex(randomblob(16))), 'owner', 'owner@penstock.invalid', true,
    'viewer,operator,approver,editor,admin',
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
WHERE NOT EXISTS (SELECT 1 FROM "user" WHERE "email" = 'owner@penstock.invalid');

-- CreateIndex
CREATE UNIQUE INDEX "user_tenant_id_name_key" ON "user"("tenant_id", "name");

UPDATE "audit" SET "actor_id" = (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE "actor" IN ('owner', 'bootstrap');
UPDATE "revisions" SET "created_by_id" = (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE "created_by" IN ('owner', 'bootstrap');
UPDATE "secrets" SET "updated_by_id" = (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE "updated_by" IN ('owner', 'bootstrap');
UPDATE "webhooks" SET "created_by_id" = (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE "created_by" IN ('owner', 'bootstrap');

-- RedefineTables
CREATE TABLE "new_drafts" (
    "tenant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "base_revision" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    PRIMARY KEY ("tenant_id", "user_id", "pipeline_id")
);
-- Where both names had a draft of one pipeline, the one that was saved last stays its draft. The text of the other is a draft of a new
-- pipeline, named after who wrote it.
INSERT INTO "new_drafts" ("tenant_id", "user_id", "user_name", "pipeline_id", "base_revision", "text", "format", "version", "updated_at")
SELECT "tenant_id", (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid'), "user_name",
    CASE "age" WHEN 1 THEN "pipeline_id" ELSE substr("pipeline_id", 1, 62 - length("user_name")) || '_' || "user_name" END,
    CASE "age" WHEN 1 THEN "base_revision" ELSE 0 END,
    "text", "format", "version", "updated_at"
FROM (
    SELECT *, row_number() OVER (
        PARTITION BY "tenant_id", "pipeline_id" ORDER BY "updated_at" DESC, "version" DESC
    ) AS "age" FROM "drafts"
);
DROP TABLE "drafts";
ALTER TABLE "new_drafts" RENAME TO "drafts";

-- The scope of an idempotency key is `{operation}:{who}`. Those of hooks and schedules name no person. Where both names used one key for
-- one operation, the token's answer stays.
UPDATE OR IGNORE "idempotency"
SET "scope" = substr("scope", 1, instr("scope", ':')) || (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE substr("scope", instr("scope", ':') + 1) = 'bootstrap' AND "scope" NOT LIKE 'hook:%' AND "scope" NOT LIKE 'schedule:%';
UPDATE OR IGNORE "idempotency"
SET "scope" = substr("scope", 1, instr("scope", ':')) || (SELECT "id" FROM "user" WHERE "email" = 'owner@penstock.invalid')
WHERE substr("scope", instr("scope", ':') + 1) = 'owner' AND "scope" NOT LIKE 'hook:%' AND "scope" NOT LIKE 'schedule:%';
DELETE FROM "idempotency"
WHERE substr("scope", instr("scope", ':') + 1) = 'owner' AND "scope" NOT LIKE 'hook:%' AND "scope" NOT LIKE 'schedule:%';
