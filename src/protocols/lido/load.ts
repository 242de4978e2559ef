import { encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { readWord } from '../shared/read-word.js'
import {
  pooledEthByShares,
  type StakedState,
  sharesByPooledEth,
} from '../shared/staked-shares/math.js'

const abi = parseAbi([
  'function totalSupply() view returns (uint256)',
  'function getExternalEther() view returns (uint256)',
  'function getCurrentStakeLimit() view returns (uint256)',
  'function getSharesByPooledEth(uint256 amount) view returns (uint256)',
  'function getPooledEthByShares(uint256 shares) view returns (uint256)',
])

const getters = ['totalSupply', 'getExternalEther', 'getCurrentStakeLimit'] as const
/** Raw units asked of both conversions: below the contract's bound of 2^128, far above what there is. */
const probe = 2n ** 120n + 7n

/**
 * The rate is that of ether and shares without those of external vaults. Its ether is read; its shares are what the
 * contract says this ether stands for, exact as that division leaves no rest. One more answer each way proves both.
 * Contracts before external vaults have no such ether, and ones without a stake limit take no ether here.
 */
export async function loadLido(
  reader: StateReader,
  to: Address,
): Promise<StakedState | { readonly message: string }> {
  const facts = await reader.call(
    getters.map((functionName) => ({ to, data: encodeFunctionData({ abi, functionName }) })),
  )
  const [supply = null, external, stakeLimit] = facts.map(readWord)
  const pooledEther = (supply ?? 0n) - (external ?? 0n)
  const conversions = await reader.call([
    { to, data: sharesCall(pooledEther) },
    { to, data: sharesCall(probe) },
    { to, data: encodeFunctionData({ abi, functionName: 'getPooledEthByShares', args: [probe] }) },
  ])
  for (const result of [...facts, ...conversions]) {
    if (!result.ok && result.reason === 'unreadable') return { message: result.message }
  }
  const [shares, probeShares, probeEther] = conversions.map(readWord)
  if (supply === null || !shares) return { message: 'It does not say what a share is worth.' }
  const state = { pooledEther, shares, stakeLimit: stakeLimit ?? 0n, proven: false }
  const proven =
    probeShares === sharesByPooledEth(state, probe) &&
    probeEther === pooledEthByShares(state, probe)
  return { ...state, proven }
}

function sharesCall(amount: bigint) {
  return encodeFunctionData({ abi, functionName: 'getSharesByPooledEth', args: [amount] })
}
