/** Shares of V2 pairs against the deployed pairs, through our own transaction: each token into shares and back. */
import { decodeAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool, SwapAdapter } from '../../../src/protocols/protocol.js'
import { pancakeswapV2, sushiswapV2, uniswapV2 } from '../../../src/protocols/uniswap-v2/index.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxToken, sandboxTokens } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { randomCases, SwapContext, venueOf } from '../../support/protocols/swap-context.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const feeTo: Address = '0x00000000000000000000000000000000000fee70'
/** Each token into shares, and shares into each. */
const ways = [
  [0, 2],
  [1, 2],
  [2, 0],
  [2, 1],
] as const

let context: SwapContext
let fake: Address

beforeAll(async () => {
  context = await SwapContext.start(async (url) => {
    const node = await new NodeWriter(url).start()
    await turnFeeOn(node)
    fake = await deployFake(node)
    await node.close()
  })
})
afterAll(() => context.stop())

/** Uniswap takes its fee from here on: one pair has grown since its last burn, the others have had none. */
async function turnFeeOn(node: NodeWriter): Promise<void> {
  const deployer = sandboxAccount('deployer').address
  const [weth, usdc] = [sandboxToken('WETH').address, sandboxToken('USDC').address]
  await node.rpc('anvil_impersonateAccount', [deployer])
  const factory = contractAddresses.v2Factory
  await node.send(factory, 'function setFeeTo(address)', [feeTo], deployer)
  const getPair = 'function getPair(address, address) view'
  const pair = toAddress(`0x${(await node.read(factory, getPair, [weth, usdc])).slice(26)}`)
  const word = (value: bigint) => `0x${value.toString(16)}`
  const { reserve0, reserve1 } = await reservesOf(node, pair)
  await node.rpc('anvil_dealERC20', [pair, usdc, word((reserve0 * 1_001n) / 1_000n)])
  await node.rpc('anvil_dealERC20', [pair, weth, word((reserve1 * 1_001n) / 1_000n)])
  await node.send(pair, 'function mint(address)', [deployer], deployer)
  for (let round = 0; round < 3; round++) {
    const { reserve0, reserve1 } = await reservesOf(node, pair)
    const amountIn = 20_000_000n * 10n ** 6n
    const amountOut = (amountIn * 997n * reserve1) / (reserve0 * 1_000n + amountIn * 997n)
    const args = [0n, amountOut, deployer, '0x']
    await node.rpc('anvil_dealERC20', [pair, usdc, word(reserve0 + amountIn)])
    await node.send(pair, 'function swap(uint256, uint256, address, bytes)', args, deployer)
  }
}

async function reservesOf(node: NodeWriter, pair: Address) {
  const reserves = await node.read(pair, 'function getReserves() view')
  const [reserve0, reserve1] = decodeAbiParameters(
    [{ type: 'uint112' }, { type: 'uint112' }],
    reserves,
  )
  return { reserve0, reserve1 }
}

/** Says that it is a pair of the factory, with the storage of one. */
async function deployFake(node: NodeWriter): Promise<Address> {
  const address = await node.deploy(compileTestContracts('Pools.sol')('LiquidityProvider').bytecode)
  const word = (value: string | number) => `0x${BigInt(value).toString(16).padStart(64, '0')}`
  const [token0, token1] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
  for (const [slot, value] of [contractAddresses.v2Factory, token0, token1].entries()) {
    await node.rpc('anvil_setStorageAt', [address, word(slot + 5), word(value)])
  }
  return address
}

const plain = new Set(
  sandboxTokens
    .filter(
      ({ behaviour }) => !['fee-on-transfer', 'honeypot', 'frozen', 'rebasing'].includes(behaviour),
    )
    .map(({ address }) => address),
)

/** What a request between the shares and a token of the pair asks for. */
async function discoverShares(adapter: SwapAdapter, pairs: readonly Pool[]): Promise<Pool[]> {
  const asked = pairs.map(({ address, tokens: [token0 = address] }) => [address, token0] as const)
  const { reader } = context
  const venue = venueOf(adapter)
  const { pools, unreadable } = await adapter.swaps.discover({
    reader,
    chain: ethereum,
    venue,
    pairs: asked,
  })
  expect(unreadable).toEqual([])
  return pools
}

function pairsOf(adapter: SwapAdapter): Pool[] {
  return context.planned.filter(
    ({ protocol, tokens }) =>
      protocol === adapter.slug && tokens.every((token) => plain.has(token)),
  )
}

async function loadShares(adapter: SwapAdapter): Promise<LoadedPool[]> {
  return context.load(adapter, await discoverShares(adapter, pairsOf(adapter)))
}

function decimalsOf(token: Address): number {
  return sandboxTokens.find(({ address }) => address === token)?.decimals ?? 15
}

const adapters: readonly SwapAdapter[] = [uniswapV2, sushiswapV2, pancakeswapV2]

describe.each(adapters)('shares of $slug', (adapter) => {
  test('every pair is recognised by its token, and says what it is made of', async () => {
    const pairs = pairsOf(adapter)
    const pools = await discoverShares(adapter, pairs)
    expect(pools.map(({ tokens }) => tokens)).toEqual(
      expect.arrayContaining(pairs.map(({ tokens, address }) => [...tokens, address])),
    )
    expect(pools).toHaveLength(pairs.length)
    const { reader } = context
    const tokens = [...pairs.map(({ address }) => address), sandboxToken('UNI').address, fake]
    const venue = venueOf(adapter)
    const found = await adapter.positions?.underlying?.({ reader, chain: ethereum, venue, tokens })
    expect([...(found ?? [])]).toEqual(pairs.map((pair) => [pair.address, pair.tokens]))
  })

  test('quotes equal the executed zap to the wei, from dust to more than the pair holds', async () => {
    const cases = randomCases(await loadShares(adapter), 1, ways, decimalsOf)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const quote = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, amounts[0] ?? 0n)
      expect(quote.exact).toBe(true)
      return quote.amountOut
    })
    expect(await context.compare(adapter, cases, quoted)).toBeGreaterThan(cases.length / 3)
  })

  test('a swap gives the state in which the chain executes the next zap', async () => {
    const cases = randomCases(await loadShares(adapter), 2, ways, decimalsOf)
    const quoted = cases.map(({ loaded: { pool, state }, tokenIn, tokenOut, amounts }) => {
      const [first = 0n, second = 0n] = amounts
      const one = adapter.swaps.swap(pool, state, { tokenIn, tokenOut }, first)
      const after = one.after()
      const two = adapter.swaps.swap(pool, after, { tokenIn, tokenOut }, second)
      // A pair that refuses one of them makes the whole transaction fail.
      return one.amountOut > 0n && two.amountOut > 0n ? one.amountOut + two.amountOut : null
    })
    expect(await context.compare(adapter, cases, quoted)).toBeGreaterThan(cases.length / 10)
  })
})

describe('shares of uniswap-v2', () => {
  test('a contract that only says it is a pair is none', async () => {
    const usdc = sandboxToken('USDC').address
    const pool = { address: fake, tokens: [usdc] } as unknown as Pool
    expect(await discoverShares(uniswapV2, [pool])).toEqual([])
  })
  test('a pair that has grown owes the exchange a part of it', async () => {
    const loaded = await loadShares(uniswapV2)
    const states = loaded.map(({ state }) => state as { kLast: bigint; isFeeOn: boolean })
    expect(states.every(({ isFeeOn }) => isFeeOn)).toBe(true)
    expect(states.filter(({ kLast }) => kLast > 0n)).toHaveLength(1)
  })
})
