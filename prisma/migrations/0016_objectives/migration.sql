-- CreateTable
CREATE TABLE "objective_minutes" (
    "tenant_id" TEXT NOT NULL,
    "minute" INTEGER NOT NULL,
    "up_ms" INTEGER NOT NULL,
    "runs" INTEGER NOT NULL,
    "recovery_ms" INTEGER,
    "parse" TEXT NOT NULL,
    "transition" TEXT NOT NULL,

    PRIMARY KEY ("tenant_id", "minute")
);
