/** Opens the reserves: their tokens, limits and first liquidity. */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { sandboxToken } from '../tokens.js'
import { aaveV3Addresses as at, rateStrategyAddress } from './aave-v3-addresses.js'
import { type AaveReserveSpec, aaveReserveSpecs } from './aave-v3-specs.js'
import type { VenueTools } from './venue.js'

const configuratorAbi = parseAbi([
  'struct Reserve { address aToken; address stableDebtToken; address variableDebtToken; uint8 decimals; address rates; address underlying; address treasury; address rewards; string aTokenName; string aTokenSymbol; string variableName; string variableSymbol; string stableName; string stableSymbol; bytes params; }',
  'function initReserves(Reserve[] input)',
  'function configureReserveAsCollateral(address asset, uint256 ltv, uint256 threshold, uint256 bonus)',
  'function setReserveBorrowing(address asset, bool enabled)',
  'function setReserveFactor(address asset, uint256 factor)',
  'function setSupplyCap(address asset, uint256 cap)',
  'function setReserveFreeze(address asset, bool isFrozen)',
  'function setReservePause(address asset, bool isPaused)',
])

export async function openReserves({ chain, deployer }: VenueTools): Promise<void> {
  for (const [place, spec] of aaveReserveSpecs.entries()) {
    const to = at.poolConfigurator
    await chain.all([{ method: 'anvil_setNonce', params: [to, numberToHex(spec.nonce)] }])
    const { address: asset, decimals } = sandboxToken(spec.symbol)
    const administer = administrator({ chain, deployer })
    administer('initReserves', [[reserveInput(spec, asset, decimals, place)]])
    administer('configureReserveAsCollateral', [asset, spec.ltv, spec.threshold, spec.bonus])
    administer('setReserveBorrowing', [asset, true])
    administer('setReserveFactor', [asset, spec.reserveFactor])
    if (spec.supplyCap !== undefined) administer('setSupplyCap', [asset, spec.supplyCap])
    await chain.mine()
  }
}

/** After the liquidity is there: what is closed lets none in. */
export function closeReserves(tools: Pick<VenueTools, 'chain' | 'deployer'>): void {
  const administer = administrator(tools)
  for (const { symbol, isPaused } of aaveReserveSpecs) {
    if (isPaused) administer('setReservePause', [sandboxToken(symbol).address, true])
  }
}

/** After the debts are there. */
export function freezeReserves(tools: Pick<VenueTools, 'chain' | 'deployer'>): void {
  const administer = administrator(tools)
  for (const { symbol, isFrozen } of aaveReserveSpecs) {
    if (isFrozen) administer('setReserveFreeze', [sandboxToken(symbol).address, true])
  }
}

function reserveInput(spec: AaveReserveSpec, asset: Address, decimals: number, place: number) {
  const { symbol } = spec
  return {
    aToken: at.aToken,
    stableDebtToken: at.stableDebtToken,
    variableDebtToken: at.variableDebtToken,
    decimals,
    rates: rateStrategyAddress(place),
    underlying: asset,
    treasury: at.treasury,
    rewards: at.rewardsController,
    aTokenName: `Aave Ethereum ${symbol}`,
    aTokenSymbol: `aEth${symbol}`,
    variableName: `Aave Ethereum Variable Debt ${symbol}`,
    variableSymbol: `variableDebtEth${symbol}`,
    stableName: `Aave Ethereum Stable Debt ${symbol}`,
    stableSymbol: `stableDebtEth${symbol}`,
    params: '0x10',
  }
}

function administrator({ chain, deployer }: Pick<VenueTools, 'chain' | 'deployer'>) {
  return (functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi: configuratorAbi, functionName, args } as never)
    chain.send({ from: deployer, to: at.poolConfigurator, data })
  }
}
