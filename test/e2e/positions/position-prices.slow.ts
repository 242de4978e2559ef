/**
 * Prices of positions over HTTP on the sandbox chain: they are what a withdrawal really pays, for every token that the
 * service lists; and contracts that only look like positions have none.
 */
import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseAbiItem } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import {
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
} from '../../../src/sandbox/addresses.js'
import { balancerPoolId } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { vaultSpecs } from '../../../src/sandbox/venues/erc-4626.js'
import { constantContract } from '../../support/nodes/constant-contract.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const ether = 10n ** 18n
const [usdc, weth] = [token('USDC'), token('WETH')]

interface ListedToken {
  readonly address: Address
  readonly protocol: string
  readonly symbol: string
  readonly decimals: number
  readonly primaryAddress: Address
  readonly underlyingTokens: readonly { readonly address: Address; readonly symbol: string }[]
}

interface Price {
  readonly price: number
  readonly decimals: number
  readonly confidence: number
  readonly source: string
}

async function pricesOf(
  service: Pick<TestService, 'get'>,
  addresses: readonly string[],
  more: Record<string, string> = {},
): Promise<(Price | null)[]> {
  const query = { addresses: addresses.join(), ...more }
  const answer = await service.get('/api/v1/prices/1', query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Symbols of what cannot be withdrawn from, and why. */
const stuck = /paused|lent|FRZN|HNY|aEthFRAX|aEthAAVE/
/** What transfers of these take on the way, basis points of the withdrawal: STA a percent of its half, twice. */
const taxBps = (symbols: string) => (/STA/.test(symbols) ? 101 : /PAXG/.test(symbols) ? 3 : 0)

describe('prices of positions', () => {
  let service: SharedService
  let listed: readonly ListedToken[]
  beforeAll(async () => {
    service = await sharedService()
    const query = { type: 'defi', includeMetadata: 'true' }
    const answer = await service.get('/api/v1/tokens', query)
    expect(answer.status, answer.text).toBe(200)
    listed = answer.body.data
  })

  test('each listed position has one, by what it owns or, where it is traded itself, by pools', async () => {
    const prices = await pricesOf(
      service,
      listed.map(({ address }) => address),
    )
    const without = listed.filter((_token, index) => prices[index] === null)
    expect(listed.length).toBeGreaterThan(70)
    expect(without.map(({ symbol, address }) => `${symbol} ${address}`)).toEqual([])
    const bySource = new Map(listed.map(({ symbol }, index) => [symbol, prices[index]?.source]))
    for (const symbol of ['UNI-V2', 'cETH', 'aEthUSDC', 'cUSDCv3', 'svWETH', 'yvDAI']) {
      expect(bySource.get(symbol), symbol).toBe('holdings')
    }
    expect(bySource.get('wstETH')).toBe('pools')
  })

  test('a withdrawal of a thousand dollars pays a thousand dollars, to a ten-thousandth', async () => {
    const prices = await pricesOf(
      service,
      listed.map(({ address }) => address),
    )
    const compared: string[] = []
    for (const [index, one] of listed.entries()) {
      const parts = one.underlyingTokens.map(({ symbol }) => symbol).join()
      const price = prices[index]
      if (price?.source !== 'holdings' || stuck.test(`${one.symbol} ${parts}`)) continue
      const amountIn =
        BigInt(Math.round((1_000 / price.price) * 1e18)) * 10n ** BigInt(one.decimals)
      const [whole, ...others] = one.underlyingTokens.map(({ address }) => address)
      const parted = others.length ? [whole, ...others] : null
      const redeem = {
        protocol: one.protocol,
        action: 'redeem',
        args: {
          primaryAddress: one.primaryAddress,
          tokenIn: one.address,
          amountIn: (amountIn / ether).toString(),
          tokenOut: parted ?? whole,
        },
      }
      const answer = await bundle(service, [redeem])
      expect(answer.status, `${one.symbol} ${parts}: ${answer.text}`).toBe(200)
      const paid = Object.entries<string>(answer.body.amountsOut)
      const paidPrices = await pricesOf(
        service,
        paid.map(([address]) => address),
      )
      const value = paid.reduce((sum, [, amount], place) => {
        const { price: each = 0, decimals = 0 } = paidPrices[place] ?? {}
        return sum + (Number(amount) / 10 ** decimals) * each
      }, 0)
      const spent = (Number(amountIn / ether) / 10 ** one.decimals) * price.price
      const tax = taxBps(parts) / 1e4
      expect(value / spent, `${one.symbol} ${parts}`).toBeLessThan(1.0001)
      expect(value / spent, `${one.symbol} ${parts}`).toBeGreaterThan(0.9999 - tax)
      compared.push(one.protocol)
    }
    expect(compared.length).toBeGreaterThan(60)
    const protocols = ['uniswap-v2', 'sushiswap-v2', 'balancer-v2', 'curve', 'compound-v2']
    expect([...new Set(compared)]).toEqual(
      expect.arrayContaining([...protocols, 'compound-v3', 'erc-4626', 'yearn-v2', 'aave-v3']),
    )
  })

  test('routes into and out of each protocol have a price impact of what they cost', async () => {
    const seen = new Set<string>()
    for (const { address, protocol, symbol, decimals } of listed) {
      if (seen.has(protocol) || stuck.test(symbol) || protocol === 'lido') continue
      seen.add(protocol)
      const [price] = await pricesOf(service, [address])
      const worth = BigInt(Math.round((1_000 / (price?.price ?? 1)) * 1e18))
      const shares = (worth * 10n ** BigInt(decimals)) / ether
      const ways = [
        { tokenIn: usdc, tokenOut: address, amountIn: '1000000000' },
        { tokenIn: address, tokenOut: usdc, amountIn: shares.toString() },
      ]
      for (const way of ways) {
        const { status, text, body } = await service.get('/api/v1/shortcuts/quote', way)
        expect(status, text).toBe(200)
        // A zap pays half of a swap's fee and spread, a fee for leaving on one side at most.
        expect(body.priceImpact, `${symbol} ${text}`).toBeGreaterThan(-30)
        expect(body.priceImpact, `${symbol} ${text}`).toBeLessThan(120)
      }
    }
    expect(seen.size).toBe(9)
  })

  test('the bytes at a block do not depend on what was asked before', async () => {
    const addresses = listed.flatMap(({ address }, index) => (index % 4 === 0 ? [address] : []))
    const blockNumber = '300'
    const last = addresses.at(-1) ?? usdc
    const first = await service.get(`/api/v1/prices/1/${last}`, { blockNumber })
    const all = await pricesOf(service, addresses, { blockNumber })
    const backwards = await pricesOf(service, addresses.toReversed(), { blockNumber })
    expect(backwards.toReversed()).toEqual(all)
    expect(all.at(-1)).toEqual(first.body)
  })
})

function bundle(service: SharedService, actions: readonly unknown[]): Promise<Answer> {
  const query = new URLSearchParams({ fromAddress: '0x00000000000000000000000000000000000a11ce' })
  return service.post(`/api/v1/shortcuts/bundle?${query}`, actions)
}

describe('contracts that look like positions', () => {
  const context = withSandbox()
  let node: NodeWriter
  let service: TestService
  const liar = (place: number): Address => toAddress(`0x${'c0de'.repeat(9)}000${place}`)
  const answer = (signature: string, ...values: readonly unknown[]) => {
    const abi = parseAbiItem(`function ${signature}`)
    if (abi.type !== 'function') throw new Error(signature)
    return { abi, values }
  }
  const much = 10n ** 30n
  /** What any token says. */
  const plain = [
    answer('decimals() view returns (uint8)', 18),
    answer('symbol() view returns (string)', 'LIE'),
    answer('name() view returns (string)', 'Lie'),
    answer('totalSupply() view returns (uint256)', 10n ** 18n),
  ]

  beforeAll(async () => {
    node = await new NodeWriter(context().sandbox.url).start()
    service = await startService({ RPC_URL_1: context().sandbox.url })
  })
  afterAll(async () => {
    await service.stop()
    await node.close()
  })

  async function place(address: Address, answers: Parameters<typeof constantContract>[0]) {
    await node.rpc('anvil_setCode', [address, constantContract([...plain, ...answers])])
    await node.rpc('evm_mine', [])
  }

  async function priceAtHead(address: Address): Promise<Price | null | undefined> {
    const blockNumber = Number(await node.rpc<Hex>('eth_blockNumber', []))
    const [price] = await pricesOf(service, [address], { blockNumber: `${blockNumber}` })
    return price
  }

  test.each([
    [
      'a vault that nobody lists says that a share is a million dollars',
      [
        answer('asset() view returns (address)', usdc),
        answer('totalAssets() view returns (uint256)', much),
        answer('maxDeposit(address) view returns (uint256)', much),
        answer('previewDeposit(uint256) view returns (uint256)', 1n),
        answer('previewRedeem(uint256) view returns (uint256)', much * much),
        answer('convertToAssets(uint256) view returns (uint256)', much * much),
      ],
    ],
    [
      'a token calls a pool of Curve its minter',
      [answer('minter() view returns (address)', curvePoolAddresses[0])],
    ],
    [
      'a pair of no factory',
      [
        answer('factory() view returns (address)', '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'),
        answer('token0() view returns (address)', usdc),
        answer('token1() view returns (address)', weth),
        answer('getReserves() view returns (uint112, uint112, uint32)', much, much, 1),
      ],
    ],
    [
      'a token that claims to be an aToken',
      [answer('UNDERLYING_ASSET_ADDRESS() view returns (address)', usdc)],
    ],
    [
      'a market of no Comptroller',
      [
        answer('underlying() view returns (address)', usdc),
        answer('exchangeRateCurrent() view returns (uint256)', much),
        answer('exchangeRateStored() view returns (uint256)', much),
      ],
    ],
    [
      'a vault of no registry',
      [
        answer('token() view returns (address)', usdc),
        answer('apiVersion() view returns (string)', '0.3.4'),
        answer('totalAssets() view returns (uint256)', much),
        answer('pricePerShare() view returns (uint256)', much),
        answer('depositLimit() view returns (uint256)', much),
        answer('emergencyShutdown() view returns (bool)', false),
      ],
    ],
  ])('%s: no price', async (_what, answers) => {
    const address = liar(1)
    await place(address, answers)
    expect(await priceAtHead(address)).toBeNull()
  })

  test('without a list of its own the service believes factories and registries, and nobody else', async () => {
    const vouched = [
      balancerPoolId(0).slice(0, 42),
      balancerPoolId(5).slice(0, 42),
      // yvDAI, aEthUSDC, cETH, and shares of WETH / USDC.
      '0xda816459f1ab5631232fe5e97a05bbbb94970c95',
      '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c',
      '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5',
      v2PairAddress('uniswap-v2', weth, usdc),
    ]
    const others = [curveSharesAddresses[0] ?? weth, vaultSpecs[0]?.address ?? weth]
    const prices = await pricesOf(service, [...vouched, ...others])
    const sources = prices.map((price) => price?.source ?? null)
    expect(sources).toEqual([...vouched.map(() => 'holdings'), null, null])
  })

  test('a pool of no factory that the Vault of Balancer took: no price', async () => {
    const vault = toAddress('0xba12222222228d8ba445958a75a0704d566bf2c8')
    const pool = liar(2)
    const alice = sandboxAccount('alice').address
    for (const each of [pool, alice]) await node.rpc('anvil_impersonateAccount', [each])
    await node.rpc('anvil_setBalance', [pool, numberToHex(10n ** 20n)])
    const register = 'function registerPool(uint8 specialization) returns (bytes32)'
    const data = encodeFunctionData({ abi: parseAbi([register]), args: [0] })
    const poolId = await node.rpc<Hex>('eth_call', [{ from: pool, to: vault, data }, 'latest'])
    await node.send(vault, register, [0], pool)
    const tokens = [usdc, weth]
    await node.send(
      vault,
      'function registerTokens(bytes32 poolId, address[] tokens, address[] managers)',
      [poolId, tokens, [nativeToken, nativeToken]],
      pool,
    )
    const paid = [3_000_000_000n, ether]
    await place(pool, [
      answer('getPoolId() view returns (bytes32)', poolId),
      answer('getNormalizedWeights() view returns (uint256[])', [ether / 2n, ether / 2n]),
      answer('getSwapFeePercentage() view returns (uint256)', ether / 1_000n),
      answer(
        'onJoinPool(bytes32, address, address, uint256[], uint256, uint256, bytes) returns (uint256[], uint256[])',
        paid,
        [0n, 0n],
      ),
    ])
    for (const each of tokens) {
      await node.send(each, 'function approve(address, uint256)', [vault, much], alice)
    }
    await node.send(
      vault,
      'function joinPool(bytes32 poolId, address sender, address recipient, (address[] assets, uint256[] maxAmountsIn, bytes userData, bool fromInternalBalance) request)',
      [
        poolId,
        alice,
        alice,
        { assets: tokens, maxAmountsIn: paid, userData: '0x', fromInternalBalance: false },
      ],
      alice,
    )
    const blockNumber = Number(await node.rpc<Hex>('eth_blockNumber', []))
    const listed = await service.get('/api/v1/shortcuts/quote', {
      tokenIn: usdc,
      tokenOut: pool,
      amountIn: '1000000',
      blockNumber: `${blockNumber}`,
    })
    // It is a pool to the service, which tries it: so no price is not for want of being found.
    expect(listed.body.code, listed.text).toBe('SIMULATION_REVERTED')
    expect(await priceAtHead(pool)).toBeNull()
  })
})
