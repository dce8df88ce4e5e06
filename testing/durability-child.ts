// Commits one entry after the other and says so only when it is acknowledged, until somebody kills it.
import { openStore } from '@/server/store/open'

async function run(dataDir: string, migrationsDir: string): Promise<never> {
  const store = await openStore({ dataDir, tenantId: 'default', migrationsDir })
  for (let seq = 1; ; seq += 1) {
    const { conflicts } = await store.journal.commit({
      executions: [
        {
          owner: '',
          epoch: 0,
          executionId: 'victim',
          expectedSeq: seq - 1,
          entries: [
            {
              event: {
                id: `victim.${seq}`,
                execution_id: 'victim',
                seq,
                type: 'a.task.running',
                source: { entity_type: 'task', entity_id: 'a' },
                generation: 1,
                payload: {},
                timestamp: '2026-01-02T03:04:05.678Z',
              },
              variables: [{ name: 'a.seq', value: seq }],
            },
          ],
        },
      ],
    })
    if (conflicts.length > 0) throw new Error(`conflict at ${seq}`)
    process.stdout.write(`${seq}\n`)
  }
}

const [dataDir = '', migrationsDir = ''] = process.argv.slice(2)
void run(dataDir, migrationsDir)
