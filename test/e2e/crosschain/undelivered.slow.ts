/** Nobody is offered a transaction that would bring the receiver nothing: who cannot be paid is told instead. */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stargatePools } from '../../../src/bridges/stargate/pools.js'
import { base } from '../../../src/chains/base.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { composeLanding, contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { blacklistUsdc, placeRefuser, refuser } from '../../support/bridges/hostile-receivers.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const outcast: Address = '0x00000000000000000000000000000000000b1acc'
const bridges = ['stargate', 'across'].map(allBut)
const modes = ['direct', 'full']
const tokenOn = (chainId: number, symbol: string): Address =>
  sandboxPlan(chainId).market.token(symbol).address
const [usdc, usdcThere] = [tokenOn(1, 'USDC'), tokenOn(8453, 'USDC')]

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
async function rpc<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const response = await fetch(nodeOf(8453), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: T }).result
}

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  await placeRefuser(rpc)
  await blacklistUsdc(rpc, { usdc: usdcThere, account: outcast })
  service = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const ether = { tokenIn: nativeToken, tokenOut: nativeToken, amountIn: String(10n ** 18n) }
const dollars = { tokenIn: usdc, tokenOut: usdcThere, amountIn: '500000000' }
const route = (query: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', {
    chainId: '1',
    destinationChainId: '8453',
    fromAddress: alice,
    ...query,
  })

describe.each(bridges)('without %s', (ignoreBridges) => {
  describe.each(modes)('%s', (crosschainRouteMode) => {
    const more = { ignoreBridges, crosschainRouteMode }

    test('a receiver that takes no ether is told, with what it would have been paid', async () => {
      const { status, body } = await route({ ...ether, ...more, receiver: refuser })
      expect(status).toBe(422)
      expect(body).toMatchObject({
        code: 'SIMULATION_REVERTED',
        details: { receiver: refuser, token: nativeToken, reason: 'reverted without a reason' },
      })
      expect(body.message).toContain(`The receiver ${refuser} cannot be paid ${nativeToken}`)
      expect(body.message).toContain('on chain 8453')
    })

    test('a receiver on the blacklist of the token is told with the reason of the token', async () => {
      const { status, body } = await route({ ...dollars, ...more, receiver: outcast })
      expect(status).toBe(422)
      expect(body.details).toMatchObject({
        receiver: outcast,
        token: usdcThere,
        reason: 'Error(Blacklistable: account is blacklisted)',
      })
    })

    test('what nobody could take out again is no receiver', async () => {
      const pools = stargatePools(base)
      const nobodys = [
        '0x0000000000000000000000000000000000000000',
        usdcThere,
        contractAddress('DestinationReceiver'),
        contractAddress('Router'),
        ...pools.map((pool) => composeLanding(pool).address),
        ...pools.map(({ pool }) => pool),
      ]
      for (const receiver of nobodys) {
        const { status, body } = await route({ ...dollars, ...more, receiver })
        expect(status, receiver).toBe(400)
        expect(body.message).toContain(`The receiver ${receiver} cannot receive anything on chain`)
      }
    })
  })
})

test('a bridge whose fallback would be stuck is left out, and another leads there', async () => {
  const args = { tokenIn: nativeToken, amountIn: String(10n ** 17n), tokenOut: usdcThere }
  const only = { ignoreBridges: allBut('stargate'), crosschainRouteMode: 'destination' }
  const refused = await route({ ...args, ...only, receiver: refuser })
  expect(refused.status).toBe(422)
  expect(refused.body.details).toMatchObject({ receiver: refuser, token: nativeToken })
  expect(refused.body.message).toContain('if the order failed')
  const { status, text, body } = await route({ ...args, receiver: refuser })
  expect(status, text).toBe(200)
  expect(BigInt(body.minAmountOut)).toBeGreaterThan(0n)
})

test.each([
  ['the token', false],
  ['ether with a callback', true],
])('a bundle that sends %s to who cannot be paid is refused', async (_name, callback) => {
  const symbol = callback ? 'ETH' : 'USDC'
  const pool = stargatePools(ethereum).find((one) => one.symbol === symbol)
  const there = stargatePools(base).find((one) => one.symbol === symbol)
  const receiver = callback ? refuser : outcast
  const actions = [
    { protocol: 'svc', action: 'balance', args: { token: there?.token } },
    {
      protocol: 'svc',
      action: 'route',
      args: { tokenIn: there?.token, tokenOut: usdcThere, amountIn: { useOutputOfCallAt: 0 } },
    },
  ]
  const send = {
    tokenIn: pool?.token,
    amountIn: callback ? String(10n ** 17n) : '500000000',
    primaryAddress: pool?.pool,
    destinationChainId: 8453,
    receiver,
    ...(callback && { callback: actions }),
  }
  const query = new URLSearchParams({ chainId: '1', fromAddress: alice })
  const { status, text, body } = await service.post(`/api/v1/shortcuts/bundle?${query}`, [
    { protocol: 'svc', action: 'bridge', args: send },
  ])
  expect(status, text).toBe(422)
  expect(body.details).toMatchObject({ receiver })
})

test('a pool of the destination without funds is told', async () => {
  const pool = stargatePools(base).find(({ symbol }) => symbol === 'USDC')?.pool ?? nativeToken
  const snapshot = await rpc('evm_snapshot')
  try {
    await rpc('anvil_dealERC20', pool, usdcThere, numberToHex(1_000_000n))
    await rpc('evm_mine')
    const block = numberToHex(BigInt(await rpc('eth_blockNumber')))
    const blockNumber = String(Number(block))
    const { status, body } = await route({
      ...dollars,
      ignoreBridges: allBut('stargate'),
      crosschainRouteMode: 'direct',
      destinationBlockNumber: blockNumber,
      receiver: alice,
    })
    expect(status).toBe(422)
    expect(body.message).toContain(`Stargate’s pool ${pool} cannot pay`)
  } finally {
    await rpc('evm_revert', snapshot)
  }
})

test('a bridge that is paused over there is told by its own error', async () => {
  const pool = stargatePools(base).find(({ symbol }) => symbol === 'USDC')?.pool ?? nativeToken
  const abi = parseAbi([
    'function setPause(bool paused)',
    'function getAddressConfig() view returns (address, address planner)',
  ])
  const snapshot = await rpc('evm_snapshot')
  try {
    const read = encodeFunctionData({ abi, functionName: 'getAddressConfig' })
    const config = await rpc<string>('eth_call', { to: pool, data: read }, 'latest')
    const planner = `0x${config.slice(2 + 64 + 24, 2 + 128)}`
    await rpc('anvil_impersonateAccount', planner)
    await rpc('anvil_setBalance', planner, numberToHex(10n ** 18n))
    const data = encodeFunctionData({ abi, functionName: 'setPause', args: [true] })
    await rpc('eth_sendTransaction', { from: planner, to: pool, data })
    await rpc('evm_mine')
    const blockNumber = String(Number(await rpc('eth_blockNumber')))
    const { status, body } = await route({
      ...dollars,
      ignoreBridges: allBut('stargate'),
      crosschainRouteMode: 'direct',
      destinationBlockNumber: blockNumber,
      receiver: alice,
    })
    expect(status).toBe(422)
    expect(body.message).toContain('Stargate_Paused()')
  } finally {
    await rpc('evm_revert', snapshot)
  }
})
