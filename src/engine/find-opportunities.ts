/**
 * Opportunities of an address or a token: the listed positions, ranked, each proven by a quote at one block.
 * Reads through the engine's own methods.
 */
import { type ChainDefinition, canonicalToken } from '../chains/chain.js'
import { defined } from '../domain/defined.js'
import type { CallContext, Engine, QuoteRequest } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Opportunity, PositionListing } from '../domain/metadata.js'
import { type Address, defaultCentiBps, isNative } from '../domain/primitives.js'
import { type Holding, type RankedOpportunity, rankOpportunities } from './opportunities.js'

/** How many of the ranking are quoted, and how many of those are returned. */
const quoted = 20
const given = 10
/** Wei that an address keeps to pay for gas. */
const gasReserve = 10n ** 16n

export interface OpportunityParts {
  readonly engine: Pick<Engine, 'balances' | 'listings' | 'prices' | 'quotes'>
  /** USD that a position must hold; null: opportunities are off. */
  readonly minTvlUsd: number | null
  /** @throws ForkrouteError UNKNOWN_CHAIN. */
  chainOf(chainId: number): ChainDefinition
}

export function createOpportunities(parts: OpportunityParts): Pick<Engine, 'opportunities'> {
  const { engine, minTvlUsd } = parts

  /** Every token with a price that the address holds. */
  async function held(chain: ChainDefinition, owner: Address, context: CallContext) {
    const asked = { chainId: chain.id, eoaAddress: owner, useEoa: true }
    const balances = await engine.balances(asked, context)
    return balances.flatMap(({ token, amount, decimals, price }): Holding[] => {
      const free = isNative(token) ? amount - gasReserve : amount
      if (price === null || free <= 0n) return []
      const canonical = canonicalToken(chain, token)
      return [{ token, canonical, amount: free, valueUsd: worth(free, decimals, Number(price)) }]
    })
  }

  /** An amount of one token; one whole token where none is given. */
  async function stated(
    chain: ChainDefinition,
    { token, amountIn }: { readonly token: Address; readonly amountIn: bigint | undefined },
    positions: readonly PositionListing[],
    context: CallContext,
  ): Promise<Holding[]> {
    const canonical = canonicalToken(chain, token)
    const facts = positions
      .flatMap(({ underlyingTokens }) => underlyingTokens)
      .find(({ address }) => address === canonical || address === token)
    // Not a token, so no position is made of it.
    if (!facts) return []
    const [price] = await engine.prices(chain.id, [token], undefined, context)
    const decimals = facts.decimals ?? price?.decimals
    if (decimals === undefined) return []
    const amount = amountIn ?? 10n ** BigInt(decimals)
    const valueUsd = price ? worth(amount, decimals, price.price) : null
    return [{ token, canonical, amount, valueUsd }]
  }

  return {
    async opportunities({ chainId, of, amountIn }, context) {
      if (minTvlUsd === null) {
        throw new ForkrouteError(
          'OPPORTUNITIES_DISABLED',
          'Opportunities are switched off here; OPPORTUNITIES=on switches them on.',
        )
      }
      const chain = parts.chainOf(chainId)
      const positions = (await engine.listings({ chainId }, context)).filter(isPosition)
      const holdings =
        of.kind === 'address'
          ? await held(chain, of.address, context)
          : await stated(chain, { token: of.address, amountIn }, positions, context)
      const ranked = rankOpportunities({ holdings, positions, minTvlUsd, limit: quoted })
      if (!ranked.length) return []
      const sender = of.kind === 'address' ? of.address : undefined
      const requests = ranked.map((one) => toQuote(chainId, one, sender))
      const { quotes } = await engine.quotes({ chainId, requests }, context)
      const open = ranked.filter((_one, index) => quotes[index]?.ok)
      return open.slice(0, given).map(toOpportunity)
    },
  }
}

function isPosition(listing: { readonly kind: string }): listing is PositionListing {
  return listing.kind === 'position'
}

/** USD of an amount in raw units. */
function worth(amount: bigint, decimals: number, priceUsd: number): number {
  return (Number(amount) / 10 ** decimals) * priceUsd
}

function toQuote(
  chainId: number,
  { holding, tokenOut }: RankedOpportunity,
  fromAddress: Address | undefined,
): QuoteRequest {
  return {
    chainId,
    ...defined({ fromAddress }),
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: holding.token, amount: holding.amount }],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: defaultCentiBps },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: false,
    includePriceImpact: false,
  }
}

function toOpportunity({ holding, tokenOut }: RankedOpportunity): Opportunity {
  return { tokenIn: holding.token, tokenOut, amountIn: holding.amount }
}
