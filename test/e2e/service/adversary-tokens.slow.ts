/** A token that lies in a pair that Uniswap's own factory made, and a pool without which there is no route. */
import { describe, expect, test } from 'vitest'
import { alice, ether, type Mode, usdc, weth, withAdversaries } from '../../support/adversaries.js'

const context = withAdversaries()
const amountIn = (10n * ether).toString()

describe('a token that lies', () => {
  const sale = (blockNumber: number, more: Record<string, string> = {}) =>
    context().route(blockNumber, { tokenIn: context().token, tokenOut: weth, amountIn, ...more })
  const watch = () => [
    { token: context().token, owner: alice },
    { token: weth, owner: alice },
  ]

  test('taxed in another second than that of the simulation: the sale reverts, or pays the minimum', async () => {
    const { become, mine, token } = context()
    const answer = await sale(await become(token, 'timestamp'))
    expect(answer.status, answer.text).toBe(200)
    const honest = await mine(answer, { watch: watch() })
    expect(honest).toMatchObject({ status: 'success' })
    expect(honest.deltas[1]).toBe(BigInt(answer.body.amountOut))

    const taxed = await mine(answer, { watch: watch(), blockTimeSeconds: 13 })
    expect(taxed).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
    const wide = await sale(answer.body.blockNumber, { slippage: '3000' })
    // The pair is owed exactly what was sent, so a tax that nobody saw reverts however wide the slippage is.
    const paid = await mine(wide, { watch: watch(), blockTimeSeconds: 13 })
    expect(paid).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
  })

  test.each<Mode>(['randao', 'coinbase', 'gas price', 'much gas', 'origin'])(
    'taxed but where it sees %s: the answer counts the tax, and is paid in full',
    async (mode) => {
      const { become, mine, token } = context()
      const number = await become(token, mode)
      const answer = await sale(number)
      expect(answer.status, answer.text).toBe(200)
      const done = await mine(answer, { watch: watch() })
      expect(done).toMatchObject({ status: 'success' })
      expect(done.deltas[1]).toBe(BigInt(answer.body.amountOut))
    },
  )

  test('a name and a symbol of a megabyte are in no answer', async () => {
    const { become, armBomb, token, service, client } = context()
    await become(token, 'honest')
    await armBomb(true)
    const number = Number(await client.request('eth_blockNumber', []))
    const answer = await sale(number)
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    const query = { chainId: '1', address: token, includeMetadata: 'true' }
    const listed = await service.get('/api/v1/tokens', query)
    expect(listed.text.length).toBeLessThan(10_000)
    await armBomb(false)
  })
})

describe('a pool without which there is no route', () => {
  test.each<[Mode, string]>([
    ['revert bomb', 'SIMULATION_REVERTED'],
    ['error bomb', 'SIMULATION_REVERTED'],
    ['burnt gas', 'SIMULATION_REVERTED'],
  ])('%s: a short error, and the service goes on', async (mode, code) => {
    const { become, lonelyPair, lonelyToken, route, service } = context()
    const number = await become(lonelyPair, mode)
    const trade = { tokenIn: lonelyToken, tokenOut: usdc, amountIn }
    const before = process.memoryUsage().rss
    const [answer, other] = await Promise.all([
      route(number, trade),
      service.get('/api/v1/shortcuts/quote', { tokenIn: weth, tokenOut: usdc, amountIn }),
    ])
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20)
    expect(answer.body, answer.text.slice(0, 500)).toMatchObject({ code })
    expect(answer.text.length).toBeLessThan(10_000)
    expect(other.status, other.text).toBe(200)
  })
})
