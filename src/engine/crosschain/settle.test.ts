import { LRUCache } from 'lru-cache'
import { describe, expect, test } from 'vitest'
import { pinOf } from '../../../test/support/pin.js'
import type { Delivery, DeliveryTerms } from '../../bridges/bridge.js'
import { bridges } from '../../bridges/registry.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import type { BundleResult, TypedBundle } from '../../domain/bundle.js'
import { at } from '../../domain/lists.js'
import { type Address, type Hex, lessSlippage } from '../../domain/primitives.js'
import type { DestinationLeg } from '../../routing/crosschain/destination-task.js'
import type { SourceLeg, SourceLegArgs } from '../../routing/crosschain/source-task.js'
import type { CrosschainPlan, DestinationPlan } from './plan.js'
import { firstSends, Settlement } from './settle.js'
import type { Side } from './sides.js'

const receiver: Address = '0x00000000000000000000000000000000000000b0'
const token: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const lane = at(
  bridges.flatMap((bridge) => bridge.lanes(ethereum, base)),
  0,
)
const word: Hex = `0x${'11'.repeat(32)}`
const centiBps = 5_000n
const limit = { kind: 'slippage', centiBps } as const
const bundle: TypedBundle = {
  chainId: 1,
  fromAddress: receiver,
  strategy: 'router',
  executionMode: 'backend',
  actions: [],
  ignoreAggregators: [],
  ignoreStandards: [],
  skipQuote: false,
}

const side = (chain: Side['chain'], number: number): Side => ({
  chain,
  pin: pinOf(chain.id, number),
  gasPrice: 1n,
  kinds: new Map(),
  prices: new Map(),
})
const source = side(ethereum, 10)
const destination = side(base, 20)

const result: BundleResult = {
  chainId: 1,
  gas: 100n,
  outputs: [],
  payments: [],
  inputs: [],
  maximums: [],
  route: [],
  block: source.pin,
  tx: { from: receiver, to: receiver, data: '0x', value: 0n },
  priceImpact: null,
  prerequisites: [],
  unprotected: [],
  fees: [],
  warnings: [],
}

const planTo = (to: DestinationPlan): CrosschainPlan => ({
  lane,
  runsOrder: to.kind === 'order',
  swapsOnDestination: false,
  source: { kind: 'bundle', request: bundle },
  destination: to,
  centiBps,
})
const payment = planTo({ kind: 'payment', tokens: [token], limit })
const order = planTo({
  kind: 'order',
  order: { kind: 'actions', request: bundle },
  tokens: null,
  limit,
  entersPosition: false,
})

interface Chains {
  /** Raw units that a source leg sends; 0 is the first of them, which is an estimate. */
  sent(leg: number, args: SourceLegArgs): bigint
  /** Raw units that the receiver gains of an amount delivered. */
  gained?(amount: bigint): bigint
  /** What a delivery without an order ends as; absent: the receiver is paid. */
  readonly fallback?: 'reverted'
}

/**
 * Both chains as these rules, and what was asked of them: deliveries also where they are expected, before they are sent.
 *
 * @param expected - raw units that the source is expected to send, before it has sent any.
 */
function settle(
  plan: CrosschainPlan,
  { sent, gained = (amount) => amount, fallback }: Chains,
  expected?: bigint,
) {
  const legs: SourceLegArgs[] = []
  const planned: { amount: bigint; gas: bigint }[] = []
  const delivered: bigint[] = []
  const payable = new LRUCache<string, true>({ max: 10 })
  const settlement = new Settlement({
    source,
    destination,
    receiver,
    payable,
    accountId: '0x01',
    tasks: {
      async runSource(args): Promise<SourceLeg> {
        const amount = sent(legs.length, args)
        legs.push(args)
        return {
          result,
          gas: 100n,
          inputs: [],
          nativeFee: 0n,
          sent: args.sends.map(({ terms }) => ({
            delivery: deliveryOf(amount, terms),
            nativeFee: 0n,
          })),
          knownRoutes: [],
        }
      },
      async runDestination({ delivery: { amount }, gas }): Promise<DestinationLeg> {
        planned.push({ amount, gas })
        const amountOut = gained(amount)
        return {
          message: `0x${'00'.repeat(96)}`,
          touched: { tokens: [], approvals: [] },
          outputs: [{ token, amountOut, minAmountOut: lessSlippage(amountOut, centiBps) }],
          gas: 200_000n,
          sent: [],
          route: [],
          warnings: [],
          payments: [],
          unprotected: [],
          knownRoutes: [],
        }
      },
      async deliver({ delivery: { amount }, tokens, gas }) {
        if (tokens.length === 0) {
          return fallback
            ? { status: fallback, reason: 'blacklisted', gas }
            : { status: 'fallback', paid: { token, amount }, reason: 'no order', gas }
        }
        delivered.push(amount)
        return {
          status: 'delivered',
          gained: [{ token, amount: gained(amount) }],
          sent: [],
          gas: 150_000n,
        }
      },
      deliverAt: () => Promise.reject(new Error('No other block is asked for.')),
    },
  })
  if (expected !== undefined) {
    const [terms] = firstSends([{ ...plan, to: destination, receiver, action: 0, onward: [] }])
    if (terms) settlement.expect(plan, deliveryOf(expected, terms.terms))
  }
  return { settling: settlement.settle(plan), legs, planned, delivered }
}

