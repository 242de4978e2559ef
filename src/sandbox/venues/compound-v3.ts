/**
 * Compound III: one market of dollars against wrapped ether at the address of the real one. Its code is ours
 * (`SandboxComet.sol`), as no package ships the real one compiled. The deployer lends and borrows.
 */
import { encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { type Address, maxUint256 } from '../../domain/primitives.js'
import { placeContracts } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { sandboxToken } from '../tokens.js'
import { feedOf, reportPrices } from './price-reports.js'
import type { SandboxVenue, VenueTools } from './venue.js'

const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
const dollar = 10n ** 6n
const ether = 10n ** 18n
const supplied = 80_000_000n * dollar
const backing = 40_000n * ether
const borrowed = 66_000_000n * dollar
const activityGas = 400_000n
const blocksBetweenActivities = 18

const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function supply(address asset, uint256 amount)',
  'function withdraw(address asset, uint256 amount)',
])

/** One account either lends or borrows: the loans are those of an account that only this venue uses. */
const borrower: Address = '0xf702e700000000000000000000000000000c0301'

export const compoundV3: SandboxVenue = {
  async open({ chain, deployer, ...rest }) {
    const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
    reportPrices({ chain, deployer, ...rest })
    await chain.all([
      { method: 'anvil_impersonateAccount', params: [borrower] },
      { method: 'anvil_setBalance', params: [borrower, '0x56bc75e2d63100000'] },
    ])
    await placeContracts(chain, deployer, [
      {
        address: comet,
        creationCode: sandboxBytecode.SandboxComet,
        types: parseAbiParameters(
          'string name, string symbol, address base, address baseFeed, address collateral, address collateralFeed',
        ),
        args: ['Compound USDC', 'cUSDCv3', usdc, feedOf('USDC'), weth, feedOf('WETH')],
      },
    ])
    const send = (from: Address, to: Address, functionName: string, args: readonly unknown[]) => {
      chain.send({ from, to, data: encodeFunctionData({ abi, functionName, args } as never) })
    }
    send(deployer, usdc, 'approve', [comet, maxUint256])
    send(deployer, comet, 'supply', [usdc, supplied])
    send(deployer, weth, 'transfer', [borrower, backing])
    await chain.mine()
    send(borrower, weth, 'approve', [comet, maxUint256])
    send(borrower, comet, 'supply', [weth, backing])
    send(borrower, comet, 'withdraw', [usdc, borrowed])
    await chain.mine()
  },

  /** In turns: more is lent, and a part of it is taken back. */
  beforeBlock({ chain, deployer }: VenueTools, block) {
    if (block % blocksBetweenActivities !== 3) return
    const turn = (block - 3) / blocksBetweenActivities
    const usdc = sandboxToken('USDC').address
    const functionName = turn % 3 === 2 ? 'withdraw' : 'supply'
    const args = [usdc, (20_000n + BigInt(turn) * 311n) * dollar] as const
    const data = encodeFunctionData({ abi, functionName, args })
    chain.send({ from: deployer, to: comet, data, gas: activityGas })
  },
}
