/** PancakeSwap's Infinity on the sandbox's copy of Base, at its addresses there, with pools of both kinds. */
import { numberToHex } from 'viem'
import { base } from '../../../../src/chains/base.js'
import { type Address, toAddress, zeroAddress } from '../../../../src/domain/primitives.js'
import { sqrtPriceAtTick } from '../../../../src/protocols/shared/concentrated/tick-math.js'
import { dynamicFee } from '../../../../src/protocols/shared/keyed/currencies.js'
import { mappingSlot, toWord } from '../../../../src/protocols/shared/storage-slots.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import {
  binManager,
  clManager,
  compileInfinity,
  type InfinityKey,
  idOf,
  setFees,
} from './contracts.js'

const managerOf = (slug: string) => toAddress(String(base.venues[slug]?.poolManager))
const cl = managerOf('pancakeswap-infinity-cl')
const bin = managerOf('pancakeswap-infinity-bin')
const router = toAddress(String(base.venues['pancakeswap-infinity-cl']?.router))
/** @see pancakeswap/infinity-core 7c04695, script/config/base-mainnet.json */
const vault: Address = '0x238a358808379702088667322f80ac48bad5e6c4'
const [weth, usdc, cbbtc] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf',
] as const satisfies readonly Address[]
/** Hooks that take part in liquidity alone, and may set the fee. */
const hooks: Address = `0x${'ab'.repeat(20)}`
const ofLiquidity = 0b11_0011_1111

export const infinity = { cl, bin, router, weth, usdc, cbbtc }

const keyOf = (
  poolManager: Address,
  [currency0, currency1]: readonly [Address, Address],
  [fee, spacing]: readonly [number, number],
  permissions = 0,
): InfinityKey => ({
  currency0,
  currency1,
  hooks: permissions === 0 ? zeroAddress : hooks,
  poolManager,
  fee,
  parameters: toWord((BigInt(spacing) << 16n) | BigInt(permissions)),
})

export const infinityKeys = {
  /** In a usual tier. */
  etherDollars: keyOf(cl, [weth, usdc], [500, 10]),
  nativeDollars: keyOf(cl, [zeroAddress, usdc], [670, 7]),
  dynamic: keyOf(cl, [weth, cbbtc], [dynamicFee, 10], ofLiquidity),
  coins: keyOf(bin, [usdc, cbbtc], [100, 10]),
  nativeCoins: keyOf(bin, [zeroAddress, cbbtc], [2_500, 25]),
} as const

/** Where a concentrated pool has its price and fees. */
export const infinitySlot0 = (key: InfinityKey) => toWord(mappingSlot(BigInt(idOf(key)), 4n))

/** @param lpFee - 1/1_000_000; the protocol takes 333 of it beside, of the second token in 77. */
const setInfinityFees = (node: NodeWriter, key: InfinityKey, lpFee: number) =>
  node.send(key.poolManager, setFees, [idOf(key), (77 << 12) | 333, lpFee])

const oneIsId = 2 ** 23
const [ether, coin, dollar] = [10n ** 18n, 10n ** 8n, 10n ** 6n]

async function openCl(node: NodeWriter, key: InfinityKey, tick: number, liquidity: bigint) {
  await node.send(cl, clManager.initialize, [key, sqrtPriceAtTick(tick) + 1n])
  const spacing = Number((BigInt(key.parameters) >> 16n) & 0xffffffn)
  const middle = Math.floor(tick / spacing) * spacing
  for (const [width, part] of [
    [1_000, liquidity],
    [20, liquidity / 3n],
  ] as const) {
    const ends = [middle - width * spacing, middle + width * spacing]
    await node.send(cl, clManager.provide, [key, ...ends, part])
  }
}

async function openBin(
  node: NodeWriter,
  key: InfinityKey,
  activeId: number,
  [x, y]: readonly [bigint, bigint],
) {
  await node.send(bin, binManager.initialize, [key, activeId])
  const offsets = Array.from({ length: 81 }, (_, k) => k - 40)
  const words = offsets.map((offset) => (offset >= 0 ? x : 0n) | ((offset <= 0 ? y : 0n) << 128n))
  const ids = offsets.map((offset) => BigInt(activeId + offset))
  await node.send(bin, binManager.seed, [idOf(key), ids, words])
}

/** Ether is worth some 3,012 USDC in all pools, cbBTC some 90,345. */
export async function placeInfinity(node: NodeWriter): Promise<void> {
  const code = await compileInfinity()
  await node.place(vault, code('InfinityVaultLike'))
  await node.place(cl, code('ClManagerLike'), 'address', [vault])
  await node.place(bin, code('BinManagerLike'), 'address', [vault])
  const contracts = [vault, cl, bin]
  await node.place(router, code('InfinityRouterLike'), 'address, address, address', contracts)
  for (const app of [cl, bin]) await node.send(vault, 'function registerApp(address)', [app])
  await deal(node, vault, [
    [usdc, 30_000_000n * dollar],
    [weth, 10_000n * ether],
    [cbbtc, 300n * coin],
  ])
  await node.rpc('anvil_setBalance', [vault, numberToHex(10_000n * ether)])
  await node.rpc('evm_mine', [])
  const { etherDollars, nativeDollars, dynamic, coins, nativeCoins } = infinityKeys
  await openCl(node, etherDollars, -196_217, 18n * 10n ** 16n)
  await openCl(node, nativeDollars, -196_218, 14n * 10n ** 16n)
  await openCl(node, dynamic, -264_283, 164n * 10n ** 13n)
  await setInfinityFees(node, dynamic, 700)
  await openBin(node, coins, oneIsId - 6_810, [50_000n * dollar, coin / 2n])
  await setInfinityFees(node, coins, 100)
  await openBin(node, nativeCoins, oneIsId - 10_584, [10n * ether, coin / 3n])
}
