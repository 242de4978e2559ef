/** When a transaction ceases to be valid, as callers write it: `600`, `1772366400`, `2026-03-01T12:00:00Z`. Pure. */
import { secondsOf } from './block-tag.js'
import { ForkrouteError } from './errors.js'

export type Deadline =
  /** Seconds after the timestamp of the block at which the request is calculated. */
  | { readonly kind: 'after'; readonly seconds: bigint }
  /** Unix seconds. */
  | { readonly kind: 'at'; readonly timestamp: bigint }

/** A smaller number is a duration: as a time it would lie before September 2001. */
const firstTimestamp = 1_000_000_000n

/**
 * Unix seconds, in the year 2106: four bytes of call data. That of an order for which none is asked: its minimum protects
 * the sender, and a block-pinned answer must not expire by itself.
 */
export const latestDeadline = 2n ** 32n - 1n

export const deadlineForms =
  'seconds after the block (a whole number below 1000000000), unix seconds up to 4294967295, ' +
  'or a time with its zone such as 2026-03-01T12:00:00Z'

/** @throws ForkrouteError INVALID_REQUEST for any other form. */
export function parseDeadline(text: string): Deadline {
  const given = text.trim()
  const isNumber = /^\d{1,16}$/.test(given)
  const value = isNumber ? BigInt(given) : isZoned(given) ? secondsOf(given) : null
  if (value === null || value < 0n || value > latestDeadline) {
    throw new ForkrouteError('INVALID_REQUEST', `A deadline is ${deadlineForms}.`)
  }
  return isNumber && value < firstTimestamp
    ? { kind: 'after', seconds: value }
    : { kind: 'at', timestamp: value }
}

function isZoned(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}:\d{2})$/i.test(text)
}
