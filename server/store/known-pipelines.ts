import type { PipelineRegistry, PipelineRow } from '@/server/ports/registry'

/** Rows of pipelines in memory. */
const MOST_ROWS = 1_000

/**
 * A registry that answers from memory the pipelines that were asked for before: each start of a run asks for one. Only for the one
 * writer of the file. A write forgets its row before and after: a concurrent reader does not cache a stale row.
 */
export function keepKnownPipelines(pipelines: PipelineRegistry): PipelineRegistry {
  const known = new Map<string, PipelineRow>()
  let writes = 0

  async function writing<T>(id: string, write: Promise<T>): Promise<T> {
    const forget = () => {
      writes += 1
      known.delete(id)
    }
    forget()
    try {
      return await write
    } finally {
      forget()
    }
  }

  return {
    ...pipelines,
    create: (pipeline) => writing(pipeline.revision.pipelineId, pipelines.create(pipeline)),
    update: (pipeline, ifMatch) => writing(pipeline.revision.pipelineId, pipelines.update(pipeline, ifMatch)),
    remove: (id) => writing(id, pipelines.remove(id)),

    async get(id) {
      const there = known.get(id)
      if (there !== undefined) return there
      const before = writes
      const row = await pipelines.get(id)
      if (row === null || before !== writes) return row
      if (known.size >= MOST_ROWS) known.delete(known.keys().next().value!)
      known.set(id, row)
      return row
    },
  }
}
