/**
 * What the service answers on recorded Ethereum mainnet must equal what mainnet did.
 * `npm run test:mainnet`; where the recording is absent, skipped with a message, or failed where CI is set.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/store.js'
import { type Address, isNative, nativeToken } from '../../src/domain/primitives.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { startAnvil, type TestAnvil } from '../support/anvil.js'
import { executeOnFork, placeContracts } from '../support/execute.js'
import { readPin } from '../support/pin.js'
import {
  type RecordedNode,
  recordedPools,
  recordedSwaps,
  startRecordedNode,
  toToken,
} from '../support/recorded-mainnet.js'
import { startService, type TestService } from '../support/service/service.js'
import { describeRecorded } from './describe-recorded.js'
import { answerOf, type SinglePools, singlePools } from './single-pool.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdt: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const wbtc: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const sender: Address = '0x00000000000000000000000000000000000d35c0'

describeRecorded('recorded mainnet', () => {
  const pools = recordedPools()
  const { stateBlock, swaps } = recordedSwaps()
  let node: RecordedNode
  let fork: TestAnvil
  let single: SinglePools
  let service: TestService
  let dataDir: string

  beforeAll(async () => {
    node = await startRecordedNode()
    fork = await startAnvil([
      ...['--fork-url', node.url, '--fork-block-number', String(stateBlock), '--chain-id', '1'],
      ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
    ])
    await placeContracts(fork)
    single = singlePools({ pools, pin: await readPin(fork.url), nodeUrl: node.url, fork })
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-mainnet-'))
    const catalog = openCatalog(dataDir)
    catalog.importPools(1, pools)
    catalog.close()
    service = await startService({ RPC_URL_1: node.url, DATA_DIR: dataDir })
  })
  afterAll(async () => {
    await service.stop()
    await fork.stop()
    await node.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  test.each(swaps.filter(({ firstTouch }) => firstTouch))(
    '$venue $pool log $logIndex: amountOut is what mainnet paid',
    async (swap) => {
      const pool = pools.find(({ id }) => id === swap.pool)
      if (!pool) throw new Error(`pool ${swap.pool} is not listed`)
      const answer = answerOf(
        await single.quote(pool, {
          tokenIn: toToken(swap.tokenIn),
          tokenOut: toToken(swap.tokenOut),
          amountIn: BigInt(swap.amountIn),
        }),
      )
      const amounts =
        typeof answer === 'string' ? answer : answer.outputs.map(({ amountOut }) => amountOut)
      expect(amounts).toEqual([BigInt(swap.amountOut)])
    },
  )

  const sizes: readonly (readonly [string, Address, Address, readonly bigint[]])[] = [
    ['WETH to USDC', weth, usdc, ethers(0.01, 1, 10, 50, 150)],
    ['WETH to USDT', weth, usdt, ethers(0.01, 1, 10, 50, 150)],
    ['WETH to DAI', weth, dai, ethers(0.01, 1, 10, 50)],
    ['WETH to WBTC', weth, wbtc, ethers(0.01, 1, 3)],
    ['USDC to WETH', usdc, weth, [20n, 2_000n, 20_000n, 40_000n].map((n) => n * 10n ** 6n)],
    ['USDT to WETH', usdt, weth, [20n, 2_000n, 10_000n].map((n) => n * 10n ** 6n)],
    ['DAI to WETH', dai, weth, ethers(20, 2_000, 20_000)],
    ['WBTC to WETH', wbtc, weth, [100_000n, 1_000_000n, 10_000_000n]],
    ['ETH to USDC', nativeToken, usdc, ethers(0.01, 1, 50)],
    ['USDC to ETH', usdc, nativeToken, [20n, 2_000n].map((n) => n * 10n ** 6n)],
  ]
  const cases = sizes.flatMap(([name, tokenIn, tokenOut, amounts]) =>
    amounts.map((amountIn) => ({ name: `${amountIn} of ${name}`, tokenIn, tokenOut, amountIn })),
  )

  test.each(cases)(
    '$name: exact when executed, and not below any single pool',
    async ({ tokenIn, tokenOut, amountIn }) => {
      const answer = await service.get('/api/v1/shortcuts/route', {
        chainId: '1',
        fromAddress: sender,
        executionMode: 'backend',
        tokenIn,
        tokenOut,
        amountIn: amountIn.toString(),
        blockNumber: String(stateBlock),
      })
      expect(answer.status, answer.text).toBe(200)
      const done = await executeOnFork({
        nodeUrl: node.url,
        blockNumber: stateBlock,
        tx: answer.body.tx,
        watch: [{ token: tokenOut, owner: sender }],
        fund: [{ token: tokenIn, amount: amountIn }],
        approve: contractAddress('Router'),
        deploy: true,
      })
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
      expect(done.gasUsed).toBe(BigInt(answer.body.gas))

      for (const pool of pools.filter((each) => holds(each.tokens, tokenIn, tokenOut))) {
        const alone = answerOf(await single.quote(pool, { tokenIn, tokenOut, amountIn }))
        if (typeof alone === 'string') continue
        const amountOut = alone.outputs[0]?.amountOut ?? 0n
        // Less may only be delivered for less gas.
        const isWorse =
          BigInt(answer.body.amountOut) < amountOut && BigInt(answer.body.gas) >= alone.gas
        expect(isWorse, `${pool.protocol} ${pool.id} gives ${amountOut}`).toBe(false)
      }
    },
  )
})

function ethers(...amounts: number[]): bigint[] {
  return amounts.map((amount) => BigInt(Math.round(amount * 1e6)) * 10n ** 12n)
}

function holds(tokens: readonly Address[], a: Address, b: Address): boolean {
  const wrapped = (token: Address) => (isNative(token) ? weth : token)
  const held = tokens.map(wrapped)
  return held.includes(wrapped(a)) && held.includes(wrapped(b))
}
