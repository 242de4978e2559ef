/** Candidates and their simulations as the choice among them sees them, without a chain. */
import { encodeAbiParameters } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { latestDeadline } from '../../../src/domain/deadline.js'
import type { RouteRequest } from '../../../src/domain/engine.js'
import { tokenAmounts } from '../../../src/domain/lists.js'
import type { Order } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { SimulationResult, SimulationSuccess } from '../../../src/domain/state.js'
import { buildTransaction } from '../../../src/executor/compile.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import type { PricedToken } from '../../../src/routing/market/valuation.js'
import type { Doubt } from '../../../src/routing/market/verified.js'
import type { Attempt, Built } from '../../../src/routing/route/built.js'

export const token = (digit: string): Address => `0x${digit.repeat(40)}`
export const [tokenIn, out, second, sender, receiver] = ['a', 'b', 'c', '1', '2'].map(token) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
export const amountIn = 1_000n

/** Of the one input into the first output. */
export const request: RouteRequest = {
  chainId: 1,
  fromAddress: sender,
  strategy: 'router',
  executionMode: 'user',
  inputs: [{ token: tokenIn, amount: amountIn }],
  tokensOut: [out],
  receiver,
  limit: { kind: 'slippage', centiBps: 5_000n },
  ignoreAggregators: [],
  ignoreStandards: [],
  includeTransactionCost: false,
  includePriceImpact: false,
}

/** A candidate of so many swaps from tokenIn to the outputs, known by its key. @param doubt - about its one pool. */
export function built(
  key: string,
  {
    outputs = [out],
    steps = 1,
    doubt,
  }: { readonly outputs?: Address[]; readonly steps?: number; readonly doubt?: Doubt } = {},
): Built {
  const order: Order = {
    inputs: [{ token: tokenIn, amount: amountIn }],
    feeReceiver: sender,
    steps: [],
    outputs: outputs.map((each) => ({ token: each, minAmountOut: 0n })),
    receiver,
    refundReceiver: receiver,
    sweep: [],
    deadline: latestDeadline,
    accountId: `0x${'0'.repeat(64)}`,
    referralCode: `0x${'0'.repeat(32)}`,
  }
  return {
    simulationState: { before: [], overrides: {} },
    taken: order.inputs,
    permit: undefined,
    prepaysInput: false,
    candidate: {
      edges: [
        {
          hop: doubt
            ? { kind: 'swap', tokenIn, tokenOut: out, market: { doubt } as MarketPool }
            : { kind: 'wrap', tokenIn, tokenOut: out },
          spends: 10_000,
        },
      ],
      amountOut: 1n,
      exact: true,
      gas: 0n,
      isSplit: false,
      key,
    },
    plan: { steps: Array.from({ length: steps }) } as unknown as Built['plan'],
    order,
    legs: null,
    entryPoint: 'execute',
    dataFee: { terms: null, wei: 0n },
    tx: buildTransaction({ strategy: 'router', from: sender, order }),
  }
}

/** A candidate whose simulation gave these amounts. */
export function success(
  one: Built,
  amounts: readonly bigint[],
  gasUsed = 0n,
): Attempt<SimulationSuccess> {
  const returnData = encodeAbiParameters([{ type: 'uint256[]' }], [amounts])
  return {
    built: one,
    result: { status: 'success', gasUsed, returnData, logs: [], deltas: [] },
    outputs: tokenAmounts(
      one.order.outputs.map(({ token: each }) => each),
      amounts,
    ),
  }
}

export const reverted = (reason: string): SimulationResult => ({
  status: 'reverted',
  gasUsed: 1n,
  returnData: '0x',
  reason,
})

export const noPrices = new Map<Address, PricedToken>()
export const task = { chain: ethereum, gasPrice: 2n }
export const keysOf = (list: readonly Attempt[]) => list.map(({ built }) => built.candidate.key)
