'use client'

import { useState } from 'react'
import { useDraft } from '@/components/editor/editor-context'
import type { NodeFields } from '@/components/editor/model/flow'
import type { Path } from '@/core/pipeline/json-edits'
import type { Templates } from '@/components/editor/form/controls'
import { Fold } from '@/components/editor/form/fold'
import { useFormHost } from '@/components/editor/form/form-host'
import { MapControl, ObjectControl } from '@/components/editor/form/members'
import { SchemaField } from '@/components/editor/form/schema-field'
import { inWords, shapeOf, type FieldShape, type Shape } from '@/components/editor/form/shape'
import { Button } from '@/components/ui/button'
import { nodeDefinitionSchema } from '@/core/pipeline/definition/definition'
import { isRecord, textOf } from '@/core/pipeline/json'
import { taskCatalog } from '@/tasks/contracts'
import { noControl } from './no-control'
import { RollbackForm } from './rollback-form'

const shape = shapeOf(nodeDefinitionSchema)
const fields: ReadonlyMap<string, FieldShape> = new Map(
  shape.kind === 'object' ? shape.fields.map((field) => [field.name, field]) : [],
)

/** Fields of a node with a control of their own; other fields are shown as JSON. */
const drawn = new Set(
  [
    'id name description task pipeline inputBindings outputVariables startWhen startTimeout phase onLost',
    'timeout estimate priority allowFailure finally forEach retry rollback risk resources workerGroup',
  ].flatMap((names) => names.split(' ')),
)

type PartProps = { readonly node: NodeFields; readonly path: Path }

/** The parts of a node that most nodes leave alone. */
export function NodeFolds({ node, path }: PartProps) {
  const rest = Object.keys(node).filter((name) => !drawn.has(name))
  return (
    <>
      <Outputs node={node} path={path} />
      <ForEach node={node} path={path} />
      {node['task'] !== 'approval' && <Retry node={node} path={path} />}
      {node['finally'] !== true && <RollbackForm node={node} path={path} fields={fieldsIn('rollback')} />}
      <Part
        title="Time and order"
        names={['timeout', 'startTimeout', 'estimate', 'priority', 'risk', 'phase', 'onLost']}
        node={node}
        path={path}
      />
      {holdsSomething(node) && (
        <Part title="Resources" names={['resources', 'workerGroup']} node={node} path={path} />
      )}
      <Part title="Failure and end" names={['allowFailure', 'finally']} node={node} path={path} />
      {rest.length > 0 && <Part title="Other fields" names={rest} node={node} path={path} />}
    </>
  )
}

/** Who waits, or is done in an instant, holds nothing; a field that is there all the same can be seen and removed. */
function holdsSomething(node: NodeFields): boolean {
  if (node['resources'] !== undefined || node['workerGroup'] !== undefined) return true
  const task = typeof node['task'] === 'string' ? taskCatalog.get(node['task']) : undefined
  return (task?.demands.length ?? 0) > 0
}

function Part({ title, names, node, path }: PartProps & { title: string; names: readonly string[] }) {
  const host = useFormHost()
  const phases = useDraft(({ definition }) => definition['phases'])
  const set = names.filter((name) => node[name] !== undefined)
  const texts = set.map((name) =>
    node[name] === true
      ? titleOf(name).toLowerCase()
      : `${titleOf(name).toLowerCase()} ${isRecord(node[name]) ? '…' : textOf(node[name])}`,
  )
  return (
    <Fold title={title} summary={texts.join(', ') || null} paths={names.map((name) => [...path, name])}>
      {names.map((name) => {
        const field = fields.get(name)
        return (
          <SchemaField
            key={name}
            title={titleOf(name)}
            hint={field?.hint ?? null}
            shape={name === 'phase' ? phaseShape(phases) : (field?.shape ?? { kind: 'any' })}
            path={[...path, name]}
            value={node[name]}
            templates="none"
            onRemove={drawn.has(name) ? undefined : () => host.edit([...path, name], undefined)}
          />
        )
      })}
    </Fold>
  )
}

/** The phases that the pipeline has are offered. */
const phaseShape = (phases: unknown): Shape => ({
  kind: 'text',
  long: false,
  language: null,
  examples: Array.isArray(phases) ? phases.filter((phase) => typeof phase === 'string') : [],
})

const titleOf = (name: string): string => fields.get(name)?.title ?? inWords(name)

const fieldsIn = (name: string): readonly FieldShape[] => {
  const found = fields.get(name)?.shape
  return found?.kind === 'object' ? found.fields : []
}

