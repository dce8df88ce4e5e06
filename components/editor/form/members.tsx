'use client'

import { Plus } from 'lucide-react'
import { useId, useRef, useState, type ReactNode, type Ref } from 'react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/field'
import { Menu, MenuItem, MenuLabel } from '@/components/ui/menu'
import { isRecord } from '@/core/pipeline/json'
import { renamedMember, swapped } from '@/core/pipeline/json-edits'
import type { ControlProps, Templates } from './controls'
import { Issues, RemoveButton } from './field-frame'
import { useFormHost } from './form-host'
import { emptyOf, inWords, shapeBeside, type FieldShape, type Shape } from './shape'

/** Controls of values that are made of others. */

export function ListControl({ item, ...props }: ControlProps & { item: Shape }) {
  const { title, path, value, templates, Field } = props
  const host = useFormHost()
  const [added, setAdded] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  /** The first index of each member, so that a member that moves keeps its field; valid for the number of members at that time. */
  const [order, setOrder] = useState<readonly number[]>([])
  const places = order.length === items.length ? order : [...items.keys()]
  const move = (at: number, to: number) =>
    to < 0 || to >= items.length
      ? null
      : () => {
          setOrder(swapped(places, at, to))
          host.edit(path, swapped(items, at, to), true)
        }
  return (
    <Members invalid={props.invalid}>
      {items.map((each, at) => (
        // A member has no name but its index.
        <Card key={`${places[at]} of ${items.length}`} shown={isNested(item)}>
          <Field
            bare={!isNested(item)}
            title={isNested(item) ? `${singular(title)} ${at + 1}` : `${title} ${at + 1}`}
            shape={item}
            path={[...path, at]}
            value={each}
            member
            templates={templates !== 'arguments' ? templates : at === 0 ? 'none' : 'all'}
            focused={added && at === items.length - 1}
            onRemove={() => {
              host.edit([...path, at], undefined)
              add.current?.focus()
            }}
            moves={items.length < 2 ? undefined : { up: move(at, at - 1), down: move(at, at + 1) }}
          />
        </Card>
      ))}
      <AddButton
        ref={add}
        what={title}
        focused={(props.focused ?? false) && items.length === 0}
        onAdd={() => {
          setAdded(true)
          host.edit([...path, items.length], emptyOf(item))
        }}
      />
    </Members>
  )
}

/** A union of objects is drawn as objects are. */
const isNested = (shape: Shape): boolean =>
  shape.kind === 'object' ||
  (shape.kind === 'either' && shape.options.every(({ shape: each }) => isNested(each)))

const singular = (title: string): string => title.replace(/ies$/, 'y').replace(/s$/, '')

export function MapControl({ shape, ...props }: ControlProps & { shape: Shape }) {
  const { title, path, value, templates, Field } = props
  const host = useFormHost()
  const [adding, setAdding] = useState(false)
  const [added, setAdded] = useState<string | null>(null)
  const members = isRecord(value) ? value : {}
  const names = Object.keys(members)
  const keys = useKeys(names)
  const add = useRef<HTMLButtonElement>(null)
  const remove = (name: string) => {
    host.edit([...path, name], undefined)
    add.current?.focus()
  }
  const rename = (from: string, to: string): string | null => {
    if (from === to) return null
    if (to === '') return 'Enter a name.'
    if (Object.hasOwn(members, to)) return `'${to}' already exists.`
    keys.keep(from, to)
    host.edit(path, renamedMember(members, from, to))
    return null
  }
  return (
    <Members invalid={props.invalid}>
      {Object.entries(members).map(([name, each], at) => (
        <Member key={keys.of(name)} nested={isNested(shape)}>
          <NameInput
            fresh={(props.focused ?? false) && at === 0}
            title={`Name of ${name} in ${title}`}
            name={name}
            onRename={(to) => rename(name, to)}
            onRemove={isNested(shape) ? () => remove(name) : undefined}
          />
          <Field
            bare
            title={`${title}: ${name}`}
            shape={shape}
            path={[...path, name]}
            value={each}
            member
            templates={templates}
            focused={added === name}
            onRemove={isNested(shape) ? undefined : () => remove(name)}
          />
        </Member>
      ))}
      {adding && (
        <NameInput
          title={`New name in ${title}`}
          name=""
          fresh
          onRename={(name) => {
            if (Object.hasOwn(members, name)) return `'${name}' already exists.`
            setAdding(false)
            if (name === '') return null
            setAdded(name)
            host.edit([...path, name], emptyOf(shape))
            return null
          }}
        />
      )}
      {!adding && (
        <AddButton
          ref={add}
          what={title}
          focused={(props.focused ?? false) && names.length === 0}
          onAdd={() => setAdding(true)}
        />
      )}
    </Members>
  )
}

/** Keys of members. A renamed member keeps its key, so that its field keeps the focus. */
function useKeys(names: readonly string[]) {
  const [keyOf, setKept] = useState<ReadonlyMap<string, string>>(new Map())
  const taken = new Set(names.map((name) => keyOf.get(name)))
  const of = (name: string): string => {
    const own = keyOf.get(name)
    if (own !== undefined) return own
    let key = name
    while (taken.has(key)) key = `another ${key}`
    return key
  }
  return { of, keep: (from: string, to: string) => setKept(new Map([...keyOf, [to, of(from)]])) }
}

function Card({ shown, children }: { shown: boolean; children: ReactNode }) {
  return shown ? <div className={card}>{children}</div> : children
}

const card = 'flex min-w-0 flex-col gap-2 rounded-md border border-line bg-ground p-2.5'

