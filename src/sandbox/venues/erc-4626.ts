/**
 * ERC-4626 vaults of OpenZeppelin's code: plain ones whose share price rises, one that is full soon, one that is paused,
 * one that has lent most of its assets out, and one whose asset taxes transfers.
 */
import { encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { type Address, maxUint256, toAddress } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import { sandboxAccount } from '../accounts.js'
import { placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { rawWorth } from '../market/amounts.js'
import { ethereumMarket } from '../market/market-pools.js'
import { sandboxToken } from '../tokens.js'
import type { SandboxVenue } from './venue.js'
import { everyBlocks, yieldOf } from './yield.js'

interface VaultSpec {
  readonly address: Address
  /** Symbol of the asset. */
  readonly symbol: string
  readonly suffix?: string
  /** Decimals that a share has more than the asset. */
  readonly offset?: number
  /** First deposit, dollars. */
  readonly depositUsd: number
  /** Gain of a year, basis points. */
  readonly yieldBps: bigint
  /** Dollars; absent: none. */
  readonly capUsd?: number
  readonly isPaused?: boolean
  /** Percent of the first deposit. */
  readonly lent?: bigint
}

const vaultAddress = (place: number): Address => `0xf702e7000000000000000000000000000046260${place}`

export const vaultSpecs: readonly VaultSpec[] = [
  {
    address: vaultAddress(1),
    symbol: 'USDC',
    offset: 12,
    depositUsd: 8_000_000,
    yieldBps: 480n,
  },
  { address: vaultAddress(2), symbol: 'WETH', depositUsd: 6_000_000, yieldBps: 270n },
  { address: vaultAddress(3), symbol: 'CRV', depositUsd: 900_000, yieldBps: 910n },
  {
    address: vaultAddress(4),
    symbol: 'DAI',
    suffix: 'capped',
    depositUsd: 990_000,
    yieldBps: 0n,
    capUsd: 1_000_000,
  },
  {
    address: vaultAddress(5),
    symbol: 'USDT',
    suffix: 'paused',
    depositUsd: 500_000,
    yieldBps: 0n,
    isPaused: true,
  },
  {
    address: vaultAddress(6),
    symbol: 'LINK',
    suffix: 'lent',
    depositUsd: 1_000_000,
    yieldBps: 620n,
    lent: 95n,
  },
  {
    address: vaultAddress(7),
    symbol: 'PAXG',
    suffix: 'taxed',
    depositUsd: 400_000,
    yieldBps: 0n,
  },
]

const vaultAbi = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function deposit(uint256 assets, address receiver)',
  'function lend(address borrower, uint256 assets)',
  'function pause()',
])

/** @throws RangeError for a vault that the sandbox does not have. */
export function sandboxVault(symbol: string): Address {
  const spec = vaultSpecs.find((each) => each.symbol === symbol)
  if (!spec) throw new RangeError(`The sandbox has no vault of ${symbol}.`)
  return spec.address
}

export const erc4626Venue: SandboxVenue = {
  pools: vaultSpecs.map(({ address, symbol }): Pool => {
    const tokens = [sandboxToken(symbol).address, toAddress(address)]
    return { protocol: 'erc-4626', id: address, address, tokens, parameters: {} }
  }),

  async open({ chain, deployer }) {
    await placeContracts(
      chain,
      deployer,
      vaultSpecs.map(({ address, symbol, suffix, offset = 0, capUsd }) => {
        const asset = sandboxToken(symbol)
        const cap =
          capUsd === undefined ? maxUint256 : rawWorth(asset, capUsd, ethereumMarket.startPrices)
        const tail = suffix ? ` ${suffix}` : ''
        return {
          address,
          creationCode: sandboxBytecode.ScriptedVault,
          types: parseAbiParameters('string, string, address, uint8, uint256, address'),
          args: [
            `Sandbox ${symbol} vault${tail}`,
            `sv${symbol}${suffix ? `-${suffix}` : ''}`,
            asset.address,
            offset,
            cap,
            deployer,
          ],
        }
      }),
    )
    for (const { address, symbol, depositUsd, isPaused, lent } of vaultSpecs) {
      const asset = sandboxToken(symbol)
      const send = (to: Address, call: Parameters<typeof encodeFunctionData<typeof vaultAbi>>[0]) =>
        chain.send({ from: deployer, to, data: encodeFunctionData(call) })
      send(asset.address, { abi: vaultAbi, functionName: 'approve', args: [address, maxUint256] })
      const deposited = rawWorth(asset, depositUsd, ethereumMarket.startPrices)
      for (const [owner, amount] of [
        [deployer, deposited - deposited / 20n],
        [sandboxAccount('alice').address, deposited / 20n],
      ] as const) {
        send(address, { abi: vaultAbi, functionName: 'deposit', args: [amount, owner] })
      }
      if (isPaused) send(address, { abi: vaultAbi, functionName: 'pause' })
      if (lent) {
        const args = [deployer, (deposited * lent) / 100n] as const
        send(address, { abi: vaultAbi, functionName: 'lend', args })
      }
    }
    await chain.mine()
  },

  beforeBlock({ chain, deployer }, block) {
    if (block % everyBlocks !== 0) return
    for (const { address, symbol, depositUsd, yieldBps } of vaultSpecs) {
      if (yieldBps === 0n) continue
      const asset = sandboxToken(symbol)
      const gain = yieldOf(rawWorth(asset, depositUsd, ethereumMarket.startPrices), yieldBps)
      const args = [address, gain] as const
      const data = encodeFunctionData({ abi: vaultAbi, functionName: 'transfer', args })
      chain.send({ from: deployer, to: asset.address, data, gas: 200_000n })
    }
  },
}
