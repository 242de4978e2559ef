/** What the world does between and around two chains: prices move, nodes fall silent, contracts are missing, heads go on. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { fuller, poolsOn } from '../../support/bridges/moved-pairs.js'
import { startBadNode } from '../../support/nodes/bad-node.js'
import { open } from '../../support/service/cassette-context.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const ether = (10n ** 18n).toString()
const tokenOn = (plan: typeof basePlan, symbol: string): Address => {
  const found = plan.market.tokens.find((token) => token.symbol === symbol)
  if (!found) throw new Error(`no ${symbol}`)
  return found.address
}
const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => tokenOn(ethereumPlan, symbol)) as [
  Address,
  Address,
]
const [usdcThere, wethThere, aero] = ['USDC', 'WETH', 'AERO'].map((symbol) =>
  tokenOn(basePlan, symbol),
) as [Address, Address, Address]

let sandboxes: Sandbox[]
let service: TestService
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  service = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const toBase = { chainId: '1', destinationChainId: '8453' }
const route = (query: Record<string, string>, from = service) =>
  from.get('/api/v1/shortcuts/route', { ...toBase, fromAddress: alice, amountIn: ether, ...query })

function placesOf(body: { blockNumber: number; destinationBlockNumber: number }): [Place, Place] {
  return [
    { chainId: 1, nodeUrl: nodeOf(1), blockNumber: body.blockNumber, blockTimeSeconds: 12 },
    {
      chainId: 8453,
      nodeUrl: nodeOf(8453),
      blockNumber: body.destinationBlockNumber,
      blockTimeSeconds: 2,
    },
  ]
}

describe('the destination moves before the delivery', () => {
  test.each([
    ['across', allBut('across')],
    ['stargate', allBut('stargate')],
  ])(
    '%s: within the slippage the order runs, beyond it the bridged token is the receiver’s to the last unit',
    async (bridge, other) => {
      const { text, body, status } = await route({
        tokenIn: bridge === 'across' ? weth : nativeToken,
        tokenOut: aero,
        ignoreBridges: other,
        amountIn: '100000000000000000',
        crosschainRouteMode: 'destination',
        ignoreStandards: 'uniswap-v3',
      })
      expect(status, text).toBe(200)
      const bridged = body.route.find(({ action }: { action: string }) => action === 'bridge')
      expect(bridged.protocol).toBe(bridge)
      const [source, destination] = placesOf(body)
      const sent = await sendOnFork(source, body.tx)
      const pools = poolsOn(8453, body.route)
      expect(pools.length).toBeGreaterThan(0)
      const carriedOut = (prepare?: (anvil: TestAnvil) => Promise<void>, token = aero) =>
        deliverOnFork({
          source,
          destination,
          logs: sent.logs,
          watch: { token, owner: alice },
          ...(prepare && { prepare }),
        })
      const still = await carriedOut()
      expect(still).toMatchObject({ status: 'delivered', gained: BigInt(body.amountOut) })

      // Everything that the order swaps in becomes dearer by the same.
      const moved = (permille: bigint) => fuller(pools, wethThere, permille)
      const within = await carriedOut(moved(1n))
      expect(within.status).toBe('delivered')
      expect(within.gained).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
      const beyond = await carriedOut(moved(100n), bridge === 'across' ? wethThere : nativeToken)
      expect(beyond).toMatchObject({ status: 'delivered', gained: BigInt(bridged.amountOut[0]) })
    },
  )
})

test('a sender that is a contract has to say who receives', async () => {
  const args = { tokenIn: usdc, tokenOut: usdcThere, fromAddress: weth }
  const { status, body } = await route(args)
  expect(status).toBe(400)
  expect(body.message).toContain('receiver is required')
  expect(body.message).toContain('chain 1')
})

test('the refund receiver cannot redirect what Across carries; the sender alone can', async () => {
  const [sender, bob] = [sandboxAccount('alice'), sandboxAccount('bob')]
  const args = { tokenIn: usdc, tokenOut: usdcThere, amountIn: '5000000000' }
  const named = { refundReceiver: bob.address, receiver: sandboxAccount('carol').address }
  const { status, text, body } = await route({ ...args, ...named, ignoreBridges: allBut('across') })
  expect(status, text).toBe(200)
  const [source, destination] = placesOf(body)
  const { logs } = await sendOnFork(source, body.tx)
  const signedBy = ({ privateKey: key, address: recipient }: typeof bob) => {
    const watch = { token: usdcThere, owner: recipient }
    return deliverOnFork({ source, destination, logs, watch, redirected: { key, recipient } })
  }
  expect(await signedBy(bob)).toMatchObject({ status: 'reverted', gained: 0n })
  const gained = BigInt(body.amountOut)
  expect(await signedBy(sender)).toMatchObject({ status: 'delivered', gained })
})

test('of a sender that is a contract, the answer says who may redirect what Across carries', async () => {
  const args = { tokenIn: usdc, tokenOut: usdcThere, amountIn: '5000000000', fromAddress: weth }
  const more = { executionMode: 'backend', receiver: alice }
  const over = async (ignoreBridges: string) =>
    (await route({ ...args, ...more, ignoreBridges })).body.warnings?.join(' ') ?? ''
  expect(await over(allBut('across'))).toContain(`The sender ${weth} is a contract`)
  expect(await over(allBut('across'))).toContain('may redirect what Across delivers')
  expect(await over(allBut('stargate'))).not.toContain('may redirect')
})

test.each([
  ['across', weth, wethThere, allBut('across')],
  ['stargate', nativeToken, wethThere, allBut('stargate')],
  ['stargate', usdc, aero, allBut('stargate')],
])(
  '%s: a stated minimum stands in what is sent, and is refused above what arrives',
  async (_bridge, tokenIn, tokenOut, ignoreBridges) => {
    const args = {
      tokenIn,
      tokenOut,
      ignoreBridges,
      ...(tokenIn === usdc && { amountIn: '300000000' }),
    }
    const { body } = await route(args)
    const minAmountOut = String((BigInt(body.amountOut) * 9_123n) / 10_000n + 1n)
    const limited = await route({ ...args, minAmountOut })
    expect(limited.status, limited.text).toBe(200)
    expect(limited.body.minAmountOut).toBe(minAmountOut)
    const word = BigInt(minAmountOut).toString(16).padStart(64, '0')
    const [source, destination] = placesOf(limited.body)
    const sent = await sendOnFork(source, limited.body.tx)
    expect(sent.logs.some(({ data }) => data.includes(word))).toBe(true)
    const watch = { token: tokenOut, owner: alice }
    expect(await deliverOnFork({ source, destination, logs: sent.logs, watch })).toMatchObject({
      status: 'delivered',
      gained: BigInt(limited.body.amountOut),
    })
    const above = await route({ ...args, minAmountOut: String(BigInt(body.amountOut) * 2n) })
    expect(above.status).toBe(422)
  },
)

test.each(['stargate', 'across'].map(allBut))(
  'without %s: a slippage of 0 is met by what is delivered',
  async (ignoreBridges) => {
    for (const tokenOut of [usdcThere, aero]) {
      const args = { tokenIn: nativeToken, tokenOut, ignoreBridges, slippage: '0' }
      const { status, text, body } = await route(args)
      expect(status, text).toBe(200)
      expect(body.minAmountOut).toBe(body.amountOut)
      const [source, destination] = placesOf(body)
      const { logs } = await sendOnFork(source, body.tx)
      const watch = { token: tokenOut, owner: alice }
      expect(await deliverOnFork({ source, destination, logs, watch })).toMatchObject({
        status: 'delivered',
        gained: BigInt(body.amountOut),
      })
    }
  },
)

test('an amount beyond the credit of the path, and below what a delivery costs, says the limit', async () => {
  const much = await route({
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: (10n ** 15n).toString(),
    ignoreBridges: allBut('stargate'),
    executionMode: 'backend',
    crosschainRouteMode: 'direct',
  })
  expect(much.status).toBe(422)
  expect(much.body.details.lanes).toEqual([
    expect.objectContaining({
      bridge: 'stargate',
      symbol: 'USDC',
      limit: expect.stringMatching(/^\d+$/),
    }),
  ])
  const little = await route({
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: '1000',
    ignoreBridges: allBut('across'),
    crosschainRouteMode: 'direct',
  })
  expect(little.status).toBe(422)
  const [{ limit }] = little.body.details.lanes
  const enough = await route({
    tokenIn: usdc,
    tokenOut: usdcThere,
    amountIn: limit,
    ignoreBridges: allBut('across'),
    crosschainRouteMode: 'direct',
  })
  expect(enough.status, enough.text).not.toBe(400)
})

test('where our contracts are missing on the destination there are no orders, and the answer says so', async () => {
  const node = await startAnvil([
    ...['--fork-url', nodeOf(8453), '--chain-id', '8453', '--no-storage-caching'],
    ...['--code-size-limit', '40000'],
  ])
  await node.rpc('anvil_setCode', [contractAddress('DestinationReceiver'), '0x'])
  await node.rpc('evm_mine')
  const other = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: node.url })
  try {
    const plain = await route({ tokenIn: nativeToken, tokenOut: nativeToken }, other)
    expect(plain.status, plain.text).toBe(200)
    expect(plain.body.warnings.join(' ')).toContain('contracts of this service are missing there')
    const fees = { fee: '100', feeReceiver: bob, destinationFeeReceiver: bob }
    const charged = await route({ tokenIn: nativeToken, tokenOut: nativeToken, ...fees }, other)
    expect(charged.status, charged.text).toBe(200)
    expect(charged.body.feeAmount).toEqual([String(BigInt(ether) / 100n)])
    expect(charged.body.warnings.join(' ')).toContain('goes to feeReceiver on the source')
    const [here] = placesOf(charged.body)
    const watch = [{ token: nativeToken, owner: bob }]
    const sent = await sendOnFork(here, charged.body.tx, [], watch)
    expect(sent).toMatchObject({ status: 'success', deltas: [BigInt(ether) / 100n] })
    const { status, body } = await route({ tokenIn: nativeToken, tokenOut: aero }, other)
    expect(status).toBe(422)
    expect(body.message).toContain('not deployed')
    expect(body.message).toContain('contracts deploy')
  } finally {
    await other.stop()
    await node.stop()
  }
})

test('a time limit is one for both chains together', async () => {
  const args = { tokenIn: usdc, tokenOut: aero, amountIn: '50000000' }
  const late = await route({ ...args, deadlineMs: '50', blockNumber: '366' })
  expect(late.status, late.text).toBe(504)
  expect(late.body).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  expect(late.body.message).toContain('within 50 ms')
  const { status, text } = await route({ ...args, deadlineMs: '30000' })
  expect(status, text).toBe(200)
})

test.each([1, 8453])(
  'chain %s hangs: the time limit holds on the way there, too',
  async (hanging) => {
    const node = await startBadNode(nodeOf(hanging))
    const urls = { RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) }
    const other = await startService({
      ...urls,
      [`RPC_URL_${hanging}`]: node.url,
      // Longer than a test may take: only the deadline ends what is asked.
      UPSTREAM_TIMEOUT_MS: '60000',
      REQUEST_TIMEOUT_MS: '600000',
    })
    try {
      node.badness = { hangs: true }
      const asked = { tokenIn: usdc, amountIn: '50000000', deadlineMs: '1500' }
      const answers = [
        await route({ ...asked, tokenOut: aero }, other),
        await route({ ...asked, tokenOut: aero, blockNumber: '366' }, other),
      ]
      for (const { status, body, text } of answers) {
        expect(status, text).toBe(504)
        expect(body).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
      }
    } finally {
      await other.stop()
      await node.stop()
    }
  },
)

test('a node that is down fails what needs it, by the name of its chain, and nothing else', async () => {
  const other = await startService({ RPC_URL_1: nodeOf(1), RPC_URL_8453: 'http://127.0.0.1:9' })
  try {
    const { status, body } = await route({ tokenIn: usdc, tokenOut: usdcThere }, other)
    expect(status).toBe(503)
    expect(body.message).toContain('8453')
    const alone = await other.get('/api/v1/shortcuts/quote', {
      chainId: '1',
      tokenIn: usdc,
      tokenOut: weth,
      amountIn: '1000000000',
    })
    expect(alone.status, alone.text).toBe(200)
  } finally {
    await other.stop()
  }
})

test('what was recorded of two chains is answered again, byte for byte, with both nodes gone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-crosschain-'))
  const file = join(folder, 'two.cassette')
  const query = {
    ...toBase,
    fromAddress: alice,
    tokenIn: usdc,
    tokenOut: aero,
    amountIn: '250000000',
  }
  const intoPosition = {
    chainId: '8453',
    destinationChainId: '1',
    fromAddress: alice,
    receiver: alice,
    tokenIn: usdcThere,
    amountIn: '250000000',
    positionOut:
      '1:0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb:0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc-supply',
  }
  const nodes = { RPC_URL_1: nodeOf(1), RPC_URL_8453: nodeOf(8453) }
  try {
    const recording = await open(folder, { kind: 'record', file }, nodes)
    const asked: { path: string; query: Record<string, string> }[] = [
      { path: '/shortcuts/route', query },
      { path: '/shortcuts/route', query: { ...query, blockNumber: '370' } },
      { path: '/shortcuts/route/nontokenized', query: intoPosition },
    ]
    const answers = []
    try {
      for (const one of asked) answers.push(await recording.ask(one))
      // The destination's block is then its head.
      const { blockNumber } = JSON.parse(answers[0]?.text ?? '')
      asked.push({ path: '/shortcuts/route', query: { ...query, blockNumber: `${blockNumber}` } })
      answers.push(await recording.ask(asked[3] as (typeof asked)[0]))
    } finally {
      await recording.close()
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const replay = await open(folder, { kind: 'replay', file })
    try {
      for (const [index, one] of asked.entries()) {
        expect((await replay.ask(one)).text).toBe(answers[index]?.text)
      }
    } finally {
      await replay.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('heads that move during the search change nothing of what is answered at the pinned blocks', async () => {
  const nodes = [nodeOf(1), nodeOf(8453)]
  for (let round = 0; round < 3; round++) {
    const asked = route({ tokenIn: usdc, tokenOut: aero, amountIn: `${50_000_000 + round}` })
    for (const url of nodes) {
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }),
      })
    }
    const { status, text, body } = await asked
    expect(status, text).toBe(200)
    const [source, destination] = placesOf(body)
    const sent = await sendOnFork(source, body.tx)
    expect(sent).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
    const watch = { token: aero, owner: alice }
    expect(await deliverOnFork({ source, destination, logs: sent.logs, watch })).toMatchObject({
      status: 'delivered',
      gained: BigInt(body.amountOut),
    })
  }
})
