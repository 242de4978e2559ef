/** Positions of every protocol at one block: their identity, holdings and values. */
import pLimit from 'p-limit'
import type { VenueParameters } from '../../chains/chain.js'
import type { PositionFigures, TokenFacts } from '../../domain/metadata.js'
import type { Address } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import type { Position, PositionReadArgs, PositionState } from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import { indexedPositions } from '../block/indexed-positions.js'
import type { Task } from '../block/task.js'
import { pairsOf } from '../market/pairs.js'
import { figuresOf, valuer } from '../market/yield.js'

/** Prices that are looked up in parallel: each reads the pools of its token. */
const pricesAtOnce = 8

type Read = readonly { readonly position: Position; readonly state: PositionState | null }[]

/** Errors that must not be attributed to one protocol: the task was aborted, or has to run on another fork. */
function isAboutTask(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return code === 'UPSTREAM_UNAVAILABLE' || code === 'FORK_UNAVAILABLE' || name === 'AbortError'
}

/**
 * Positions of one protocol, each key once, ordered by it.
 * @returns null in place of a state that could not be read, or of everything when the protocol's list could not.
 */
export async function readProtocol(
  adapter: ProtocolAdapter,
  args: PositionReadArgs & { readonly pools: readonly Pool[] },
): Promise<{ readonly read: Read | null; readonly unreadable: readonly Unreadable[] }> {
  const { slug: protocol, positions: source } = adapter
  const failed = (subject: string, error: unknown): Unreadable => {
    if (isAboutTask(error)) throw error
    return { protocol, subject, message: error instanceof Error ? error.message : String(error) }
  }
  if (!source) return { read: [], unreadable: [] }
  let listed: { readonly positions: readonly Position[]; readonly unreadable: Unreadable[] }
  try {
    listed = await source.list(args)
  } catch (error) {
    return { read: null, unreadable: [failed('positions', error)] }
  }
  const byKey = new Map(listed.positions.map((position) => [position.key, position]))
  const positions = [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  const { reader, chain, venue } = args
  let states: readonly (PositionState | Unreadable)[] = []
  const unreadable = [...listed.unreadable]
  try {
    if (positions.length) states = await source.read({ reader, chain, venue, positions })
  } catch (error) {
    unreadable.push(failed('state of positions', error))
  }
  const read = positions.map((position, index) => {
    const state = states[index]
    if (state && 'message' in state) unreadable.push(state)
    return { position, state: state && !('message' in state) ? state : null }
  })
  return { read, unreadable }
}

/** A position and its figures at one block; its yield may still need an earlier block. */
export interface ReadPosition {
  readonly position: Position
  readonly token: TokenFacts | null
  readonly underlyingTokens: readonly TokenFacts[]
  /** Without the yield that follows from the share price. */
  readonly figures: PositionFigures
  /** Value of one share; null where the yield has another source or none. */
  readonly sharePrice: bigint | null
}

export interface ReadPositions {
  readonly positions: readonly ReadPosition[]
  /** Protocols whose positions could not be listed. */
  readonly unlisted: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

export async function readPositions(
  task: Task,
  _args: Readonly<Record<string, never>>,
): Promise<ReadPositions> {
  const { chain } = task
  const found = await poolsBetweenConnectors(task)
  const outcomes = await task.clock.stage('positions', () =>
    Promise.all(
      protocols.flatMap((adapter) => {
        const venue = chain.venues[adapter.slug]
        if (!venue || !adapter.positions) return []
        return [readKnown(task, adapter, venue, found)]
      }),
    ),
  )
  const all = outcomes.flatMap((outcome) => outcome.read ?? [])
  const facts = await tokenFacts(task, all)
  const { read, unreadable } = ofTokens(all, facts)
  const prices = await task.clock.stage('positionPrices', () => readPrices(task, read))
  const usdOf = valuer(
    new Map(
      [...prices].map(([token, priceUsd]) => [
        token,
        { decimals: facts.get(token)?.decimals ?? null, priceUsd },
      ]),
    ),
  )
  const factsOf = (token: Address) => facts.get(token) ?? unknownToken(chain.id, token)
  return {
    positions: read.map(({ position, state }) => ({
      position,
      token: position.token && factsOf(position.token),
      underlyingTokens: position.underlyingTokens.map(factsOf),
      figures: figuresOf(
        state,
        state?.base?.kind === 'annual' ? state.base.rate * 100 : null,
        usdOf,
      ),
      sharePrice: state?.base?.kind === 'sharePrice' ? state.base.price : null,
    })),
    unlisted: outcomes.flatMap(({ slug, read: list }) => (list ? [] : [slug])),
    unreadable: [...outcomes.flatMap((outcome) => outcome.unreadable), ...unreadable],
  }
}

/** Without those that are, or are made of, what is no token: anybody may say of a pool that it is one. */
export function ofTokens(
  read: Read,
  facts: ReadonlyMap<Address, unknown>,
): { readonly read: Read; readonly unreadable: readonly Unreadable[] } {
  const strangers = new Map(
    read.flatMap((one) => {
      const { token, underlyingTokens } = one.position
      const stranger = [...(token ? [token] : []), ...underlyingTokens].find(
        (address) => !facts.has(address),
      )
      return stranger ? [[one, stranger] as const] : []
    }),
  )
  return {
    read: read.filter((one) => !strangers.has(one)),
    unreadable: [...strangers].map(([{ position }, stranger]) => ({
      protocol: position.protocol,
      subject: position.key,
      message: `${stranger} is no token: it tells no decimals.`,
    })),
  }
}

async function readKnown(
  task: Task,
  adapter: ProtocolAdapter,
  venue: VenueParameters,
  found: readonly Pool[],
) {
  const { slug } = adapter
  const { reader, chain, pin, facts } = task
  const args = { chain, pin, index: facts.poolIndex }
  const indexed = await indexedPositions(args, reader, slug)
  const known = [...facts.poolsOf(slug), ...found, ...indexed.pools]
  const pools = poolsOf(adapter, known)
  const { read, unreadable } = await readProtocol(adapter, { reader, chain, venue, pools })
  return { slug, read, unreadable: [...indexed.unreadable, ...unreadable] }
}

/** The pools that every service finds at the block, whatever it was asked before. */
async function poolsBetweenConnectors(task: Task): Promise<readonly Pool[]> {
  const { market, chain } = task.facts
  const view = await task.clock.stage('state', () =>
    market.view(task.reader, pairsOf(chain, [], [])),
  )
  return view.pools.map(({ loaded }) => loaded.pool)
}

/** Each of them once. */
function poolsOf({ slug }: ProtocolAdapter, pools: readonly Pool[]): readonly Pool[] {
  const own = pools.filter(({ protocol }) => protocol === slug)
  return [...new Map(own.map((pool) => [pool.id, pool])).values()]
}

/** Value of one share of each at this block, in the order asked; null where it cannot be read. */
export async function readSharePrices(
  task: Task,
  { positions }: { readonly positions: readonly Position[] },
): Promise<(bigint | null)[]> {
  const { chain } = task
  const prices = new Map<Position, bigint>()
  await Promise.all(
    protocols.map(async (adapter) => {
      const venue = chain.venues[adapter.slug]
      const own = positions.filter(({ protocol }) => protocol === adapter.slug)
      if (!venue || !adapter.positions || !own.length) return
      const args = { reader: task.reader, chain, venue, positions: own }
      const states = await adapter.positions.read(args).catch((error: unknown) => {
        if (isAboutTask(error)) throw error
        return []
      })
      for (const [index, state] of states.entries()) {
        const position = own[index]
        if (!position || 'message' in state || state.base?.kind !== 'sharePrice') continue
        prices.set(position, state.base.price)
      }
    }),
  )
  return positions.map((position) => prices.get(position) ?? null)
}

function unknownToken(chainId: number, address: Address): TokenFacts {
  return { chainId, address, symbol: null, name: null, decimals: null, logoUri: null }
}

/** Facts of every token that a position is, is made of, holds or pays. */
function tokenFacts(task: Task, read: Read): Promise<ReadonlyMap<Address, TokenFacts>> {
  const tokens = new Set(
    read.flatMap(({ position, state }) => [
      ...(position.token ? [position.token] : []),
      ...position.underlyingTokens,
      ...tokensOf(state),
    ]),
  )
  return task.facts.allTokenFacts(task.reader, tokens)
}

/** Tokens that its holders own and are paid. */
function tokensOf(state: PositionState | null): Address[] {
  const amounts = [...(state?.holdings ?? []), ...(state?.rewards ?? [])]
  return amounts.map(({ token }) => token)
}

/** USD per whole token; a failed look-up counts as an unknown price. */
async function readPrices(task: Task, read: Read): Promise<Map<Address, number | null>> {
  const tokens = [...new Set(read.flatMap(({ state }) => tokensOf(state)))]
  const turn = pLimit(pricesAtOnce)
  const prices = new Map<Address, number | null>()
  await Promise.all(
    tokens.map((token) =>
      turn(async () => {
        task.signal.throwIfAborted()
        try {
          const price = await task.facts.price(task.reader, token)
          prices.set(token, price?.priceUsd ?? null)
        } catch (error) {
          if (isAboutTask(error)) throw error
          prices.set(token, null)
        }
      }),
    ),
  )
  return prices
}
