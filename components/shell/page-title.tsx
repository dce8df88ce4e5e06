'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '@/components/api'

const openApprovals = api.approvals.count.queryOptions({})

/** The title of the browser tab: open approvals, then the status, then the page. */
export function PageTitle({ text }: { text: string }) {
  const { data } = useQuery(openApprovals)
  const waiting = data === undefined || data.pending === 0 ? '' : `(${data.pending}) `
  return <title>{`${waiting}${text} · Penstock`}</title>
}
