/**
 * The math of Curve's crypto pools against their real code on recorded mainnet: `exchange` of the pool whose
 * state is recorded whole, in every direction and size. Skipped where the recording is absent, without CI.
 */
import {
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Address, BlockPin, Hex } from '../../src/domain/primitives.js'
import type { ReadResult, StateReader } from '../../src/domain/state.js'
import { curve } from '../../src/protocols/curve/index.js'
import type { Pool } from '../../src/protocols/pool.js'
import { startAnvil, type TestAnvil } from '../support/anvil.js'
import { type RecordedNode, recordedSwaps, startRecordedNode } from '../support/recorded-mainnet.js'
import { describeRecorded } from './describe-recorded.js'

const address: Address = '0x7f86bf177dd4f3494b841a37e810a34dd56c829b'
/** USDC, WBTC, WETH, and where each keeps balances and allowances. */
const coins = [
  { token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', balances: 9n, allowances: 10n },
  { token: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', balances: 0n, allowances: 2n },
  { token: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', balances: 3n, allowances: 4n },
] as const
const pool: Pool = {
  protocol: 'curve',
  id: address,
  address,
  tokens: coins.map(({ token }) => token),
  parameters: { kind: 'crypto', decimals: ['6', '8', '18'] },
}
const trader: Address = '0x00000000000000000000000000000000000abcde'
const abi = parseAbi(['function exchange(uint256, uint256, uint256, uint256) returns (uint256)'])

const slotOf = (key: Address, base: Hex | bigint) =>
  keccak256(encodeAbiParameters(parseAbiParameters('address, bytes32'), [key, toWord(base)]))
const toWord = (value: Hex | bigint): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

describeRecorded('crypto pool of recorded mainnet', () => {
  let node: RecordedNode
  let fork: TestAnvil

  beforeAll(async () => {
    node = await startRecordedNode()
    const { stateBlock } = recordedSwaps()
    fork = await startAnvil([
      ...['--fork-url', node.url, '--fork-block-number', String(stateBlock), '--chain-id', '1'],
      ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
    ])
  })

  afterAll(async () => {
    await fork?.stop()
    await node?.stop()
  })

  /** What the pool itself pays; 0n where it reverts. */
  async function exchanged(i: number, j: number, amountIn: bigint): Promise<bigint> {
    const { token, balances, allowances } = coins[i] ?? coins[0]
    const stateDiff = {
      [slotOf(trader, balances)]: toWord(amountIn),
      [slotOf(address, slotOf(trader, allowances))]: toWord(amountIn),
    }
    const data = encodeFunctionData({ abi, args: [BigInt(i), BigInt(j), amountIn, 0n] })
    const call = [{ from: trader, to: address, data }, 'latest', { [token]: { stateDiff } }]
    const reply = await fork.rpc<Hex>('eth_call', call).catch((error: Error) => {
      if (error.message.includes('revert')) return '0x0' as const
      throw error
    })
    return BigInt(reply)
  }

  test('any swap pays what is quoted, to the wei', async () => {
    const { timestamp } = await fork.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const reader: StateReader = {
      block: { timestamp: BigInt(timestamp) } as BlockPin,
      storage: () => Promise.reject(new Error('Curve pools are read by calls')),
      call: (calls) =>
        Promise.all(
          calls.map(
            async ({ to, data }): Promise<ReadResult> =>
              fork.rpc<Hex>('eth_call', [{ to, data }, 'latest']).then(
                (value) => ({ ok: true, value }),
                (error: Error) => ({ ok: false, reason: 'unreadable', message: error.message }),
              ),
          ),
        ),
    }
    const [loaded] = await curve.swaps.load({ reader, chain: ethereum, venue: {}, pools: [pool] })
    if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
    const { state } = loaded
    if (state.kind !== 'crypto') throw new Error(`loaded as ${state.kind}`)
    const shares = [0, 1, 2, 3, 4, 5, 6].flatMap((digits) =>
      [1n, 3n, 7n].map((factor) => ({ factor, divisor: 10n ** BigInt(digits) })),
    )
    for (const [i, balance] of state.balances.entries()) {
      for (const j of [0, 1, 2].filter((k) => k !== i)) {
        for (const { factor, divisor } of shares) {
          const amountIn = (balance * factor) / divisor
          const [tokenIn, tokenOut] = [coins[i]?.token ?? '0x', coins[j]?.token ?? '0x'] as const
          const { amountOut } = curve.swaps.swap(pool, state, { tokenIn, tokenOut }, amountIn)
          expect({ i, j, amountIn, amountOut }).toEqual({
            i,
            j,
            amountIn,
            amountOut: await exchanged(i, j, amountIn),
          })
          expect(amountOut).toBeGreaterThan(0n)
        }
      }
    }
  })
})
