-- AlterTable
ALTER TABLE "revisions" ADD COLUMN "note" TEXT;

-- CreateTable
CREATE TABLE "drafts" (
    "tenant_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "pipeline_id" TEXT NOT NULL,
    "base_revision" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    PRIMARY KEY ("tenant_id", "user_name", "pipeline_id")
);
