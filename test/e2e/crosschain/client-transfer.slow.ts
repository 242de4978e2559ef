/** A route over a bridge as the client carries it out and follows it, on the sandbox with its relayer. */
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createForkrouteClient } from '../../../src/client/client.js'
import type { BridgeName } from '../../../src/domain/bridges/names.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { allBut } from '../../support/bridges/all-but.js'
import { type RelayedService, startRelayedService } from '../../support/bridges/relayed-service.js'
import type { TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'

let relayed: RelayedService
let service: TestService
beforeAll(async () => {
  relayed = await startRelayedService([1, 8453])
  ;({ service } = relayed)
})
afterAll(() => relayed?.stop())

function walletOfAlice() {
  const node = relayed.sandboxes.find(({ chainId }) => chainId === 1)
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: relayed.on(1).client.chain,
    transport: http(node?.url),
  })
}

test.each([
  ['across', allBut('across'), { tokenIn: nativeToken, tokenOut: usdcThere, amountIn: 10n ** 18n }],
  ['stargate', allBut('stargate'), { tokenIn: usdc, tokenOut: aero, amountIn: 300_000_000n }],
] as const)(
  '%s: execute sends, track follows until it is delivered, and what was promised arrives',
  async (bridge, other, { tokenIn, tokenOut, amountIn }) => {
    const forkroute = createForkrouteClient({ url: service.url, key: service.key })
    const before = await relayed.on(8453).balance(tokenOut, alice)
    await relayed.relay('hold')
    const route = await forkroute.route({
      chainId: 1,
      destinationChainId: 8453,
      fromAddress: alice,
      ignoreBridges: other.split(',') as BridgeName[],
      tokenIn: [tokenIn],
      tokenOut: [tokenOut],
      amountIn: [amountIn],
      executionMode: 'backend',
    })
    const done = await forkroute.execute(walletOfAlice(), route)
    expect(done).toMatchObject({ amountsOut: [null], receipt: { status: 'success' } })

    const states = []
    const following = forkroute.track({ bridge, chainId: 1, txHash: done.hash })
    for await (const state of following) {
      states.push(state.status)
      if (state.status === 'inflight') await relayed.relay('deliver')
      if (state.status !== 'delivered') continue
      expect(state).toMatchObject({
        destinationChainId: 8453,
        destinationTxHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
    }
    expect(states[0]).toBe('inflight')
    expect(states.at(-1)).toBe('delivered')
    const gained = (await relayed.on(8453).balance(tokenOut, alice)) - before
    expect(gained).toBe([route.amountOut].flat()[0])
  },
)

test('trackTransfers finds what an account has sent and what it is sent, and follows it until all has arrived', async () => {
  const forkroute = createForkrouteClient({ url: service.url, key: service.key })
  const bob = sandboxAccount('bob').address
  await relayed.relay('hold')
  const route = await forkroute.route({
    chainId: 1,
    destinationChainId: 8453,
    fromAddress: alice,
    receiver: bob,
    ignoreBridges: allBut('stargate').split(',') as BridgeName[],
    tokenIn: [usdc],
    tokenOut: [aero],
    amountIn: [300_000_000n],
    executionMode: 'backend',
  })
  const { hash } = await forkroute.execute(walletOfAlice(), route)
  // What is looked for ends with the newest block that the service has seen.
  await relayed.caughtUp()
  const statuses = []
  for await (const { searched, unsearched, count, transfers } of forkroute.trackTransfers({
    address: bob,
  })) {
    expect(searched.map(({ chainId }) => chainId).toSorted()).toEqual(
      relayed.sandboxes.map(({ chainId }) => chainId).toSorted(),
    )
    expect([unsearched, count]).toEqual([[], 1])
    const [{ sourceTxHash, bridges, state } = {}] = transfers
    expect([sourceTxHash, bridges]).toEqual([hash, ['stargate']])
    statuses.push(state?.status)
    if (state?.status === 'inflight') await relayed.relay('deliver')
  }
  expect([statuses[0], statuses[1], statuses.at(-1)]).toEqual([undefined, 'inflight', 'delivered'])

  const ofAlice = []
  for await (const now of forkroute.trackTransfers({ address: alice })) ofAlice.push(now)
  const { transfers = [] } = ofAlice.at(-1) ?? {}
  expect(transfers.map(({ bridges, state }) => [...bridges, state?.status])).toEqual([
    ['stargate', 'delivered'],
    ['stargate', 'delivered'],
    ['across', 'delivered'],
  ])
})
