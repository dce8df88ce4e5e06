'use client'

import { Bookmark, X } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field, Input } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { useListCommands } from '@/components/ui/listed-commands'
import { writeQuery } from '@/components/ui/write-query'
import { saveInBrowser, browserStorage } from '@/components/ui/browser-storage'

const KEY = 'penstock.filters'
const MOST = 20

/** The longest query that is saved, in characters. */
const LONGEST = 2_000

const stored = z.object({ name: z.string().min(1).max(60), query: z.string().min(1).max(LONGEST) })
type Filter = z.infer<typeof stored>

/** Stored text that cannot be read (of another version, or edited by hand) counts as no filters. */
function read(): readonly Filter[] {
  try {
    const filters = z.array(z.unknown()).parse(JSON.parse(browserStorage()?.getItem(KEY) ?? '[]'))
    return filters.flatMap((one) => stored.safeParse(one).data ?? []).slice(0, MOST)
  } catch {
    return []
  }
}

/** Named filters, saved in this browser. `query` is that of the current address; empty: no filter. */
export function SavedFilters({ path, query }: { path: string; query: string }) {
  const [filters, setFilters] = useState<readonly Filter[]>([])
  const [naming, setNaming] = useState(false)
  useEffect(() => setFilters(read()), [])
  /** Changes what is stored now, not what was read before: another tab may have saved a filter meanwhile. */
  const update = (change: (saved: readonly Filter[]) => readonly Filter[]) => {
    const next = change(read())
    setFilters(next)
    // Without storage the filters last as long as the page.
    saveInBrowser(KEY, JSON.stringify(next))
  }
  const isSaved = filters.some((filter) => filter.query === query)
  const router = useRouter()
  useListCommands(() => [
    ...filters.map((filter) => ({
      ...{ id: `filter ${filter.name}`, title: `Filter: ${filter.name}` },
      run: () => router.replace(`${path}?${filter.query}`),
    })),
    ...(query === ''
      ? []
      : [{ id: 'clear', title: 'Clear the filters', run: () => writeQuery(new URLSearchParams()) }]),
  ])
  return (
    <>
      {filters.map((filter) => (
        <span
          key={filter.name}
          className="flex h-8 items-center rounded-full border border-line bg-surface pr-1 pl-3 text-xs aria-[current]:border-accent"
          aria-current={filter.query === query ? 'true' : undefined}
        >
          <Link href={`${path}?${filter.query}`} className="max-w-40 truncate hover:text-accent">
            {filter.name}
          </Link>
          <Button
            tone="quiet"
            size="icon"
            className="size-6 rounded-full"
            aria-label={`Delete the filter ${filter.name}`}
            onClick={() => update((saved) => saved.filter(({ name }) => name !== filter.name))}
          >
            <X aria-hidden />
          </Button>
        </span>
      ))}
      {query !== '' && query.length <= LONGEST && !isSaved && filters.length < MOST && (
        <Button tone="quiet" onClick={() => setNaming(true)}>
          <Bookmark aria-hidden /> Save the filter…
        </Button>
      )}
      <Dialog
        open={naming}
        onOpenChange={setNaming}
        title="Save the filter"
        description="It is saved in this browser."
      >
        <form
          className="flex flex-col gap-4 px-5 pb-5"
          onSubmit={(event) => {
            event.preventDefault()
            const name = String(new FormData(event.currentTarget).get('name')).trim()
            if (name === '') return
            update((saved) => [...saved.filter((other) => other.name !== name), { name, query }])
            setNaming(false)
          }}
        >
          <Field id="filter-name" label="Name">
            <Input id="filter-name" name="name" maxLength={60} required autoFocus />
          </Field>
          <div className="flex justify-end gap-2">
            <Button onClick={() => setNaming(false)}>Leave it</Button>
            <Button type="submit" tone="primary">
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
