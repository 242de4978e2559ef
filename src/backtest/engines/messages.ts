/** Plans and results as text in the queue. Everything is checked when it is read, since anybody there may have written it. */
import type { z } from 'zod'
import type { JobBlock, JobPlan } from '../../domain/backtest.js'
import { ForkrouteError } from '../../domain/errors.js'
import { fromJson, planToJson, toJson } from '../../wire/json.js'
import { planCodec } from '../../wire/plan.js'
import { blockCodec } from '../../wire/results.js'

/** Characters of a plan, or of the results of one block. */
export const maxMessageLength = 8 * 1024 * 1024

/** @throws ForkrouteError INVALID_REQUEST when it is longer than `maxMessageLength`. */
export function encodePlan(plan: JobPlan): string {
  return limited('The plan is', planToJson(plan))
}

/** @throws ForkrouteError INVALID_REQUEST when it is longer than `maxMessageLength`. */
export function encodeBlock(block: JobBlock): string {
  return limited('The results of a block are', toJson(block))
}

function limited(subject: string, text: string): string {
  if (text.length <= maxMessageLength) return text
  throw new ForkrouteError(
    'INVALID_REQUEST',
    `${subject} longer than ${maxMessageLength} characters.`,
  )
}

/** @throws ForkrouteError INTERNAL for anything but an encoded plan. */
export function decodePlan(text: string): JobPlan {
  return read(planCodec, text, 'a plan')
}

/** @throws ForkrouteError INTERNAL for anything but the encoded results of a block. */
export function decodeBlock(text: string): JobBlock {
  return read(blockCodec, text, 'results of a block')
}

/** @throws ForkrouteError INTERNAL for what is no JSON of that form; the message names fields, never values. */
export function read<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let value: unknown
  try {
    if (text.length > maxMessageLength) throw new Error('too long')
    value = fromJson(text)
  } catch {
    throw new ForkrouteError('INTERNAL', `What was read is not ${what}.`)
  }
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const where = error.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the whole')
  throw new ForkrouteError('INTERNAL', `What was read is not ${what} (${where.join(', ')}).`)
}
