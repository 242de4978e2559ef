/**
 * Classifies failed requests to a fork or to the archive. Forks pass on the archive's error texts inside their own
 * messages, so the texts are the interface.
 */
import { type BlockName, blockFacts, upstreamUnavailable } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import { JsonRpcError, type RpcCall, type RpcResult, TransportError } from '../rpc/node/json-rpc.js'
import { forkClient } from './clients.js'

/** The fork does not answer any more: replace it (`ForkLease.reportLost(url)`) and try once again. */
export class ForkLostError extends ForkrouteError {
  override readonly name = 'ForkLostError'
  constructor(
    /** The fork's URL on this machine. */
    readonly url: string,
    pin: BlockPin,
    options?: { cause?: unknown },
  ) {
    super(
      'FORK_UNAVAILABLE',
      `A fork of block ${pin.number} does not answer any more.`,
      blockFacts(pin),
      options,
    )
  }
}

/** Error texts when the archive, or every node behind it, is unreachable. */
const upstreamWords =
  /upstream unavailable:|error sending request|connection (refused|reset|closed)|tcp connect|operation timed out/i

/** Error texts when some state of the block is not available; other state may be. */
const stateWords =
  /state unreadable:|not recorded|missing trie node|failed to get (account|storage|block hash|full block)|header not found|database error/i

export type Fault = 'upstream' | 'state' | 'own'

/** `own`: the error is about the request itself, not about where its state comes from. */
export function faultOf(message: string): Fault {
  if (upstreamWords.test(message)) return 'upstream'
  return stateWords.test(message) ? 'state' : 'own'
}

/**
 * Sends one request to a fork. Errors about the request itself or about some state are returned as data.
 * @throws ForkLostError, ForkrouteError UPSTREAM_UNAVAILABLE, or the signal's reason.
 */
export async function askFork(
  url: string,
  pin: BlockPin,
  call: RpcCall,
  signal: AbortSignal | undefined,
): Promise<RpcResult> {
  try {
    return { ok: true, value: await forkClient(url).request(call.method, call.params, signal) }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw await forkError(error, url, pin, signal)
    if (isMalformed(error)) throw error
    if (faultOf(error.message) === 'upstream') throw upstreamUnavailable(pin, error)
    return { ok: false, error }
  }
}

/**
 * Sends several requests to a fork in one. Errors about a request itself or about some state are its result.
 * @throws ForkLostError, ForkrouteError UPSTREAM_UNAVAILABLE, or the signal's reason.
 */
export async function askForkAtOnce(
  url: string,
  pin: BlockPin,
  calls: readonly RpcCall[],
  signal: AbortSignal | undefined,
): Promise<RpcResult[]> {
  const [only] = calls
  if (!only) return []
  if (calls.length === 1) return [await askFork(url, pin, only, signal)]
  try {
    return await forkClient(url).batch(calls, signal)
  } catch (error) {
    throw await forkError(error, url, pin, signal)
  }
}

/** The request itself is malformed: a bug of ours, not a fact about the transaction. */
export function isMalformed(error: JsonRpcError): boolean {
  return error.code === -32600 || error.code === -32601 || error.code === -32602
}

/** How long a fork that timed out on a request may take to answer a trivial one, milliseconds. */
const livenessTimeoutMs = 2_000

/**
 * Translates an error thrown by a request to a fork: a dead or hung fork becomes ForkLostError; a healthy fork that got
 * no state in time becomes UPSTREAM_UNAVAILABLE; everything else stays as it is.
 */
export async function forkError(
  error: unknown,
  url: string,
  pin: BlockPin,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (signal?.aborted || !(error instanceof TransportError)) return error
  const alive = await forkClient(url)
    .request('web3_clientVersion', [], AbortSignal.timeout(livenessTimeoutMs))
    .then(() => true)
    .catch((reason) => reason instanceof JsonRpcError)
  return alive && isTimeout(error)
    ? upstreamUnavailable(pin, error)
    : new ForkLostError(url, pin, { cause: error })
}

function isTimeout(error: TransportError): boolean {
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
}

/**
 * What a thrown value is beyond the thread that threw it: an error that callers know, also where nobody on its way has
 * said what a fork, the archive or a node that fails keeps from being answered. A bug stays as it is.
 *
 * @param block - whose forks were asked; null in the archive's thread, which asks nodes.
 */
export function atBorder(thrown: unknown, block: BlockName | null): unknown {
  if (thrown instanceof ForkrouteError) return thrown
  if (thrown instanceof JsonRpcError) {
    if (isMalformed(thrown)) return thrown
    const fault = faultOf(thrown.message)
    if (fault === 'upstream' && block) return upstreamUnavailable(block, thrown)
    if (fault === 'state') return stateUnavailable(block, thrown)
    return thrown.code === internalError ? silent(block, thrown) : thrown
  }
  return isOfConnection(thrown) ? silent(block, thrown) : thrown
}

/** A server says of itself that it failed. */
const internalError = -32_603

function stateUnavailable(block: BlockName | null, cause: unknown): ForkrouteError {
  const what = block ? `The state of block ${block.number}` : 'State'
  const text = `${what} cannot be read from the node. Try again, or ask at a newer block.`
  return new ForkrouteError('STATE_UNAVAILABLE', text, block ? blockFacts(block) : undefined, {
    cause,
  })
}

function silent(block: BlockName | null, cause: unknown): ForkrouteError {
  if (!block)
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.', undefined, { cause })
  const text = `A fork of block ${block.number} does not answer.`
  return new ForkrouteError('FORK_UNAVAILABLE', text, blockFacts(block), { cause })
}

/** Codes of Node and of undici for connections that fail. */
const connectionCodes =
  /^(?:UND_ERR_|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EADDR|ENOTFOUND$|EMFILE$|ENFILE$)/

/** The error itself, or what it says has caused it. */
function isOfConnection(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof TransportError) return true
    const { code } = error as { readonly code?: unknown }
    if (typeof code === 'string' && connectionCodes.test(code)) return true
  }
  return false
}
