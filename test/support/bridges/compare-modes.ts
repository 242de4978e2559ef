/** Whether `full` gives at least what every other mode gives, after gas and messaging on the source. */
import type { SandboxPlan } from '../../../src/sandbox/plans/plan.js'
import type { TestService } from '../service/service.js'
import { modes, type RandomRoute } from './random-routes.js'

/** Of what comes out: prices have sixteen digits, so that less is noise. */
const noiseBps = 1e-6

interface Given {
  readonly mode: (typeof modes)[number]
  /** USD of what the receiver gains. */
  readonly gained: number
  /** USD of that, less gas and messaging. */
  readonly usd: number
  /** Bridge, and the token that it takes. */
  readonly lane: string
}

export interface Compared {
  /** Modes with an answer, in their order. */
  readonly answered: readonly Given['mode'][]
  readonly full: Given
  /** The best of the others. */
  readonly other: Given
  /** By how much that is better than `full`, of what comes out; 0 where it is not. */
  readonly worseBps: number
}

/** Null where `full`, or every other mode, has no answer. */
export async function compareModes(
  service: TestService,
  { to, query }: Pick<RandomRoute, 'to' | 'query'>,
): Promise<Compared | null> {
  const given: Given[] = []
  for (const mode of modes) {
    const asked = { ...query, crosschainRouteMode: mode, includeTransactionCost: 'true' }
    const { status, body } = await service.get('/api/v1/shortcuts/route', asked)
    if (status !== 200) continue
    const gained = await usdOf(service, to, {
      token: query.tokenOut ?? '',
      amount: BigInt(body.amountOut),
      blockNumber: body.destinationBlockNumber,
    })
    const usd = gained - Number(body.gasCost.usd) - Number(body.bridgeFee.usd)
    given.push({ mode, gained, usd, lane: laneOf(body.route) })
  }
  const full = given.find(({ mode }) => mode === 'full')
  const [other] = given.filter((one) => one !== full).toSorted((a, b) => b.usd - a.usd)
  if (!full || !other) return null
  const worseBps = ((other.usd - full.usd) / other.gained) * 10_000
  const answered = given.map(({ mode }) => mode)
  return { answered, full, other, worseBps: worseBps > noiseBps ? worseBps : 0 }
}

interface Step {
  readonly action: string
  readonly protocol: string
  readonly tokenIn: readonly string[]
}

function laneOf(steps: readonly Step[]): string {
  const crossing = steps.find(({ action }) => action === 'bridge')
  return `${crossing?.protocol} ${crossing?.tokenIn}`
}

/**
 * By the service's own price at the block, as gas and messaging are told, where it has one: another price would say which of
 * two lanes that are near each other is better.
 */
async function usdOf(
  service: TestService,
  { market }: SandboxPlan,
  what: { readonly token: string; readonly amount: bigint; readonly blockNumber: number },
): Promise<number> {
  const { token, amount, blockNumber } = what
  const { decimals, priceUsdE12 } =
    market.tokens.find(({ address }) => address === token) ?? market.token('WETH')
  const path = `/api/v1/prices/${market.chain.id}/${token}`
  const { status, body } = await service.get(path, { blockNumber: String(blockNumber) })
  const price: number = status === 200 ? body.price : Number(priceUsdE12) / 1e12
  return (Number(amount) / 10 ** decimals) * price
}