function deliveryOf(amount: bigint, { message }: DeliveryTerms): Delivery {
  return {
    bridge: lane.bridge,
    id: '1',
    sourceChainId: 1,
    destinationChainId: 8453,
    token,
    amount,
    sender: receiver,
    receiver,
    message,
    details: {
      symbol: lane.symbol,
      guid: word,
      nonce: '1',
      srcEid: 30_101,
      sender: lane.primary,
      receiver: lane.primary,
      payload: `0x${'00'.repeat(40)}`,
      composed: '0x',
      composeGas: '0',
      composeValue: '0',
    },
  }
}

const leastOf = ({ sends }: SourceLegArgs) => at(sends, 0).least

describe('a payment by the bridge', () => {
  test('is settled in one round where what is sent stays the same, with the minimum on the source', async () => {
    const { settling, legs } = settle(payment, { sent: () => 1_000_000n })
    const { outputs, destination: leg } = await settling
    expect(outputs).toEqual([{ token, amountOut: 1_000_000n, minAmountOut: 995_000n }])
    expect(leg).toBeNull()
    expect(legs.map(leastOf)).toEqual([0n, 995_000n])
    expect(legs.map(({ estimateOnly }) => estimateOnly)).toEqual([true, false])
  })

  test('is sent again with the minimum of what the round before has delivered', async () => {
    const { settling, legs } = settle(payment, {
      sent: (leg) => (leg === 0 ? 1_000_000n : 900_000n),
    })
    expect((await settling).outputs).toEqual([
      { token, amountOut: 900_000n, minAmountOut: 895_500n },
    ])
    expect(legs.map(leastOf)).toEqual([0n, 995_000n, 895_500n])
  })

  test('that changes with its own minimum is no answer after four rounds', async () => {
    const { settling, legs } = settle(payment, { sent: (leg) => 1_000_000n - BigInt(leg) * 1_000n })
    await expect(settling).rejects.toThrow('What is delivered changes with its own minimum.')
    expect(legs).toHaveLength(5)
  })
})

describe('an order on the destination', () => {
  test('is planned once where it is planned for what is sent, with half of the tolerance on the source', async () => {
    const { settling, legs, planned, delivered } = settle(order, { sent: () => 1_000_000n })
    const { outputs } = await settling
    expect(outputs).toEqual([{ token, amountOut: 1_000_000n, minAmountOut: 995_000n }])
    expect(planned).toEqual([{ amount: 1_000_000n, gas: 3_000_000n }])
    expect(delivered).toEqual([1_000_000n, 1_000_000n])
    expect(legs.map(({ sends }) => at(sends, 0).centiBps)).toEqual([centiBps / 2n, centiBps / 2n])
    // The gas that the order was measured to need, with room.
    expect(legs.at(-1)?.sends[0]?.terms.message.slice(66, 130)).toBe(
      (380_000).toString(16).padStart(64, '0'),
    )
  })

  test('is planned while the source is at work, for what that is expected to send, and not again', async () => {
    const { settling, planned } = settle(order, { sent: () => 1_000_000n }, 1_000_000n)
    expect(planned).toEqual([{ amount: 1_000_000n, gas: 3_000_000n }])
    const { outputs } = await settling
    expect(outputs).toEqual([{ token, amountOut: 1_000_000n, minAmountOut: 995_000n }])
    expect(planned).toHaveLength(1)
  })

  test('is planned for what is sent, where that is not what was expected', async () => {
    const { settling, planned } = settle(order, { sent: () => 999_999n }, 1_000_000n)
    expect((await settling).outputs).toMatchObject([{ amountOut: 999_999n }])
    expect(planned.map(({ amount }) => amount)).toEqual([1_000_000n, 999_999n])
  })

  test('is planned anew for another amount, before that is delivered', async () => {
    const { settling, planned, delivered } = settle(order, {
      sent: (leg) => (leg === 0 ? 1_000_000n : 990_000n),
    })
    expect((await settling).outputs).toMatchObject([{ amountOut: 990_000n }])
    expect(planned.map(({ amount }) => amount)).toEqual([1_000_000n, 990_000n])
    // The first is what was expected before the source had sent less.
    expect(delivered).toEqual([1_000_000n, 990_000n, 990_000n])
  })

  test('whose amount follows from its own message alone ends in the third round at the latest', async () => {
    const { settling, legs } = settle(order, {
      sent(_leg, { sends }) {
        const { terms } = at(sends, 0)
        return 1_000_000n - BigInt(terms.message.length) - terms.gas
      },
    })
    await settling
    expect(legs.length).toBeLessThanOrEqual(3)
  })

  test('whose fallback cannot be paid is refused, though the order could run', async () => {
    const { settling } = settle(order, { sent: () => 1_000_000n, fallback: 'reverted' })
    await expect(settling).rejects.toThrow(
      `The receiver ${receiver} cannot be paid ${token} on chain 8453: blacklisted; it would be if the order failed there.`,
    )
  })
})
