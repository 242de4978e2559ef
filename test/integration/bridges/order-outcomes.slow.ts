/** What became of an order, where its message is not the only one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stargate } from '../../../src/bridges/stargate/index.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { across, arrive, decimalsOf, orderTerms } from '../../support/bridges/orders.js'
import { laneOf, sendTransfer, statusAt } from '../../support/bridges/transfer.js'
import { type Connected, startTwoChains } from '../../support/bridges/two-chains.js'

let chains: readonly [Connected, Connected]

beforeAll(async () => {
  chains = await startTwoChains()
})
afterAll(() => Promise.all((chains ?? []).map(({ anvil }) => anvil.stop())))

test.each([stargate, across])(
  '$slug: the same message a second time, below its minimum: in flight until events tell, then failed, and unknown without any',
  async (adapter) => {
    const [source, destination] = chains
    const lane = laneOf(adapter, chains, 'USDC')
    const terms = orderTerms(destination, lane, 95n * 10n ** decimalsOf(destination, 'USDC'))
    const sent = (whole: bigint) => {
      const amountIn = whole * 10n ** decimalsOf(source, 'USDC')
      return sendTransfer({ adapter, chains, lane, terms, amountIn })
    }
    const first = await sent(100n)
    await arrive(adapter, chains, first.mined, true)
    expect((await statusAt(adapter, destination, first.delivery)).status).toBe('delivered')
    const seen = BigInt(await destination.anvil.rpc<Hex>('eth_blockNumber'))

    const second = await sent(90n)
    expect(second.delivery.message).toBe(first.delivery.message)
    const last = await arrive(adapter, chains, second.mined, true)
    const lagging = await statusAt(adapter, destination, second.delivery, { logs: seen })
    expect(lagging).toMatchObject({ status: 'inflight', transactionHash: null })
    expect(lagging.error).toMatch(/events .* not there yet/)
    expect(await statusAt(adapter, destination, second.delivery)).toMatchObject({
      status: 'failed',
      transactionHash: last.hash,
    })
    expect((await statusAt(adapter, destination, first.delivery)).status).toBe('delivered')
    // The contract that the first order has left says nothing of the second one's.
    for (const { delivery } of [first, second]) {
      const untold = await statusAt(adapter, destination, delivery, { logs: false })
      expect(untold).toMatchObject({ status: 'unknown', transactionHash: null })
      expect(untold.error).toMatch(/has arrived.* only events tell/)
    }
  },
)
