/** What an answer really delivers: its transaction is executed on an Anvil of the judge's own, in the block after. */
import type { Address, Hex } from '../../src/domain/primitives.js'
import { judge as carryOut, NotMined } from '../../test/support/execute.js'
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

export interface Judge {
  /** @returns null where the transaction reverts. */
  execute(trade: Trade, tx: { readonly to: Address; readonly data: Hex }): Promise<Delivered | null>
  close(): Promise<void>
}

/** The trader holds five million dollars of each token at the sandbox's first prices; more is dealt. */
const heldUsd = 4_500_000
const gasLimit = 30_000_000n

export function createJudge({ service, pin, gasPrice }: LeagueMarket): Judge {
  const pool = createJudgePool()
  return {
    async execute({ sizeUsd, tokenIn, tokenOut, amountIn, outPerEther }, { to, data }) {
      const lease = await pool.lease(service.nodeUrl, Number(pin.number))
      const fund = sizeUsd > heldUsd ? [{ token: tokenIn, amount: amountIn }] : []
      const executed = await carryOut(lease, {
        fund,
        nodeUrl: service.nodeUrl,
        blockNumber: Number(pin.number),
        tx: { from: trader, to, data, value: '0' },
        watch: [{ token: tokenOut, owner: trader }],
        gas: gasLimit,
      }).catch((error: unknown) => {
        if (error instanceof NotMined) return null
        throw error
      })
      if (executed?.status !== 'success') return null
      const { gasUsed: gas } = executed
      const [amountOut = 0n] = executed.deltas
      return { amountOut, gas, net: amountOut - (gas * gasPrice * outPerEther) / 10n ** 18n }
    },
    close: () => pool.close(),
  }
}
