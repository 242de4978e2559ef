/** A route over a bridge as the client carries it out and follows it, on the sandbox with its relayer. */
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createForkrouteClient } from '../../../src/client/client.js'
import type { BridgeName } from '../../../src/domain/bridges/names.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { allBut } from '../../support/bridges/all-but.js'
import {
  type RelayedSandboxes,
  startRelayedSandboxes,
} from '../../support/bridges/relayed-sandboxes.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcThere: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const aero: Address = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'

let relayed: RelayedSandboxes
let service: TestService
beforeAll(async () => {
  relayed = await startRelayedSandboxes()
  const nodes = relayed.sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService({ ...Object.fromEntries(nodes), RATE_LIMIT_PER_MINUTE: '1000000' })
})
afterAll(async () => {
  await service?.stop()
  await relayed?.stop()
})

test.each([
  ['across', allBut('across'), { tokenIn: nativeToken, tokenOut: usdcThere, amountIn: 10n ** 18n }],
  ['stargate', allBut('stargate'), { tokenIn: usdc, tokenOut: aero, amountIn: 300_000_000n }],
] as const)(
  '%s: execute sends, track follows until it is delivered, and what was promised arrives',
  async (bridge, other, { tokenIn, tokenOut, amountIn }) => {
    const forkroute = createForkrouteClient({ url: service.url, key: service.key })
    const { client: here } = relayed.on(1)
    const node = relayed.sandboxes.find(({ chainId }) => chainId === 1)
    const wallet = createWalletClient({
      account: privateKeyToAccount(privateKey),
      chain: here.chain,
      transport: http(node?.url),
    })
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
    const done = await forkroute.execute(wallet, route)
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
