/** Variables of the environment for how nodes are asked, and what is checked of their blocks and state. */
import { z } from 'zod'
import type { Hex } from '../domain/primitives.js'
import { perChain } from './chains.js'
import { integer, oneOf } from './values.js'

export interface NodesConfig {
  readonly headPollMs: number
  /** Time that one HTTP request to a node may take. */
  readonly upstreamTimeoutMs: number
  /** How long a start waits for the first pinned block; after that the service runs with the chain not ready. */
  readonly firstPinWaitMs: number
  /** A chain is not ready when its newest block is older than this; null: any age is accepted. */
  readonly maxHeadAgeSeconds: number | null
  /** False: block hashes are taken from the node unchecked. */
  readonly checkHeaderHashes: boolean
  /** Which values of state are checked by proof; null: none. */
  readonly verifyState: 'all' | { readonly share: number } | null
  /** The block that all others are tied to, by chain id. */
  readonly trustedBlocks: Readonly<Record<number, { readonly number: bigint; readonly hash: Hex }>>
}

export const nodesVariables = {
  HEAD_POLL_MS: integer(1_000, 50, 600_000).describe('Time between two looks for a new block.'),
  UPSTREAM_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('Of one HTTP request to a node.'),
  HEADER_HASH_CHECK: oneOf(['on', 'off'], 'on').describe(
    'Recomputes the hash of every header; off only for chains whose headers hash in another way.',
  ),
  VERIFY_STATE: oneOf(['off', 'sample', 'all'], 'off').describe(
    'Checks by eth_getProof what nodes say of state: sample, a share of it after the answer; all, nothing but what is proven is answered (docs/how-to/rpc.md#proven-state).',
  ),
  VERIFY_STATE_ONE_IN: integer(100, 1, 1_000_000).describe(
    'VERIFY_STATE=sample checks one value in so many.',
  ),
  FIRST_PIN_WAIT_MS: integer(20_000, 0, 600_000).describe(
    'A start waits this long for the first block of every chain; then it runs, and those are not ready.',
  ),
  MAX_HEAD_AGE_SECONDS: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a positive integer')
    .transform(Number)
    .optional()
    .describe('A chain whose newest block is older is not ready. Default: any age is accepted.'),
}

type Read = z.infer<z.ZodObject<typeof nodesVariables>>

/** @param problems - receives a sentence for each mistake. */
export function trustedBlocksOf(
  given: Readonly<Record<string, string>>,
  problems: string[],
): NodesConfig['trustedBlocks'] {
  return perChain(given, 'TRUSTED_BLOCK_', problems, (text) => {
    const [, number, hash] = /^(\d{1,15}):(0x[0-9a-f]{64})$/i.exec(text) ?? []
    return number && hash
      ? { number: BigInt(number), hash: hash.toLowerCase() as Hex }
      : 'must be the number and the hash of a block, joined by a colon'
  })
}

/** Null: there is no mistake. */
export function nodesProblem({ VERIFY_STATE, HEADER_HASH_CHECK }: Read): string | null {
  return VERIFY_STATE !== 'off' && HEADER_HASH_CHECK === 'off'
    ? 'VERIFY_STATE: nothing is proven where HEADER_HASH_CHECK is off.'
    : null
}

export function verifyStateOf({
  VERIFY_STATE,
  VERIFY_STATE_ONE_IN,
}: Read): NodesConfig['verifyState'] {
  if (VERIFY_STATE === 'sample') return { share: 1 / VERIFY_STATE_ONE_IN }
  return VERIFY_STATE === 'all' ? 'all' : null
}
