import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { SwapAdapter, Swaps } from '../../protocols/protocol.js'
import type { MarketPool } from '../market/market-view.js'
import type { FlowEdge } from '../search/flow.js'
import { planRoute } from './plan-route.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c, executor, receiver] = ['a', 'b', 'c', '1', '2'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

/** A swap whose steps show whom it pays. */
function edge(
  tokenIn: Address,
  tokenOut: Address,
  paysRecipient = true,
  spends = 10_000,
  more: Pick<Swaps, 'canPay' | 'prepaidAt'> = {},
): FlowEdge {
  const swaps = {
    paysRecipient,
    ...more,
    encodeSwap: ({ recipient }) => [
      { kind: 'transfer', token: tokenOut, to: recipient, amount: 1n },
    ],
  } as Partial<Swaps> as Swaps
  const adapter = { slug: 'p', swaps } as Partial<SwapAdapter> as SwapAdapter
  const pool = { protocol: 'p', id: 'p', address: token('9'), tokens: [], parameters: {} }
  const market: MarketPool = { adapter, loaded: { pool, state: {}, partial: false } }
  return { hop: { kind: 'swap', tokenIn, tokenOut, market }, spends }
}

function plan(edges: readonly FlowEdge[], mayPayReceiver: boolean) {
  const { steps, paysReceiver } = planRoute({
    chain: ethereum,
    edges,
    inputs: [{ token: a, amount: 10n }],
    tokensOut: [b],
    executor,
    receiver,
    mayPayReceiver,
    helpers: {},
  })
  return { paid: steps.map((step) => step.kind === 'transfer' && step.to), paysReceiver }
}

describe('planRoute', () => {
  test('the last swap pays the receiver where it can and may', () => {
    const path = [edge(a, c), edge(c, b)]
    expect(plan(path, true)).toEqual({ paid: [executor, receiver], paysReceiver: true })
    expect(plan(path, false)).toEqual({ paid: [executor, executor], paysReceiver: false })
  })

  test('each swap is told where its steps begin, also in a longer plan', () => {
    const begins: (number | undefined)[] = []
    const twoSteps = (tokenIn: Address, tokenOut: Address): FlowEdge => {
      const own = edge(tokenIn, tokenOut)
      if (own.hop.kind !== 'swap') return own
      const { market } = own.hop
      const encodeSwap: Swaps['encodeSwap'] = ({ firstStep }) => {
        begins.push(firstStep)
        const step = { kind: 'transfer', token: tokenOut, to: executor, amount: 1n } as const
        return [step, step]
      }
      const adapter = { ...market.adapter, swaps: { ...market.adapter.swaps, encodeSwap } }
      return { ...own, hop: { ...own.hop, market: { ...market, adapter } } }
    }
    const args = {
      chain: ethereum,
      edges: [twoSteps(a, c), twoSteps(c, b)],
      inputs: [{ token: a, amount: 10n }],
      tokensOut: [b],
      executor,
      receiver,
      mayPayReceiver: true,
      helpers: {},
    }
    planRoute(args)
    planRoute({ ...args, within: { firstStep: 5, amountIn: 10n } })
    expect(begins).toEqual([0, 2, 5, 7])
  })

  test('a swap that cannot pay the one direction to others pays the Executor there', () => {
    const canPay: Swaps['canPay'] = (_pool, _state, tokenOut) => tokenOut === b
    expect(plan([edge(a, b, true, 10_000, { canPay })], true).paysReceiver).toBe(true)
    const other = { canPay: () => false }
    const paid = { paid: [executor], paysReceiver: false }
    expect(plan([edge(a, b, true, 10_000, other)], true)).toEqual(paid)
  })

  describe('an input that may be paid in advance', () => {
    const pool = token('9')
    const takes = { prepaidAt: () => pool }
    const planned = (edges: readonly FlowEdge[], mayPrepayInput = true, inputs = [a]) => {
      const { inputPaidTo, sweep } = planRoute({
        chain: ethereum,
        edges,
        inputs: inputs.map((each) => ({ token: each, amount: 10n })),
        tokensOut: [b],
        executor,
        receiver,
        mayPayReceiver: true,
        mayPrepayInput,
        helpers: {},
      })
      return { inputPaidTo, sweep }
    }

    test('goes to the pool that takes all of it, and is not left in the Executor', () => {
      const path = [edge(a, c, true, 10_000, takes), edge(c, b)]
      expect(planned(path)).toEqual({ inputPaidTo: pool, sweep: [c] })
      expect(planned(path, false)).toEqual({ inputPaidTo: null, sweep: [a, c] })
    })

    test('goes to the Executor where it is divided, one of several, or nobody accepts it', () => {
      const divided = [edge(a, b, true, 5_000, takes), edge(a, b, true, 10_000, takes)]
      const merged = [edge(a, b, true, 10_000, takes), edge(c, b)]
      expect(planned(divided).inputPaidTo).toBeNull()
      expect(planned(merged, true, [a, c]).inputPaidTo).toBeNull()
      expect(planned([edge(a, b)]).inputPaidTo).toBeNull()
    })
  })

  test('all that make an output pay the receiver, or none', () => {
    const both = [edge(a, b, true, 5_000), edge(a, b, true)]
    expect(plan(both, true)).toEqual({ paid: [receiver, receiver], paysReceiver: true })
    const mixed = [edge(a, b, true, 5_000), edge(a, b, false)]
    expect(plan(mixed, true)).toEqual({ paid: [executor, executor], paysReceiver: false })
  })
})
