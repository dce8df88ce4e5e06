'use client'

import { useSearchParams } from 'next/navigation'
import { ErrorState, SkeletonRows } from '@/components/ui/states'
import { ChooseBaseline } from './compare/choose-baseline'
import { Comparison } from './compare/comparison'
import { RunProvider, useRun, type Run } from './run-context'

/** Compares the run with another one (`?with=`); without it, offers runs to compare with. */
export function CompareTab() {
  const run = useRun()
  const other = useSearchParams().get('with')
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 p-4 lg:p-6">
      {other === null || other === run.view.execution_id ? (
        <ChooseBaseline view={run.view} />
      ) : (
        <RunProvider
          executionId={other}
          fallback={(loading) =>
            loading.state === 'loading' ? (
              <SkeletonRows />
            ) : (
              <>
                <ErrorState
                  what={`The run ${other} cannot be compared.`}
                  error={loading.problem}
                  retry={loading.retry}
                />
                <ChooseBaseline view={run.view} />
              </>
            )
          }
        >
          <WithBaseline run={run} />
        </RunProvider>
      )}
    </div>
  )
}

function WithBaseline({ run }: { run: Run }) {
  return <Comparison before={useRun()} after={run} />
}
