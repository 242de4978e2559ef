/** Plans and results as JSON text, for stores and queues: a bigint is written as `{"bigint":"1"}`. */
import { z } from 'zod'
import type { JobPlan } from '../domain/backtest.js'
import { planCodec, toPlanRecord } from './plan.js'

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'bigint' ? { bigint: part.toString() } : part,
  )
}

/** What `toJson` wrote; of anything else the caller has to check the form. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_key, part) =>
    typeof part?.bigint === 'string' && /^-?\d{1,78}$/.test(part.bigint)
      ? BigInt(part.bigint)
      : part,
  )
}

export function planToJson(plan: JobPlan): string {
  return toJson(toPlanRecord(plan))
}

/** @param text - which `planToJson` wrote. @throws ZodError for anything else. */
export function planFromJson(text: string): JobPlan {
  return z.parse(planCodec, fromJson(text))
}
