'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '@/components/api'

const openApprovals = api.approvals.count.queryOptions({})

/** The title of the browser tab: approvals that the reader can decide, then the status, then the page. */
export function PageTitle({ text }: { text: string }) {
  const { data } = useQuery(openApprovals)
  const waiting = data === undefined || data.mine === 0 ? '' : `(${data.mine}) `
  return <title>{`${waiting}${text} · Penstock`}</title>
}
