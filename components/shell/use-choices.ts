'use client'

import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import {
  CalendarClock,
  Command,
  FileInput,
  FlaskConical,
  Keyboard,
  KeyRound,
  ListFilter,
  ListTree,
  LogOut,
  Monitor,
  Moon,
  Play,
  PlaySquare,
  Plus,
  Sun,
  UserCheck,
  type LucideIcon,
} from 'lucide-react'
import { useTheme } from 'next-themes'
import { useDeferredValue, useState } from 'react'
import { api, queryClient, useMay, useWhoami } from '@/components/api'
import { useListedCommands } from '@/components/ui/listed-commands'
import { pages } from './navigation'
import type { Findable } from './palette-match'

/** What the palette offers: a page to open, or a command. */
export type Choice = Findable & {
  readonly key: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  readonly act: { readonly href: string } | { readonly run: () => void }
}

/** What the frame of the page opens. */
export type Opens = { readonly shortcuts: () => void; readonly secret: () => void }

/** Everything that the person may do or open now: the commands of the page first. `text` is what is typed. */
export function useChoices(text: string, opens: Opens): readonly Choice[] {
  const listed = useListedCommands()
  // Asked once: what can be done does not change while the palette is open.
  const [ofPage] = useState(() => listed.flatMap((commands, at) => commands().map((one) => ({ one, at }))))
  const actions = useActions(opens)
  const pipelines = usePipelines(text)
  const rest = useFound(text)
  return [
    ...ofPage
      .toSorted((a, b) => Number(a.one.leads ?? false) - Number(b.one.leads ?? false))
      .map(({ one, at }): Choice => ({
        key: `page ${at} ${one.id}`,
        group: 'page',
        label: one.title,
        detail: '',
        icon: one.icon ?? Command,
        ...(one.keys === undefined ? {} : { keys: one.keys }),
        act: { run: one.run },
      })),
    ...actions,
    ...pages.map(({ href, label, icon, keys }): Choice => ({
      ...{ key: href, group: 'pages', label, detail: '', icon },
      keys: ['g', keys],
      act: { href },
    })),
    ...pipelines,
    ...rest,
  ]
}

function useActions({ shortcuts, secret }: Opens): readonly Choice[] {
  const { theme = 'system', setTheme } = useTheme()
  const who = useWhoami()
  const [mayEdit, mayAdminister] = [useMay('edit'), useMay('administer')]
  const signOut = useMutation(
    api.session.signOut.mutationOptions({
      onSettled: () => {
        queryClient.clear()
        window.location.assign('/sign-in')
      },
    }),
  )
  const action = (label: string, icon: LucideIcon, act: Choice['act'], detail = ''): Choice => ({
    ...{ key: `action ${label}`, group: 'actions', label, detail, icon, act },
  })
  const show = (label: string, query: string) =>
    action(label, ListFilter, { href: `/executions?${query}` }, 'filter of executions')
  const themes = [
    { value: 'light', label: 'Light theme', icon: Sun },
    { value: 'dark', label: 'Dark theme', icon: Moon },
    { value: 'system', label: 'Theme of the system', icon: Monitor },
  ].filter(({ value }) => value !== theme)
  return [
    ...(mayEdit
      ? [
          action('New pipeline…', Plus, { href: '/pipelines?new' }, 'create'),
          action('Import a pipeline…', FileInput, { href: '/pipelines?import' }, 'YAML JSON'),
        ]
      : []),
    show('Show failed runs', 'status=failed'),
    show('Show runs that have not ended', 'status=open'),
    show('Show waiting runs', 'status=waiting'),
    show('Show paused runs', 'status=paused'),
    ...(who === undefined
      ? []
      : [show('Show runs that you started', new URLSearchParams({ by: who.id }).toString())]),
    ...(mayAdminister ? [action('Set a secret…', KeyRound, { run: secret }, 'password token')] : []),
    ...themes.map(({ value, label, icon }) =>
      action(label, icon, { run: () => setTheme(value) }, 'appearance'),
    ),
    { ...action('Shortcuts', Keyboard, { run: shortcuts }, 'keys help'), keys: ['?'] },
    action('Sign out', LogOut, { run: () => signOut.mutate() }),
  ]
}

