/** What deliveries would give on the destination, by native math alone: an estimate that lanes are compared by. */
import { canonicalToken } from '../../chains/chain.js'
import type { RouteRequest } from '../../domain/engine.js'
import { at, zip } from '../../domain/lists.js'
import { type Address, bpsDenominator, type TokenAmount } from '../../domain/primitives.js'
import { quoteSender } from '../../executor/deployments.js'
import type { Estimate } from '../../routing/crosschain/estimate.js'
import { feeThere, type JourneyParts } from './journey-answer.js'
import type { Way } from './ways.js'

/**
 * Of each search, to compare lanes by and to prove one: as many of a lane whatever others there are, so that a lane gives
 * the same in every mode.
 */
export const candidates = 3

/** As a quote that stays on the destination. */
export function askedThere(
  { request, there }: AskedThere,
  input: TokenAmount,
  tokenOut: Address,
): RouteRequest {
  return {
    chainId: there.chain.id,
    fromAddress: quoteSender,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [input],
    tokensOut: [tokenOut],
    limit: { kind: 'slippage', centiBps: 0n },
    ignoreAggregators: request.ignoreAggregators,
    ignoreStandards: request.ignoreStandards,
    includeTransactionCost: false,
    includePriceImpact: false,
    router: { candidates },
    ...(request.poolChoice && { poolChoice: request.poolChoice }),
  }
}

interface AskedThere extends Pick<JourneyParts, 'there'> {
  readonly request: Pick<RouteRequest, 'ignoreAggregators' | 'ignoreStandards' | 'poolChoice'>
}

/** What comes of a delivery, by estimate. */
interface Prospect {
  readonly amounts: readonly TokenAmount[]
  /** Rough, of the swaps alone. */
  readonly gas: bigint
}

export class Prospects {
  constructor(private readonly parts: JourneyParts) {}

  /**
   * Reads the destination's market, and has its fork run it, while the source is at work: of amounts that are worth what
   * goes in. Nothing depends on it.
   */
  warm(ways: readonly Way[]): void {
    const { tasks, context, here, there, request } = this.parts
    const usd = request.inputs.reduce((sum, { token, amount }) => {
      const price = here.prices.get(token)
      return sum + (price ? (Number(amount) / 10 ** price.decimals) * price.priceUsd : 0)
    }, 0)
    const ends = new Set(ways.map(({ lane }) => this.#canonical(lane.tokenOut)))
    for (const token of ends) {
      const price = there.prices.get(token)
      const worth = price ? (usd / price.priceUsd) * 10 ** price.decimals : 0
      for (const { token: tokenOut, shareBps } of this.#wanted()) {
        const amount = (BigInt(Math.floor(worth)) * shareBps) / bpsDenominator
        if (amount === 0n || token === this.#canonical(tokenOut)) continue
        const asked = askedThere(this.parts, { token, amount }, tokenOut)
        const args = { mode: 'quote' as const, request: asked, accountId: context.accountId }
        tasks.runAt('route', args, there.pin, context).catch(() => undefined)
      }
    }
  }

  /** What amounts delivered would give of each token that is asked for; absent where no way is found. */
  async of(deliveries: readonly (readonly [Way, bigint])[]): Promise<ReadonlyMap<Way, Prospect>> {
    const fee = feeThere(this.parts)
    const left = ([way, amount]: readonly [Way, bigint]) =>
      fee && way.runsOrder ? amount - (amount * fee.bps) / bpsDenominator : amount
    const found = new Map<Way, Prospect>(deliveries.map(([way]) => [way, { amounts: [], gas: 0n }]))
    const tokens = new Set(deliveries.map(([{ lane }]) => this.#canonical(lane.tokenOut)))
    for (const { token, shareBps } of this.#wanted()) {
      // One after the other, so that amounts stand in the order of the tokens.
      await Promise.all(
        [...tokens].map(async (tokenIn) => {
          const group = deliveries.filter(
            ([{ lane }]) => this.#canonical(lane.tokenOut) === tokenIn,
          )
          const amounts = group.map((one) => (left(one) * shareBps) / bpsDenominator)
          const given = await this.#given(tokenIn, token, amounts)
          for (const [[way], one] of zip(group, given)) {
            const before = found.get(way)
            if (one === null) found.delete(way)
            else if (before) {
              const amounts = [...before.amounts, { token, amount: one.amountOut }]
              found.set(way, { amounts, gas: before.gas + one.gas })
            }
          }
        }),
      )
    }
    return found
  }

  /** For each amount; null where no way is found. */
  async #given(
    tokenIn: Address,
    tokenOut: Address,
    amounts: readonly bigint[],
  ): Promise<readonly (Estimate | null)[]> {
    const { tasks, context, there } = this.parts
    const isNothing = amounts.every((amount) => amount === 0n)
    if (isNothing || tokenIn === this.#canonical(tokenOut)) {
      return amounts.map((amountOut) => ({ amountOut, gas: 0n }))
    }
    const request = askedThere(this.parts, { token: tokenIn, amount: at(amounts, 0) }, tokenOut)
    return tasks.runAt('prospects', { request, amounts }, there.pin, context)
  }

  #canonical(token: Address): Address {
    return canonicalToken(this.parts.there.chain, token)
  }

  /** Tokens that are asked for, or that the position is made of, and the part of what is delivered for each. */
  #wanted(): { readonly token: Address; readonly shareBps: bigint }[] {
    const { position, request } = this.parts
    return request.tokensOut.map((token, index) => {
      return { token, shareBps: BigInt(position?.shares[index] ?? bpsDenominator) }
    })
  }
}
