'use client'

import { useMutation } from '@tanstack/react-query'
import { api, problemOf, queryClient, useMay, type Violation } from '@/components/api'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Link } from '@/components/ui/link'
import { RelativeTime } from '@/components/ui/time'
import { toast } from '@/components/ui/toast'

/** What is wrong, run by run. An administrator can rebuild a run from its journal where that may help. */
export function Violations({ violations }: { violations: readonly Violation[] }) {
  const mayRepair = useMay('administer')
  const repair = useMutation(
    api.health.repair.mutationOptions({
      onSuccess: ({ violations: left }) => {
        if (left.length === 0) toast({ tone: 'good', title: 'The run was repaired' })
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: api.health.pathKey() }),
    }),
  )
  const tried = repair.variables?.execution_id
  const left = repair.data?.violations[0]?.message
  const failed = repair.error === null ? left : problemOf(repair.error).message
  return (
    <Card title="Problems" count={violations.length}>
      <ul>
        {violations.map(({ execution_id, node_id, rule, message, since }) => (
          <li
            key={`${execution_id} ${node_id ?? ''} ${rule}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 last:border-0"
          >
            <Link
              href={`/executions/${execution_id}${node_id === undefined ? '' : `/graph?node=${encodeURIComponent(node_id)}`}`}
              className="font-mono text-xs font-medium text-accent"
            >
              {execution_id}
              {node_id !== undefined && ` ${node_id}`}
            </Link>
            <span className="min-w-0 flex-1 basis-64 break-words">{message}</span>
            <span className="text-xs text-faint">
              <RelativeTime at={since} />
            </span>
            {mayRepair && rule !== 'unreachable_quorum' && (
              <Button
                size="small"
                disabled={repair.isPending}
                onClick={() => repair.mutate({ execution_id })}
              >
                Repair
              </Button>
            )}
            {execution_id === tried && failed !== undefined && (
              <p role="alert" className="basis-full text-xs text-danger">
                It could not be repaired: {failed}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
