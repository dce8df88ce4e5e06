import { describe, expect, it } from 'vitest'
import { namesIn, skipText, waitText } from './reasons'

const nameOf = namesIn(
  new Map([
    ['read', { definition: { name: 'Read the CSV' } }],
    ['ask', { definition: {} }],
  ]),
)

describe('the reasons of a node', () => {
  it.each([
    ['nodes', ['read', 'ask'], 'waits for Read the CSV, ask'],
    ['nodes', [], 'as the engine says'],
    ['people', ['role:approver', 'user:ada'], 'waits for a decision by any approver, ada'],
    ['people', [], 'as the engine says'],
    ['event', ['external.go'], 'as the engine says'],
  ] as const)('of a wait for %s %j', (kind, names, text) => {
    expect(waitText({ kind, names, text: 'as the engine says' }, nameOf)).toBe(text)
  })

  it.each([
    ['upstream_failed', 'event:read.completed', 'Read the CSV failed'],
    ['upstream_failed', 'event:ask.approved', 'ask was not approved'],
    ['upstream_skipped', 'event:read.completed', 'Read the CSV was skipped'],
    ['condition_not_met', 'event:read.failed', 'Read the CSV did not fail'],
    ['condition_not_met', '!event:read.completed', 'Read the CSV completed'],
    ['condition_not_met', 'event:pipeline.failed', 'the run did not fail'],
    ['condition_not_met', '{{ read.rows > 1 }}', 'its condition was not met: {{ read.rows > 1 }}'],
    ['condition_not_met', '!{{ read.rows > 1 }}', 'its condition was met: {{ read.rows > 1 }}'],
    ['start_timeout', 'event:external.data.ready', 'external.data.ready did not come in time'],
    ['condition_not_met', '!event:external.stop', 'external.stop came'],
    ['fail_fast', 'read', 'Read the CSV failed, and the first failure ends the run'],
    ['pipeline_cancelled', null, 'the run was cancelled'],
    ['condition_not_met', null, 'condition not met'],
    [null, null, 'its start condition can no longer become true'],
  ])('of a skip for %s by %s', (skip_reason, skip_cause, text) => {
    expect(skipText({ skip_reason, skip_cause }, nameOf)).toBe(text)
  })
})