const ALL = 250

/** Pipelines to open, and what to do with them. Beyond the first ones the server searches. */
function usePipelines(text: string): readonly Choice[] {
  const mayOperate = useMay('operate')
  const search = useDeferredValue(text.trim().slice(0, 200))
  const first = useQuery(api.pipelines.list.queryOptions({ limit: ALL }, { staleTime: 60_000 }))
  const isMore = first.data?.next_cursor !== null && first.data !== undefined
  const found = useQuery(
    api.pipelines.list.queryOptions(
      { limit: 10, search },
      { enabled: isMore && search !== '', placeholderData: keepPreviousData },
    ),
  )
  const known = first.data?.items ?? []
  const ids = new Set(known.map(({ id }) => id))
  const all = [...known, ...(isMore ? (found.data?.items ?? []) : []).filter(({ id }) => !ids.has(id))]
  return all.flatMap(({ id, name }): Choice[] => {
    const path = `/pipelines/${id}`
    return [
      { key: path, group: 'pipelines', label: name, detail: id, icon: ListTree, act: { href: path } },
      ...(mayOperate
        ? [
            {
              ...{ key: `run ${id}`, group: 'work' as const, label: `Run ${name}…`, detail: id, icon: Play },
              act: { href: `${path}?run` },
            },
          ]
        : []),
      {
        ...{
          key: `rehearse ${id}`,
          group: 'work',
          label: `Rehearse ${name}`,
          detail: id,
          icon: FlaskConical,
        },
        act: { href: `${path}/rehearse` },
      },
    ]
  })
}

/** Decisions that wait, schedules and runs. */
function useFound(text: string): readonly Choice[] {
  const search = useDeferredValue(text.trim().slice(0, 200))
  const names = useQuery(api.pipelines.list.queryOptions({ limit: ALL }, { staleTime: 60_000 }))
  const nameOf = (id: string) => names.data?.items.find((row) => row.id === id)?.name ?? id
  const mayEdit = useMay('edit')
  const approvals = useQuery(api.approvals.list.queryOptions({ limit: 50 }))
  const schedules = useQuery(api.schedules.list.queryOptions({ limit: ALL }, { staleTime: 60_000 }))
  const runs = useQuery(
    api.executions.list.queryOptions(
      { limit: 10, ...(search === '' ? {} : { text: search }) },
      { placeholderData: keepPreviousData },
    ),
  )
  return [
    ...(approvals.data?.items ?? []).map((row): Choice => ({
      key: `decide ${row.execution_id} ${row.node_id}`,
      group: 'decisions',
      label: `Decide ${row.node_id} of ${nameOf(row.pipeline_id)}`,
      detail: 'approve reject',
      icon: UserCheck,
      act: { href: `/executions/${row.execution_id}/graph?node=${encodeURIComponent(row.node_id)}` },
    })),
    ...(schedules.data?.items ?? []).map((row): Choice => ({
      key: `schedule ${row.pipeline_id} ${row.trigger_id}`,
      group: 'schedules',
      label: `Schedule ${row.trigger_id} of ${nameOf(row.pipeline_id)}`,
      detail: `${row.cron} ${row.timezone}`,
      ...(row.active ? {} : { state: 'switched off' }),
      icon: CalendarClock,
      // Who may not edit reads it in the code.
      act: { href: `/pipelines/${row.pipeline_id}${mayEdit ? '?triggers' : '/code'}` },
    })),
    ...(runs.data?.items ?? []).map((row): Choice => ({
      key: row.execution_id,
      group: 'runs',
      label: row.execution_id,
      detail: nameOf(row.pipeline_id),
      state: row.status.replaceAll('_', ' '),
      found: search !== '' && !runs.isPlaceholderData,
      icon: PlaySquare,
      act: { href: `/executions/${row.execution_id}` },
    })),
  ]
}
