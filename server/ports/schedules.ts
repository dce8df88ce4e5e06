import type { Page } from './page'

/** A cron trigger as a revision declares it, with the first instant after that revision at which it fires. */
export type PlannedSchedule = {
  readonly triggerId: string
  readonly cron: string
  readonly timezone: string
  /** Whether it fires before anybody has switched it on or off. */
  readonly enabled: boolean
  /** Milliseconds since the epoch, as all times here. */
  readonly nextAt: number | null
}

/** A cron trigger of the latest revision of a pipeline, and where it stands. */
export type ScheduleRow = Omit<PlannedSchedule, 'nextAt'> & {
  readonly pipelineId: string
  readonly active: boolean
  /** The instant that fires next; it has passed when nobody was there. null: it is not active. */
  readonly nextAt: number | null
  /** The instant that was last acted on. */
  readonly lastAt: number | null
  readonly lastExecutionId: string | null
  /** Why the last fire led to no execution, or to fewer than there were; null: it did. */
  readonly lastError: string | null
}

/**
 * What fires next. Rows are made, changed and removed together with the revisions that declare them (`PipelineRegistry`); here they
 * move on. `fired` is a compare-and-set on `nextAt`, so that nobody's step can be taken back by an older one.
 */
export interface ScheduleStore {
  /** In order of pipeline, then trigger. */
  list(range: { limit: number; cursor?: string; pipelineId?: string }): Promise<Page<ScheduleRow>>
  /** Those whose next instant is `now` or before, the earliest first. */
  due(now: number, limit: number): Promise<ScheduleRow[]>
  /** The next instant of all, or null. */
  earliest(): Promise<number | null>
  /** Moves a schedule past the instants that were acted on; false when it is not where `row` saw it any more. */
  fired(
    row: ScheduleRow,
    then: Pick<ScheduleRow, 'nextAt' | 'lastAt' | 'lastExecutionId' | 'lastError'>,
  ): Promise<boolean>
  /** Switches on, to fire at `nextAt`, or (null) off. Answers the row, or null when there is none. */
  setNext(pipelineId: string, triggerId: string, nextAt: number | null): Promise<ScheduleRow | null>
  get(pipelineId: string, triggerId: string): Promise<ScheduleRow | null>
}
