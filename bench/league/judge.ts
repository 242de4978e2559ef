/** What an answer really delivers: its transaction is executed on an Anvil of the judge's own, in the block after. */
import type { Address, Hex } from '../../src/domain/primitives.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { judge as carryOut, type ExecuteArgs, NotMined } from '../../test/support/execute.js'
import { createJudgePool } from '../../test/support/judges.js'
import { type LeagueMarket, type Missing, trader } from './market.js'
import type { Trade } from './trades.js'

export interface Delivered {
  /** Raw units of tokenOut. */
  readonly amountOut: bigint
  readonly gas: bigint
  /**
   * What is compared, before gas: raw units of tokenOut, or, of an exact output, those of tokenIn that the stated amount
   * costs at the rate of what was delivered.
   */
  readonly compared: bigint
  /** More is better: the output less gas, or what is spent, gas included, below zero. */
  readonly net: bigint
}

export interface Verdict {
  /** Null where the transaction reverts, or cannot be judged. */
  readonly delivered: Delivered | null
  /** Why it cannot be judged: the market lacks state of these contracts, and it needs that. */
  readonly unjudged?: readonly Missing[]
}

/** A transaction that spends so much of tokenIn. */
export interface Executable {
  readonly tx: { readonly to: Address; readonly data: Hex }
  /** Raw units. */
  readonly amountIn: bigint
}

export interface Judge {
  execute(trade: Trade, answer: Executable): Promise<Verdict>
  close(): Promise<void>
}

const gasLimit = 30_000_000n

export function createJudge(market: LeagueMarket): Judge {
  const { service, pin, gasPrice } = market
  const pool = createJudgePool()
  return {
    async execute(trade, { tx, amountIn }) {
      await market.missingState()
      const lease = await pool.lease(service.nodeUrl, Number(pin.number))
      let unjudged: readonly Missing[] = []
      const executed = await carryOut(lease, {
        ...fundsFor(market, trade, amountIn),
        nodeUrl: service.nodeUrl,
        blockNumber: Number(pin.number),
        tx: { from: trader, to: tx.to, data: tx.data, value: '0' },
        watch: [{ token: trade.tokenOut, owner: trader }],
        gas: gasLimit,
      }).catch(async (error: unknown) => {
        unjudged = await market.missingState()
        if (unjudged.length || error instanceof NotMined) return null
        throw error
      })
      if (unjudged.length) return { unjudged, delivered: null }
      if (executed?.status !== 'success') return { delivered: null }
      const { gasUsed: gas } = executed
      const [amountOut = 0n] = executed.deltas
      const gasCost = (gas * gasPrice * trade.perEther) / 10n ** 18n
      if (trade.exact === 'input') {
        return { delivered: { amountOut, gas, compared: amountOut, net: amountOut - gasCost } }
      }
      if (amountOut === 0n) return { delivered: null }
      const compared = (amountIn * trade.amount) / amountOut
      return { delivered: { amountOut, gas, compared, net: -compared - gasCost } }
    },
    close: () => pool.close(),
  }
}

/** What the trader lacks is dealt, and allowed where it has allowed nothing. */
function fundsFor(
  { heldUsd }: LeagueMarket,
  { sizeUsd, tokenIn, exact }: Trade,
  amountIn: bigint,
): Pick<ExecuteArgs, 'fund' | 'approve'> {
  const fund = [{ token: tokenIn, amount: amountIn }]
  if (heldUsd === null) return { fund, approve: contractAddress('Router') }
  // What an exact output costs may be far more than what it is worth.
  return sizeUsd > heldUsd || exact === 'output' ? { fund } : {}
}
