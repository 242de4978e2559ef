/**
 * Yearn V2: its registry and two vaults at their mainnet addresses, each with a strategy that reports a gain now and
 * then, so that the share price moves by the second while the gain is unlocked. Its vaults' code is version 0.3.4.
 */
import { type Abi, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, maxUint256, toAddress, zeroAddress } from '../../domain/primitives.js'
import { sandboxAccount } from '../accounts.js'
import { placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { rawWorth } from '../market/amounts.js'
import { ethereumMarket } from '../market/market-pools.js'
import { sandboxToken } from '../tokens.js'
import type { SandboxVenue } from './venue.js'
import { everyBlocks, yieldOf } from './yield.js'

interface VaultSpec {
  readonly vault: Address
  readonly strategy: Address
  readonly symbol: string
  readonly depositUsd: number
  /** Gain of a year, basis points, before fees. */
  readonly yieldBps: bigint
}

export const yearnVaultSpecs: readonly VaultSpec[] = [
  {
    vault: '0xda816459f1ab5631232fe5e97a05bbbb94970c95',
    strategy: '0xf702e700000000000000000000000000000ea401',
    symbol: 'DAI',
    depositUsd: 5_000_000,
    yieldBps: 1_100n,
  },
  {
    vault: '0xa258c4606ca8206d8aa700ce2143d7db854d168c',
    strategy: '0xf702e700000000000000000000000000000ea402',
    symbol: 'WETH',
    depositUsd: 4_000_000,
    yieldBps: 700n,
  },
]

/** Part of the assets that strategies hold, basis points: the rest lies in the vault. */
const debtRatioBps = 8_000n
const performanceFeeBps = 1_000n
const registry = toAddress(String(ethereum.venues['yearn-v2']?.registry))

const abi = parseAbi([
  'function initialize(address token, address governance, address rewards, string name, string symbol, address guardian)',
  'function setDepositLimit(uint256 limit)',
  'function addStrategy(address strategy, uint256 debtRatio, uint256 minDebt, uint256 maxDebt, uint256 fee)',
  'function newRelease(address vault)',
  'function endorseVault(address vault)',
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function deposit(uint256 amount, address recipient)',
  'function harvest(uint256 gain)',
])

export const yearnV2Venue: SandboxVenue = {
  async open({ chain, deployer, code }) {
    const send = (to: Address, functionName: string, args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
      chain.send({ from: deployer, to, data })
    }
    await placeContracts(chain, deployer, [
      { address: registry, creationCode: code('yearnRegistry') },
      ...yearnVaultSpecs.map(({ vault }) => ({ address: vault, creationCode: code('yearnVault') })),
    ])
    for (const { vault, symbol } of yearnVaultSpecs) {
      const names = ['', '']
      const asset = sandboxToken(symbol).address
      send(vault, 'initialize', [asset, deployer, deployer, ...names, deployer])
      send(vault, 'setDepositLimit', [
        rawWorth(sandboxToken(symbol), 100_000_000, ethereumMarket.startPrices),
      ])
    }
    await chain.mine()
    await placeContracts(
      chain,
      deployer,
      yearnVaultSpecs.map(({ vault, strategy, symbol }) => ({
        address: strategy,
        creationCode: sandboxBytecode.ScriptedStrategy,
        types: parseAbiParameters('address, address, address'),
        args: [vault, sandboxToken(symbol).address, deployer],
      })),
    )
    const [first] = yearnVaultSpecs
    send(registry, 'newRelease', [first?.vault ?? zeroAddress])
    for (const { vault, strategy, symbol, depositUsd } of yearnVaultSpecs) {
      send(registry, 'endorseVault', [vault])
      const asset = sandboxToken(symbol)
      const deposited = rawWorth(asset, depositUsd, ethereumMarket.startPrices)
      send(asset.address, 'approve', [vault, maxUint256])
      send(vault, 'deposit', [deposited - deposited / 20n, deployer])
      send(vault, 'deposit', [deposited / 20n, sandboxAccount('alice').address])
      send(vault, 'addStrategy', [strategy, debtRatioBps, 0n, maxUint256, performanceFeeBps])
    }
    await chain.mine()
    for (const { strategy } of yearnVaultSpecs) send(strategy, 'harvest', [0n])
    await chain.mine()
  },

  beforeBlock({ chain, deployer }, block) {
    if (block % everyBlocks !== 0) return
    for (const { strategy, symbol, depositUsd, yieldBps } of yearnVaultSpecs) {
      const asset = sandboxToken(symbol)
      const gain = yieldOf(rawWorth(asset, depositUsd, ethereumMarket.startPrices), yieldBps)
      for (const [to, functionName, args] of [
        [asset.address, 'transfer', [strategy, gain]],
        [strategy, 'harvest', [gain]],
      ] as const) {
        const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
        chain.send({ from: deployer, to, data, gas: 800_000n })
      }
    }
  },
}
