/** Pendle on the sandbox's Ethereum at its own addresses, with a market of an SY whose vault earns, and so much of both for a sender. */
import { type Hex, maxUint256, numberToHex } from 'viem'
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import {
  factoriesOf,
  marketPool,
  routerOf,
  yieldFactoriesOf,
} from '../../../../src/protocols/pendle/pools.js'
import type { Pool } from '../../../../src/protocols/pool.js'
import { sandboxToken } from '../../../../src/sandbox/tokens.js'
import { NodeWriter } from '../../nodes/node-writer.js'
import { compileTestContracts } from '../../test-contracts.js'
import { openMarket, placePendle, placeVaultYield, type Site } from './place-pendle.js'

const venue = ethereum.venues.pendle ?? {}
const ether = 10n ** 18n
const day = 86_400n
/** Where the vault keeps what it holds. */
const storedSlot = numberToHex(5, { size: 32 })

export function siteOf(node: NodeWriter): Site {
  return {
    owner: NodeWriter.owner,
    deploy: (code, types, values) => node.deploy(code, types, values),
    at: (address, code, types, values) => node.place(address, code, types, values),
    send: (to, signature, args) => node.send(to, signature, args),
    read: (to, signature, args) => node.read(to, signature, args, NodeWriter.owner),
  }
}

/** @returns the record of the market, whose tokens are PT and SY, and expire in so many days. */
export async function placePendleOnSandbox(
  node: NodeWriter,
  sender: Address,
  days: bigint,
): Promise<Pool> {
  const [router, factory] = [routerOf(venue), factoriesOf(venue).at(-1)]
  const yieldFactory = yieldFactoriesOf(venue).at(-1)
  if (!router || !factory || !yieldFactory) throw new Error('the chain file names no Pendle')
  const site = siteOf(node)
  const weth = sandboxToken('WETH').address
  const placed = await placePendle(site, { router, factory, yieldFactory })
  const vault = await node.deploy(
    compileTestContracts('Vaults.sol')('AccruingVault').bytecode,
    'address',
    [weth],
  )
  const sy = await placeVaultYield(site, vault)
  const amount = 4_000n * ether
  await node.rpc('anvil_dealERC20', [NodeWriter.owner, weth, numberToHex(amount)])
  await node.send(weth, 'function approve(address, uint256)', [sy, maxUint256])
  const deposit = 'function deposit(address, address, uint256, uint256)'
  await node.send(sy, deposit, [NodeWriter.owner, weth, amount, 0n])
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const { market, pt, yt } = await openMarket(site, placed, {
    sy,
    expiry: (BigInt(timestamp) / day + days) * day,
    scalarRoot: 60n * ether,
    initialAnchor: (106n * ether) / 100n,
    lnFeeRateRoot: 4_987_541_511_038_968n,
    split: 2_000n * ether,
    beside: 800n * ether,
  })
  for (const token of [pt, sy]) {
    await node.send(token, 'function transfer(address, uint256)', [sender, 100n * ether])
  }
  return marketPool(market, { pt, sy, yt, factory })
}

/** The vault of the SY has earned so many millionths of what it holds. */
export async function earn(node: NodeWriter, sy: Address, millionths: bigint): Promise<void> {
  const vault = toAddress(`0x${(await node.read(sy, 'function yieldToken() view')).slice(-40)}`)
  const stored = BigInt(await node.rpc<Hex>('eth_getStorageAt', [vault, storedSlot, 'latest']))
  const more = numberToHex(stored + (stored * millionths) / 1_000_000n, { size: 32 })
  await node.rpc('anvil_setStorageAt', [vault, storedSlot, more])
}
