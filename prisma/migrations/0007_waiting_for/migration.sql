-- AlterTable
ALTER TABLE "executions" ADD COLUMN "waiting_for" TEXT;
