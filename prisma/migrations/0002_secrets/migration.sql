-- CreateTable
CREATE TABLE "secrets" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "updated_by" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "name")
);
