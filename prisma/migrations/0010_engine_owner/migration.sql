-- CreateTable
CREATE TABLE "engine_owner" (
    "tenant_id" TEXT NOT NULL PRIMARY KEY DEFAULT 'default',
    "owner" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL
);
