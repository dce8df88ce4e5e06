import type { Rejection } from '@/core/engine/input'
import type { Fact } from './fact'

/** The direct consequences of an input, or its refusal. Neither throws nor changes the state. */
export type Decision =
  | { readonly ok: true; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly rejection: Rejection }
