/**
 * Routes on chains that the sandbox does not play: bare Anvils at their ids, with Uniswap's contracts at the addresses of
 * their files. Each transaction is carried out on an Anvil of its own.
 */
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { chains } from '../../../src/chains/registry.js'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { executeOnFork, placeContracts } from '../../support/execute.js'
import { compileSolidity } from '../../support/forks-contracts.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const tokens = compileSolidity(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Token {
  uint8 public decimals;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  constructor(uint8 digits) { decimals = digits; }
  function mint(address to, uint256 amount) external { balanceOf[to] += amount; }
  function approve(address spender, uint256 amount) external returns (bool) {
    allowance[msg.sender][spender] = amount;
    return true;
  }
  function transfer(address to, uint256 amount) external returns (bool) {
    return move(msg.sender, to, amount);
  }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    allowance[from][msg.sender] -= amount;
    return move(from, to, amount);
  }
  function move(address from, address to, uint256 amount) private returns (bool) {
    balanceOf[from] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}

contract Feed {
  function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
    return (1, 5e8, block.timestamp, block.timestamp, 1);
  }
}

// As the predeploy of OP-stack chains: a price times the bytes.
contract GasPriceOracle {
  function getL1Fee(bytes calldata transaction) external pure returns (uint256) {
    return transaction.length * 1e6;
  }
}
`)

const sandboxChains = [1, 8453, 42_161]
const added = chains.filter(({ id }) => !sandboxChains.includes(id))
/** Five stable dollars a native token, which is also what the feed says. */
const [nativeReserve, stableReserve] = [20_000n, 100_000n]
const gasPriceOracle = '0x420000000000000000000000000000000000000f'
const alice: Address = '0x00000000000000000000000000000000000a11ce'

const nodes = new Map<number, TestAnvil>()
let service: TestService

beforeAll(async () => {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  for (const chain of added) {
    const node = await startAnvil(['--chain-id', String(chain.id), '--accounts', '1'])
    nodes.set(chain.id, node)
    await placeMarket(chain, node, artifacts)
  }
  const urls = [...nodes].map(([id, { url }]) => [`RPC_URL_${id}`, url])
  service = await startService({ ...Object.fromEntries(urls), FORKS_PER_BLOCK: '1' })
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([...nodes.values()].map((node) => node.stop()))
})

const nodeOf = ({ id }: ChainDefinition) => nodes.get(id)?.url ?? ''

/** The stable token that pools trade against, and its decimals as the chain has them. */
function stableOf({ id, stableAnchors, wrappedNative }: ChainDefinition) {
  const token = stableAnchors.find((one) => one !== wrappedNative)
  if (!token) throw new Error(`no stable token on ${id}`)
  return { token, decimals: id === 56 ? 18 : 6 }
}

/** Exchanges of Uniswap's code that the chain's file has, with the factory's address. */
function factoriesOf({ venues }: ChainDefinition) {
  const at = (slugs: readonly string[]) => {
    const slug = slugs.find((one) => venues[one]?.factory)
    return slug ? { slug, factory: toAddress(String(venues[slug]?.factory)) } : null
  }
  return { v2: at(['uniswap-v2', 'sushiswap-v2']), v3: at(['uniswap-v3', 'sushiswap-v3']) }
}

async function placeMarket(
  chain: ChainDefinition,
  anvil: TestAnvil,
  artifacts: Awaited<ReturnType<typeof loadArtifacts>>,
): Promise<void> {
  const node = await new NodeWriter(anvil.url).start()
  const pools = compileTestContracts('Pools.sol')
  const provider = await node.deploy(pools('LiquidityProvider').bytecode)
  const { token: stable, decimals } = stableOf(chain)
  await node.place(chain.wrappedNative, codeOf(artifacts, 'weth9'))
  const creation = tokens.Token?.bytecode ?? '0x'
  await node.place(stable, creation, 'uint8', [decimals])
  // Constructors run at an address by a call: what they store is written here.
  await node.rpc('anvil_setStorageAt', [
    ...[stable, numberToHex(0, { size: 32 }), numberToHex(decimals, { size: 32 })],
  ])
  const unit = 10n ** BigInt(decimals)
  await node.send(stable, 'function mint(address, uint256)', [provider, 10n ** 9n * unit])
  await node.send(stable, 'function mint(address, uint256)', [alice, 10_000n * unit])
  await node.rpc('anvil_dealERC20', [provider, chain.wrappedNative, numberToHex(10n ** 24n)])
  await node.rpc('anvil_setBalance', [alice, numberToHex(10n ** 21n)])
  await node.rpc('anvil_dealERC20', [alice, chain.wrappedNative, numberToHex(10n ** 20n)])
  await node.rpc('anvil_impersonateAccount', [alice])
  for (const token of [stable, chain.wrappedNative]) {
    const allow = 'function approve(address, uint256)'
    await node.send(token, allow, [contractAddress('Router'), 10n ** 30n], alice)
  }
  // What wrapped tokens stand for.
  await node.rpc('anvil_setBalance', [chain.wrappedNative, numberToHex(10n ** 24n)])
  await placeContracts(anvil)
  const [feed] = chain.chainlinkFeeds.filter(({ token }) => token === chain.wrappedNative)
  if (feed) await node.rpc('anvil_setCode', [feed.feed, tokens.Feed?.runtimeCode])

  if (chain.l1DataFee) {
    await node.rpc('anvil_setCode', [gasPriceOracle, tokens.GasPriceOracle?.runtimeCode])
  }

  const isFirst = chain.wrappedNative < stable
  const pair = isFirst ? [chain.wrappedNative, stable] : [stable, chain.wrappedNative]
  const amounts = [nativeReserve * 10n ** 18n, stableReserve * unit]
  if (!isFirst) amounts.reverse()
  const { v2, v3 } = factoriesOf(chain)
  if (v2) {
    await node.place(v2.factory, codeOf(artifacts, 'v2Factory'), 'address', [provider])
    await node.send(v2.factory, 'function createPair(address, address)', pair)
    const found = await node.read(v2.factory, 'function getPair(address, address) view', pair)
    const seed = [`0x${found.slice(26)}`, ...amounts]
    await node.send(provider, 'function seedV2(address, uint256, uint256)', seed)
  }
  if (v3) {
    await node.place(v3.factory, codeOf(artifacts, 'v3Factory'))
    await node.send(v3.factory, 'function createPool(address, address, uint24)', [...pair, 500])
    const args = [...pair, 500]
    const found = await node.read(
      v3.factory,
      'function getPool(address, address, uint24) view',
      args,
    )
    const pool = toAddress(`0x${found.slice(26)}`)
    const [amount0 = 1n, amount1 = 1n] = amounts
    const tick = Math.round(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001))
    await node.send(pool, 'function initialize(uint160)', [sqrtPriceAtTick(tick)])
    const around = Math.round(tick / 10) * 10
    const liquidity = BigInt(Math.floor(Math.sqrt(Number(amount0) * Number(amount1)))) * 20n
    const range = [pool, around - 1_000, around + 1_000, liquidity]
    await node.send(provider, 'function seedV3(address, int24, int24, uint128)', range)
  }
  await node.close()
}

interface RouteBody {
  readonly amountOut: string
  readonly gas: string
  readonly createdAt: number
  readonly tx: { from: Address; to: Address; data: Hex; value: string }
  readonly route: readonly { readonly protocol: string }[]
  readonly gasCost: { native: string; usd: number | null; l1DataFee?: { native: string } | null }
}

async function route(
  chain: ChainDefinition,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
) {
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: alice,
    amountIn: String(amountIn),
    tokenIn,
    tokenOut,
    includeTransactionCost: 'true',
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body as RouteBody
}

describe.each(added)('$name', (chain) => {
  const { token: stable, decimals } = stableOf(chain)
  const unit = 10n ** BigInt(decimals)
  const { v2, v3 } = factoriesOf(chain)
  const slugs = [v2, v3].flatMap((one) => one?.slug ?? [])

  test.each([
    ['its native token', nativeToken, stable, 100n * 10n ** 18n, 500],
    ['a stable token', stable, nativeToken, 500n * unit, 100],
    ['its wrapped token', chain.wrappedNative, stable, 10n ** 18n, 5],
  ] as const)(
    '%s: the transaction gives what was answered, for that gas',
    async (_, tokenIn, tokenOut, amountIn, whole) => {
      const answer = await route(chain, tokenIn, tokenOut, amountIn)
      const done = await executeOnFork({
        nodeUrl: nodeOf(chain),
        blockNumber: answer.createdAt,
        blockTimeSeconds: chain.blockTimeSeconds,
        tx: answer.tx,
        watch: [{ token: tokenOut, owner: alice }],
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.amountOut)])
      expect(Number(answer.amountOut) / 10 ** (tokenOut === stable ? decimals : 18)).toBeCloseTo(
        whole,
        -Math.log10(whole) + 1,
      )
      for (const { protocol } of answer.route) {
        expect([...slugs, 'wrapped-native']).toContain(protocol)
      }
    },
  )

  test('its gas is valued in its native currency, with a fee to L1 where it has one', async () => {
    const { gas, gasCost } = await route(chain, nativeToken, stable, 10n ** 18n)
    const least = BigInt(gas) * chain.priorityFeePerGas
    expect(BigInt(gasCost.native)).toBeGreaterThan(least)
    expect(gasCost.usd).toBeCloseTo((Number(gasCost.native) / 1e18) * 5, 6)
    if (chain.l1DataFee) expect(gasCost.l1DataFee?.native).toMatch(/^[1-9]\d+000000$/)
    else expect(gasCost).not.toHaveProperty('l1DataFee')
  })

  test('its native currency has its own name', async () => {
    const query = { chainId: String(chain.id), address: nativeToken, includeMetadata: 'true' }
    const { status, body, text } = await service.get('/api/v1/tokens', query)
    expect(status, text).toBe(200)
    const { name, symbol } = chain.nativeCurrency
    expect(body.data).toEqual([
      expect.objectContaining({
        chainId: chain.id,
        address: nativeToken,
        name,
        symbol,
        decimals: 18,
      }),
    ])
  })
})
