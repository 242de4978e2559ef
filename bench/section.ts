/** What a part of the bench reports, and the request that all parts ask. */
import type { RouteRequest } from '../src/domain/engine.js'
import { quoteSender } from '../src/executor/deployments.js'

export interface Section {
  readonly name: string
  /** One line for docs/explanation/benchmarks.md: what is measured, and its limits. */
  readonly about?: string
  readonly rows: Record<string, string | number>[]
}

/** One WETH into USDC. */
export const exampleQuote: RouteRequest = {
  chainId: 1,
  fromAddress: quoteSender,
  strategy: 'router',
  executionMode: 'backend',
  inputs: [{ token: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', amount: 10n ** 18n }],
  tokensOut: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  limit: { kind: 'slippage', centiBps: 5_000n },
  ignoreAggregators: [],
  ignoreStandards: [],
  includeTransactionCost: false,
  includePriceImpact: true,
}

/** @param sorted - ascending. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}