function Retry({ node, path }: PartProps) {
  const host = useFormHost()
  const at = [...path, 'retry']
  const retry = isRecord(node['retry']) ? node['retry'] : null
  const [turned, setTurned] = useState(false)
  const tries = retry?.['maxAttempts']
  return (
    <Fold title="Retry" summary={retry === null ? 'never' : `${textOf(tries)} tries`} paths={[at]}>
      {node['retry'] === undefined ? (
        <Empty
          text="The node fails at the first failed attempt."
          focused={turned}
          onAdd={() => {
            setTurned(true)
            host.edit(at, { maxAttempts: 3 })
          }}
        >
          Try again
        </Empty>
      ) : (
        <>
          <ObjectControl
            {...noControl}
            all
            focused={turned}
            path={at}
            value={node['retry']}
            templates="none"
            fields={fieldsIn('retry')}
            exceptions={WHEN}
            Field={SchemaField}
          />
          <TakeBack
            onTake={() => {
              setTurned(true)
              host.edit(at, undefined)
            }}
          >
            Never try again
          </TakeBack>
        </>
      )}
    </Fold>
  )
}

const WHEN: ReadonlyMap<string, Templates> = new Map([['when', 'all']])

function ForEach({ node, path }: PartProps) {
  const host = useFormHost()
  const at = [...path, 'forEach']
  const forEach = isRecord(node['forEach']) ? node['forEach'] : null
  const [turned, setTurned] = useState(false)
  if (node['task'] === 'approval' && forEach === null) return null
  const items = fieldsIn('forEach').find(({ name }) => name === 'items')
  return (
    <Fold
      title="For each item"
      summary={
        forEach === null
          ? 'runs once'
          : `of ${typeof forEach['items'] === 'string' ? forEach['items'] : 'a list'}`
      }
      paths={[at]}
    >
      {node['forEach'] === undefined ? (
        <Empty
          text="This node runs once."
          focused={turned}
          onAdd={() => {
            setTurned(true)
            host.edit(at, { items: '' })
          }}
        >
          Run for each item of a list
        </Empty>
      ) : (
        <>
          <SchemaField
            title="Items"
            focused={turned}
            hint={items?.hint ?? null}
            required
            prefers="expression"
            shape={{ kind: 'list', item: { kind: 'any' } }}
            path={[...at, 'items']}
            value={forEach?.['items'] === '' ? undefined : forEach?.['items']}
            templates="all"
          />
          <ObjectControl
            {...noControl}
            path={at}
            value={node['forEach']}
            templates="none"
            without={['items']}
            fields={fieldsIn('forEach')}
            Field={SchemaField}
          />
          <TakeBack
            onTake={() => {
              setTurned(true)
              host.edit(at, undefined)
            }}
          >
            Run once
          </TakeBack>
        </>
      )}
    </Fold>
  )
}

function Outputs({ node, path }: PartProps) {
  const host = useFormHost()
  const at = [...path, 'outputVariables']
  const contract = typeof node['task'] === 'string' ? taskCatalog.get(node['task']) : undefined
  const own = isRecord(node['outputVariables']) ? node['outputVariables'] : null
  const outputs = contract === undefined || contract.openOutputs ? [] : Object.entries(contract.output)
  const names = own === null ? outputs.map(([name]) => name) : Object.keys(own)
  const [turned, setTurned] = useState(false)
  if (own === null && outputs.length === 0 && node['outputVariables'] === undefined && !node['pipeline'])
    return null
  return (
    <Fold title="Outputs" summary={names.join(', ') || 'as declared by its pipeline'} paths={[at]}>
      {own === null ? (
        <>
          <ul className="flex flex-col gap-1.5 text-xs">
            {outputs.map(([name, { type, description }]) => (
              <li key={name}>
                <code className="font-medium">
                  {node.id}.{name}
                </code>{' '}
                <span className="text-faint">
                  {type} · {description}
                </span>
              </li>
            ))}
          </ul>
          <Button
            size="small"
            className="self-start"
            autoFocus={turned}
            onClick={() => {
              setTurned(true)
              host.edit(
                at,
                Object.fromEntries(
                  (names.length > 0 ? names : ['value']).map((name) => [name, `{{ result.${name} }}`]),
                ),
              )
            }}
          >
            Choose and rename
          </Button>
        </>
      ) : (
        <>
          <MapControl
            {...noControl}
            title="Outputs"
            focused={turned}
            path={at}
            value={own}
            templates="all"
            shape={{ kind: 'any' }}
            Field={SchemaField}
          />
          <TakeBack
            onTake={() => {
              setTurned(true)
              host.edit(at, undefined)
            }}
          >
            All outputs of the task
          </TakeBack>
        </>
      )}
    </Fold>
  )
}

/** What was turned on or off by a button that is gone then has the keyboard instead of it. */
function Empty({
  text,
  focused,
  onAdd,
  children,
}: {
  text: string
  focused: boolean
  onAdd: () => void
  children: string
}) {
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-xs text-muted">{text}</p>
      <Button size="small" autoFocus={focused} onClick={onAdd}>
        {children}
      </Button>
    </div>
  )
}

function TakeBack({ onTake, children }: { onTake: () => void; children: string }) {
  return (
    <Button tone="quiet" size="small" className="self-start" onClick={onTake}>
      {children}
    </Button>
  )
}
