/**
 * The ways to name a block: `21000000`, `latest`, `latest-300`, `2026-03-01`, `2026-03-01T12:00:00Z`, `@1772366400`.
 * Shared by the command line, plans and the API. Pure.
 */
import { ForkrouteError } from './errors.js'

export type BlockTag =
  | { readonly kind: 'number'; readonly number: bigint }
  /** This many blocks below the newest. */
  | { readonly kind: 'latest'; readonly back: bigint }
  /** The newest block that is not later than this; unix seconds. */
  | { readonly kind: 'time'; readonly timestamp: bigint }

export const blockTagForms =
  'a block number, latest, latest-N, a time such as 2026-03-01T12:00:00Z, or @ and unix seconds'

const isoDate = /^\d{4}-\d{2}-\d{2}$/
/** UTC without a zone: the result must not depend on where it is parsed. */
const isoTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

/** @throws ForkrouteError INVALID_REQUEST for any other form. */
export function parseBlockTag(text: string): BlockTag {
  const given = text.trim()
  if (/^\d{1,16}$/.test(given)) return { kind: 'number', number: bounded(text, BigInt(given)) }
  const latest = /^latest(?:-(\d{1,16}))?$/i.exec(given)
  if (latest) return { kind: 'latest', back: bounded(text, BigInt(latest[1] ?? 0)) }
  const unix = /^@(\d{1,16})$/.exec(given)
  if (unix) return { kind: 'time', timestamp: bounded(text, BigInt(unix[1] ?? 0)) }
  const timestamp = secondsOf(given)
  if (timestamp !== null && timestamp >= 0n) return { kind: 'time', timestamp }
  return refuse(text)
}

/** Unix seconds of a date or time, UTC where it has no zone, rounded down; null for one that does not exist. */
export function secondsOf(text: string): bigint | null {
  const match = isoTime.exec(text)
  const day = isoDate.test(text) ? text : match?.[1]
  if (!day) return null
  // Date takes the 31st of February for the 3rd of March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return null
  if (!match) return BigInt(midnight.getTime() / 1_000)
  const [, , minutes, seconds = ':00', zone = 'Z'] = match
  const milliseconds = Date.parse(`${day}T${minutes}${seconds}${zone.toUpperCase()}`)
  return Number.isNaN(milliseconds) ? null : BigInt(milliseconds / 1_000)
}

/** Block numbers of the API are JSON numbers. */
function bounded(text: string, value: bigint): bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? value : refuse(text)
}

function refuse(text: string): never {
  const shown = JSON.stringify(text.slice(0, 40))
  throw new ForkrouteError('INVALID_REQUEST', `${shown} names no block: give ${blockTagForms}.`)
}
