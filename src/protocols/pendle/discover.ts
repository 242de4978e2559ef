/**
 * Pools by their tokens: a PT names its SY and its YT, and an SY lists what it takes and pays. Which markets a PT has no contract
 * tells: their factories' events do.
 */
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { canonicalToken } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { zip } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs } from '../protocol.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { addressesIn, getter, tokensIn } from './abi.js'
import { redemptionPool, slug, yieldPool } from './pools.js'

/** A principal token, the one of its yield, or a token of standardized yield. */
type Found =
  | {
      readonly kind: 'principal'
      readonly sy: Address
      readonly yt: Address
      /** Unix seconds. */
      readonly expiry: bigint
    }
  /** Of a PT, which other events tell. */
  | { readonly kind: 'claim'; readonly sy: Address }
  | { readonly kind: 'yield'; readonly tokens: readonly Address[] }

interface Asked {
  readonly found: ReadonlyMap<Address, Found>
  readonly unreadable: readonly { readonly token: Address; readonly message: string }[]
}

/** Connector tokens are in every look-up, and none of them is a token of Pendle's. */
async function findTokens(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly tokens: readonly Address[]
}): Promise<Asked> {
  const { reader, chain } = args
  const skipped = new Set(chain.connectorTokens)
  const tokens = [...new Set(args.tokens)].filter((token) => !skipped.has(token))
  const first = await ask(reader, tokens, ['SY', 'getTokensIn'])
  const unreadable: { token: Address; message: string }[] = []
  const isOwn = ([token, [ofSy, into]]: readonly [Address, readonly ReadResult[]]) => {
    const refused = [ofSy, into].find((one) => one && !one.ok && one.reason === 'unreadable')
    if (refused && !refused.ok) unreadable.push({ token, message: refused.message })
    return addressesIn(ofSy, 1) !== null || tokensIn(into) !== null
  }
  const own = zip(tokens, first).filter(isOwn)
  const further = await ask(
    reader,
    own.map(([token]) => token),
    ['YT', 'expiry', 'getTokensOut'],
  )
  const found = new Map<Address, Found>()
  for (const [[token, [ofSy, into]], [ofYt, ends, out]] of zip(own, further)) {
    const [sy] = addressesIn(ofSy, 1) ?? []
    const [yt] = addressesIn(ofYt, 1) ?? []
    const expiry = readWord(ends)
    const [taken, paid] = [tokensIn(into), tokensIn(out)]
    // Some contracts answer every call with the same word.
    const isPrincipal = sy && yt && new Set([token, sy, yt]).size === 3
    if (isPrincipal && expiry !== null) found.set(token, { kind: 'principal', sy, yt, expiry })
    else if (sy && sy !== token && expiry !== null) found.set(token, { kind: 'claim', sy })
    else if (taken && paid) {
      const all = new Set([...taken, ...paid])
      all.delete(token)
      found.set(token, { kind: 'yield', tokens: [...all] })
    }
  }
  return { found, unreadable }
}

function ask(
  reader: StateReader,
  tokens: readonly Address[],
  names: readonly Parameters<typeof getter>[0][],
): Promise<ReadResult[][]> {
  return readAll(
    reader,
    tokens.map((to) => names.map((name) => ({ to, data: getter(name) }))),
  )
}

export async function discoverPools({
  reader,
  chain,
  pairs,
}: DiscoverArgs): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const wanted = orderedPairs(pairs)
  const { found, unreadable } = await findTokens({ reader, chain, tokens: wanted.flat() })
  const time = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const poolsOf = (token: Address, other: Address): Pool[] => {
    const own = found.get(token)
    if (own?.kind === 'yield') {
      return own.tokens
        .filter((one) => canonicalToken(chain, one) === other)
        .map((one) => yieldPool(token, one))
    }
    if (own?.kind !== 'principal' || own.sy !== other || own.expiry > time) return []
    return [redemptionPool(own.yt, token, own.sy)]
  }
  return {
    pools: wanted.flatMap(([a, b]) => [...poolsOf(a, b), ...poolsOf(b, a)]),
    unreadable: unreadable.flatMap(({ token, message }) =>
      wanted
        .filter((pair) => pair.includes(token))
        .map((pair) => ({ protocol: slug, subject: `SY of ${token}`, message, pair })),
    ),
  }
}

/** PT and YT lead to their SY, and an SY to the tokens that it takes and pays. */
export async function underlyingTokens(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly tokens: readonly Address[]
}): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const { found } = await findTokens(args)
  return new Map(
    [...found].map(([token, own]) => [token, own.kind === 'yield' ? own.tokens : [own.sy]]),
  )
}
