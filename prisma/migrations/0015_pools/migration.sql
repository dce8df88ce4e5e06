-- CreateTable
CREATE TABLE "pools" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "capacity" REAL NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "updated_by" TEXT NOT NULL,
    "updated_by_id" TEXT,

    PRIMARY KEY ("tenant_id", "name")
);
