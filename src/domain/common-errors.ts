/**
 * Errors that several places raise, one factory each: facts in, error out. An error with a single origin is worded
 * at that place.
 */
import { type ErrorDetails, ForkrouteError } from './errors.js'
import type { Scope } from './operations/keys.js'
import type { BlockPin } from './primitives.js'

export type BlockName = Pick<BlockPin, 'chainId' | 'number'>

/** A block as details of an error. */
export function blockFacts({ chainId, number }: BlockName): {
  readonly chainId: number
  readonly blockNumber: string
} {
  return { chainId, blockNumber: number.toString() }
}

/** Sentences of one error: who made so many mistakes needs no longer list to see it. */
export const mostProblems = 100

/** @param problems - a sentence for each invalid input, at least one; of those beyond a hundred the number is told. */
export function invalidRequest(
  problems: readonly string[],
  details?: ErrorDetails,
): ForkrouteError {
  const more = problems.length - mostProblems
  const listed =
    more > 0
      ? [...problems.slice(0, mostProblems), `There are at least ${more} more mistakes.`]
      : problems
  return new ForkrouteError('INVALID_REQUEST', listed, details)
}

/**
 * A request's field `chainId` names a chain that is not served.
 * @param served - the chains that are.
 */
export function unknownChainId(
  chainId: number | string,
  served: readonly { readonly id: number; readonly name: string }[],
): ForkrouteError {
  const names = served.map(({ id, name }) => `${id} (${name})`)
  const others = names.length > 0 ? `; configured: ${names.join(', ')}` : ''
  return new ForkrouteError('UNKNOWN_CHAIN', `chainId ${chainId} is not configured here${others}`, {
    chainId: Number(chainId),
    configured: served.map(({ id }) => id),
    next: served.map(({ id }) => ({ parameter: 'chainId', value: String(id) })),
  })
}

/**
 * A part of the service was asked for a chain that it does not serve.
 * @param known - ids of the chains that it serves, for the message.
 */
export function unknownChain(chainId: number, known: readonly number[] = []): ForkrouteError {
  const others = known.length > 0 ? `; configured: ${known.join(', ')}` : ''
  return new ForkrouteError('UNKNOWN_CHAIN', `Chain ${chainId} is not configured here${others}.`, {
    chainId,
  })
}

/** @param why - a sentence. */
export function unknownBlock(block: BlockName, why: string): ForkrouteError {
  return new ForkrouteError('UNKNOWN_BLOCK', why, blockFacts(block))
}

/** @param why - what the nodes say. */
export function unknownState(block: BlockName, why: string, advice = ''): ForkrouteError {
  const message = `The state of block ${block.number} is not available: ${why}.${advice}`
  return unknownBlock(block, message)
}

/** @param what - the kind of thing and its name. */
export function notFound(what: string, details?: ErrorDetails): ForkrouteError {
  return new ForkrouteError('NOT_FOUND', `There is no ${what}.`, details)
}

/** A key lacks the scope, and another one may have it. */
export function scopeMissing(message: string, scope: Scope): ForkrouteError {
  const withScope = { header: 'authorization', value: `Bearer <key with the scope ${scope}>` }
  return new ForkrouteError('SCOPE_MISSING', message, { scope, next: [withScope] })
}

/** @param what - whose state the node does not provide, as the beginning of a sentence. */
export function unreadable(what: string, details: ErrorDetails): ForkrouteError {
  const message = `${what} cannot be read from the node at this block. Try again, or ask at a newer block.`
  return new ForkrouteError('STATE_UNAVAILABLE', message, details)
}

/** The sentence in which a replay names what the cassette lacks. */
const cassetteWords = /The cassette (?:lacks|is damaged at) .+? of chain \d+\./

/** @param cause - what was thrown or answered in place of state of the block. */
export function upstreamUnavailable(block: BlockName, cause: unknown): ForkrouteError {
  const [inCassette] = cassetteWords.exec(cause instanceof Error ? cause.message : '') ?? []
  return new ForkrouteError(
    'UPSTREAM_UNAVAILABLE',
    inCassette ??
      `The state of block ${block.number} cannot be read: no node of chain ${block.chainId} answers.`,
    blockFacts(block),
    { cause },
  )
}

/** For `catch`: null where state cannot be read; throws any other error on. */
export function unlessUnreadable(error: unknown): null {
  if (error instanceof ForkrouteError && error.code === 'STATE_UNAVAILABLE') return null
  throw error
}

/**
 * @returns the error code, since the text may contain file names and hosts; in words where it is the package with SQLite
 * that cannot be loaded: another Node has come since `npm ci`, or its compiler was missing.
 */
export function storageReason(cause: unknown): string {
  const { code, message } = cause as { readonly code?: string; readonly message?: string }
  const isNotBuilt = message?.startsWith('Could not locate the bindings file')
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND' || isNotBuilt) {
    return 'better-sqlite3 is not installed for this version of Node; install python3, make and g++, and run npm ci again'
  }
  if (code === 'LATER_RELEASE') return 'a later release of forkroute has written it'
  return code ?? 'unknown'
}

/**
 * @param what - which storage refuses what, as the beginning of a sentence.
 * @param reason - default: that of the cause.
 */
export function storageUnavailable(
  what: string,
  cause: unknown,
  reason = storageReason(cause),
): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `${what} (${reason}).`, undefined, { cause })
}

/**
 * Runs each use of a storage, and translates what it throws.
 *
 * @param translate - the error in place of what was thrown; a ForkrouteError stays as it is.
 */
export function storageGuard(translate: (cause: unknown) => unknown): <T>(work: () => T) => T {
  return (work) => {
    try {
      return work()
    } catch (cause) {
      throw cause instanceof ForkrouteError ? cause : translate(cause)
    }
  }
}

/** The abort reason of everything under way when the service stops. */
export function shuttingDown(): ForkrouteError {
  return new ForkrouteError('OVERLOADED', 'The service is shutting down; ask again in a moment.')
}
