/** Two pairs of one token and the wrapped native token, a quote between them, and what simulations of it give. */
import { encodeAbiParameters } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { RouteRequest } from '../../../src/domain/engine.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../../src/domain/state.js'
import { quoteSender } from '../../../src/executor/deployments.js'
import { constantProductOut } from '../../../src/protocols/uniswap-v2/math.js'
import type { RouteArgs } from '../../../src/routing/route/prepare.js'
import type { Pair } from './plain-task.js'

export const weth = ethereum.wrappedNative
export const token: Address = '0x00000000000000000000000000000000000000a1'
/** A token that no pair holds. */
export const unpaired: Address = '0x00000000000000000000000000000000000000a2'
export const amountIn = 10n ** 18n

const pair = (address: Address, reserve: bigint): Pair => ({
  address,
  tokens: [token, weth],
  reserves: [reserve, reserve],
})
export const deepPair = pair('0x00000000000000000000000000000000000000d1', 10n ** 21n)
export const shallowPair = pair('0x00000000000000000000000000000000000000d2', 10n ** 20n)

/** A quote of one wrapped native token for the other, by one path at a time. */
export function quoteArgs(changes: Partial<RouteRequest> = {}): RouteArgs {
  const request: RouteRequest = {
    chainId: 1,
    fromAddress: quoteSender,
    strategy: 'router',
    executionMode: 'backend',
    inputs: [{ token: weth, amount: amountIn }],
    tokensOut: [token],
    limit: { kind: 'slippage', centiBps: 5_000n },
    ignoreAggregators: [],
    ignoreStandards: [],
    includeTransactionCost: false,
    includePriceImpact: false,
    router: { splits: false },
    ...changes,
  }
  return { mode: 'quote', request, accountId: `0x${'0'.repeat(64)}` }
}

export const passes = ({ data }: SimulationRequest, { address }: Pair) =>
  data.includes(address.slice(2))

/** Whether it is the transaction that may be returned, with its minimum, and not the proof of a candidate. */
export const isFinal = ({ logsNative }: SimulationRequest) => logsNative === true

/** What the pairs of the transaction give by their own formula. */
export function honest(request: SimulationRequest): SimulationResult {
  const used = [deepPair, shallowPair].find((one) => passes(request, one))
  return gives(used ? constantProductOut(amountIn, used.reserves[1], used.reserves[0], 30n) : 0n)
}

/** A transaction that took this much gas and gave the amount, raw units. */
export function gives(amount: bigint, gasUsed = 100_000n): SimulationResult {
  return {
    status: 'success',
    gasUsed,
    returnData: encodeAbiParameters([{ type: 'uint256[]' }], [[amount]]),
    logs: [],
    deltas: [{ token, owner: quoteSender, amount }],
  }
}
