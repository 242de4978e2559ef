/** What an answer really delivers: its transaction is executed on an Anvil of the judge's own, in the block after. */
import type { Address, Hex } from '../../src/domain/primitives.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { type ExecuteArgs, judge as carryOut, NotMined } from '../../test/support/execute.js'
import { createJudgePool } from '../../test/support/judges.js'
import { type LeagueMarket, trader } from './market.js'
import type { Trade } from './trades.js'

export interface Delivered {
  /** Raw units of tokenOut, before gas. */
  readonly amountOut: bigint
  readonly gas: bigint
  /** amountOut less gas. */
  readonly net: bigint
}

export interface Verdict {
  /** Null where the transaction reverts, or cannot be judged. */
  readonly delivered: Delivered | null
  /** Why it cannot be judged: the market lacks state that it needs. */
  readonly unjudged?: string
}

export interface Judge {
  execute(trade: Trade, tx: { readonly to: Address; readonly data: Hex }): Promise<Verdict>
  close(): Promise<void>
}

const gasLimit = 30_000_000n

export function createJudge(market: LeagueMarket): Judge {
  const { service, pin, gasPrice } = market
  const pool = createJudgePool()
  return {
    async execute(trade, { to, data }) {
      await market.missingState()
      const lease = await pool.lease(service.nodeUrl, Number(pin.number))
      let unjudged: string | undefined
      const executed = await carryOut(lease, {
        ...fundsFor(market, trade),
        nodeUrl: service.nodeUrl,
        blockNumber: Number(pin.number),
        tx: { from: trader, to, data, value: '0' },
        watch: [{ token: trade.tokenOut, owner: trader }],
        gas: gasLimit,
      }).catch(async (error: unknown) => {
        unjudged = (await market.missingState()).join(', ') || undefined
        if (unjudged || error instanceof NotMined) return null
        throw error
      })
      if (unjudged) return { unjudged, delivered: null }
      if (executed?.status !== 'success') return { delivered: null }
      const { gasUsed: gas } = executed
      const [amountOut = 0n] = executed.deltas
      const net = amountOut - (gas * gasPrice * trade.outPerEther) / 10n ** 18n
      return { delivered: { amountOut, gas, net } }
    },
    close: () => pool.close(),
  }
}

/** What the trader lacks is dealt, and allowed where it has allowed nothing. */
function fundsFor(
  { heldUsd }: LeagueMarket,
  { sizeUsd, tokenIn, amountIn }: Trade,
): Pick<ExecuteArgs, 'fund' | 'approve'> {
  const fund = [{ token: tokenIn, amount: amountIn }]
  if (heldUsd === null) return { fund, approve: contractAddress('Router') }
  return sizeUsd > heldUsd ? { fund } : {}
}
