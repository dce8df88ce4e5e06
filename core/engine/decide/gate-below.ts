import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { PayloadOf } from '@/core/engine/typed-event'
import { isExternal } from '@/core/pipeline/gate/event-type'

/** The pipelines that run below a run, at every depth, by id: each in the one revision that the run takes of it. */
export type SubPipelines = ReadonlyMap<string, CompiledPipeline>

/** A node below another at which people or the outside decide. */
export type GateBelow = {
  /** From the pipeline that the node runs down to the one with the gate. */
  readonly pipelines: readonly string[]
  readonly node: string
  /** null: the node is an approval; else the event of the outside that it waits for. */
  readonly event: string | null
}

/** The nearest gate below a node that runs another pipeline, or null: nothing there waits for people or the outside. */
export function gateBelow({ child }: CompiledNode, subPipelines: SubPipelines): GateBelow | null {
  const open: string[][] = child === null ? [] : [[child]]
  const seen = new Set<string>()
  // A queue: an entry that is added is looked at by the same loop.
  for (const pipelines of open) {
    const id = pipelines.at(-1)!
    const pipeline = subPipelines.get(id)
    if (pipeline === undefined || seen.has(id)) continue
    seen.add(id)
    for (const node of pipeline.nodes.values()) {
      const event = node.gateEvents.find(isExternal) ?? null
      if (event !== null || node.kind === 'approval') return { pipelines, node: node.id, event }
      if (node.child !== null) open.push([...pipelines, node.child])
    }
  }
  return null
}

/** A gate as a message names it. */
export function gateText({ pipelines, node, event }: GateBelow): string {
  const what = event === null ? `the approval '${node}'` : `'${node}', which waits for ${event}`
  const [first, ...deeper] = pipelines.map((id) => `'${id}'`)
  const within = deeper.map((id) => `, which runs ${id}`).join('')
  return `it runs ${first}${within}, with ${what}`
}

/** What the first event of a run says of the pipelines below it. */
export function subPipelinesPayload(
  { nodes }: CompiledPipeline,
  subPipelines: SubPipelines | undefined,
): Pick<PayloadOf<'pipeline', 'created'>, 'sub_pipelines' | 'sub_outputs'> {
  if (subPipelines === undefined) return {}
  const outputs: Record<string, string[]> = {}
  for (const { child, forEach } of nodes.values()) {
    const names = child === null || forEach === null ? undefined : subPipelines.get(child)?.outputs.keys()
    if (names !== undefined) outputs[child!] = [...names]
  }
  return {
    sub_pipelines: Object.fromEntries([...subPipelines].map(([id, { revision }]) => [id, revision])),
    ...(Object.keys(outputs).length === 0 ? {} : { sub_outputs: outputs }),
  }
}
