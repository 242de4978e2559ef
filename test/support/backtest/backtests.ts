/** Backtests for tests: plans, and blocks of results with every kind of row. */
import type {
  AccountLimits,
  BacktestBlock,
  BacktestPlan,
  BacktestRow,
} from '../../../src/domain/backtest.js'
import type { QuoteRequest } from '../../../src/domain/engine.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'

export const quoteRequest: QuoteRequest = {
  chainId: 1,
  strategy: 'router',
  executionMode: 'backend',
  inputs: [{ token: sandboxToken('WETH').address, amount: 10n ** 18n }],
  tokensOut: [sandboxToken('USDC').address],
  limit: { kind: 'slippage', centiBps: 5_000n },
  ignoreAggregators: [],
  ignoreStandards: [],
  includeTransactionCost: false,
  includePriceImpact: true,
}

/** Whose jobs they are. */
export const account: Hex = `0x${'a'.repeat(64)}`
/** Of its jobs: more than any test adds. */
export const many: AccountLimits = { open: 1_000, stored: 1_000 }

export function planOf(change: Partial<BacktestPlan> = {}): BacktestPlan {
  return {
    name: 'a plan',
    chainId: 1,
    range: { kind: 'step', from: 10n, to: 12n, step: 1n },
    requests: [{ name: 'one', request: quoteRequest }],
    variants: [
      { name: 'default', router: {}, ignoreStandards: [] },
      { name: 'short', router: { maxHops: 1, splits: false }, ignoreStandards: ['curve'] },
    ],
    baseline: 'default',
    delays: [1, 2, 3],
    ...change,
  }
}

/** A row with a route and each kind of execution, and one without. */
export function blockOf(blockNumber: bigint): BacktestBlock {
  const found: BacktestRow = {
    blockNumber,
    request: 'one',
    variant: 'default',
    milliseconds: 12.5,
    outcome: {
      ok: true,
      amountsOut: [2n ** 200n + blockNumber, 5n],
      minAmountsOut: [2n ** 199n, 0n],
      gas: 123_456n,
      gasCost: 10n ** 15n,
      gasCostUsd: 2.5,
      gasCostOut: 2_500_000n,
      priceImpact: -0.25,
      price: null,
      path: [{ protocol: 'uniswap-v2', pool: '0xabc', shareBps: 2_500 }],
      warnings: ['one thing', 'and another'],
      crosschain: {
        bridge: 'across',
        destinationBlock: 2n ** 40n,
        bridgeFee: 10n ** 30n,
        deliveries: [
          { seconds: 1, status: 'delivered', blockNumber: 5n, amount: 2n ** 200n },
          {
            ...({ seconds: 2, status: 'fallback', blockNumber: 6n } as const),
            token: '0x5b38da6a701c568545dcfcb03fcb875f56beddc4',
            amount: 7n,
            reason: 'less',
          },
          { seconds: 3, status: 'reverted', blockNumber: 7n, reason: 'paused' },
          { seconds: 4, status: 'unknown', message: 'no block' },
        ],
      },
    },
    executions: [
      { delay: 1, status: 'filled', amountsOut: [7n, 8n], gas: 120_000n },
      { delay: 2, status: 'reverted', reason: 'too little', gas: 90_000n, warnings: ['a third'] },
      { delay: 3, status: 'unknown', message: 'no such block' },
    ],
  }
  const missed: BacktestRow = {
    blockNumber,
    request: 'one',
    variant: 'short',
    milliseconds: 1,
    outcome: {
      ok: false,
      error: { code: 'NO_ROUTE', message: 'No path.', details: { maxHops: 1 } },
    },
    executions: [],
  }
  const hash = `0x${blockNumber.toString(16).padStart(64, '0')}` as const
  return { blockNumber, blockHash: hash, timestamp: 1_700_000_000n, rows: [found, missed] }
}