function Member({ nested, children }: { nested: boolean; children: ReactNode }) {
  return nested ? (
    <div className={card}>{children}</div>
  ) : (
    <div className="grid min-w-0 grid-cols-[minmax(84px,2fr)_minmax(0,5fr)] gap-1.5">{children}</div>
  )
}

function Members({ invalid, children }: { invalid: boolean; children: ReactNode }) {
  return (
    <div
      className={
        invalid
          ? 'flex min-w-0 flex-col gap-1.5 border-l-2 border-danger pl-2'
          : 'flex min-w-0 flex-col gap-1.5'
      }
    >
      {children}
    </div>
  )
}

/** A name that can be edited. Enter or leaving the field applies it, Escape discards it. */
export function NameInput({
  title,
  name,
  fresh = false,
  onRename,
  onRemove,
}: {
  title: string
  name: string
  fresh?: boolean
  /** @returns why the name is refused */
  onRename: (to: string) => string | null
  onRemove?: (() => void) | undefined
}) {
  const id = useId()
  /** Null: the field shows the current name. */
  const [typed, setTyped] = useState<string | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const commit = () => {
    const why = onRename((typed ?? name).trim())
    setRefused(why)
    if (why === null) setTyped(null)
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center gap-1">
        <Input
          id={id}
          aria-label={title}
          aria-invalid={refused !== null}
          aria-describedby={refused === null ? undefined : `${id}-issues`}
          autoFocus={fresh}
          autoComplete="off"
          spellCheck={false}
          placeholder="name"
          className="font-mono text-xs"
          value={typed ?? name}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              commit()
            } else if (event.key === 'Escape' && typed !== null) {
              setTyped(null)
              setRefused(null)
              event.stopPropagation()
            }
          }}
        />
        {onRemove !== undefined && <RemoveButton what={name} onRemove={onRemove} />}
      </div>
      <Issues id={id} issues={refused === null ? [] : [{ path: [], severity: 'error', text: refused }]} />
    </div>
  )
}

function AddButton({
  ref,
  what,
  focused,
  onAdd,
}: {
  ref: Ref<HTMLButtonElement>
  what: string
  focused: boolean
  onAdd: () => void
}) {
  return (
    <Button
      ref={ref}
      tone="quiet"
      size="small"
      className="self-start"
      aria-label={`Add to ${what}`}
      autoFocus={focused}
      onClick={onAdd}
    >
      <Plus aria-hidden /> Add
    </Button>
  )
}

/** Fields of a definition whose values are evaluated. */
const evaluated = new Set(['value', 'inputs', 'check', 'default'])

/** Fields that hardly ever hold anything but an expression. */
const expressions = new Set(['value', 'check', 'when'])

const within = (templates: Templates, name: string): Templates =>
  templates === 'members' && evaluated.has(name) ? 'all' : templates

/** Above this number, fields without a value are hidden behind a button. */
const MOST_DRAWN = 6

const NO_EXCEPTIONS: ReadonlyMap<string, Templates> = new Map()

export function ObjectControl({
  fields,
  all = false,
  without = [],
  exceptions = NO_EXCEPTIONS,
  ...props
}: ControlProps & {
  fields: readonly FieldShape[]
  /** Every field is drawn, however many there are. */
  all?: boolean
  /** Fields that are drawn elsewhere. */
  without?: readonly string[]
  /** Fields in which `{{ }}` is not evaluated as elsewhere. */
  exceptions?: ReadonlyMap<string, Templates>
}) {
  const { path, value, templates, Field } = props
  const host = useFormHost()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<string | null>(null)
  const members = isRecord(value) ? value : {}
  // A constant that only identifies the object needs no field.
  const drawable = fields.filter(
    ({ name, shape }) => !without.includes(name) && !(shape.kind === 'choice' && shape.options.length === 1),
  )
  const many = !all && drawable.length > MOST_DRAWN
  const isShown = ({ name, required }: FieldShape) =>
    !many || required || opened.has(name) || Object.hasOwn(members, name)
  const shown = drawable.filter(isShown)
  const waiting = drawable.filter((field) => !isShown(field))
  const known = new Set(fields.map(({ name }) => name))
  const unknown = Object.keys(members).filter((name) => !known.has(name))
  const close = (name: string) => {
    setOpened(new Set([...opened].filter((each) => each !== name)))
    host.edit([...path, name], undefined)
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {shown.map((field, at) => (
        <Field
          key={field.name}
          focused={field.name === last || ((props.focused ?? false) && at === 0)}
          title={field.title}
          hint={field.hint}
          required={field.required}
          shape={shapeBeside(field, members)}
          path={[...path, field.name]}
          value={Object.hasOwn(members, field.name) ? members[field.name] : undefined}
          templates={exceptions.get(field.name) ?? within(templates, field.name)}
          prefers={expressions.has(field.name) ? 'expression' : 'fixed'}
          onRemove={many && !field.required ? () => close(field.name) : undefined}
        />
      ))}
      {unknown.map((name) => (
        <Field
          key={name}
          title={inWords(name)}
          shape={{ kind: 'any' }}
          path={[...path, name]}
          value={members[name]}
          templates={templates}
          onRemove={() => host.edit([...path, name], undefined)}
        />
      ))}
      {waiting.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button tone="quiet" size="small" className="self-start">
              <Plus aria-hidden /> More fields
            </Button>
          }
        >
          <MenuLabel>Not set</MenuLabel>
          {waiting.map(({ name, title }) => (
            <MenuItem
              key={name}
              onSelect={() => {
                setOpened(new Set([...opened, name]))
                setLast(name)
              }}
            >
              {title}
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  )
}
