/** The rate of eETH: pooled ether over shares, proven by the pool's own conversions. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Loaded } from '../shared/conversions/conversion.js'
import { readWord } from '../shared/read-word.js'
import {
  pooledEthByShares,
  type StakedState,
  sharesByPooledEth,
} from '../shared/staked-shares/math.js'

const abi = parseAbi([
  'function getTotalPooledEther() view returns (uint256)',
  'function totalShares() view returns (uint256)',
  'function paused() view returns (bool)',
  'function sharesForAmount(uint256 amount) view returns (uint256)',
  'function amountForShare(uint256 shares) view returns (uint256)',
])
/** Raw units asked of both conversions, far above what there is. */
const probe = 2n ** 120n + 7n
/** The most that the pool's figures can count. */
const mostEther = 2n ** 128n - 1n

export interface EtherFiState extends StakedState {
  readonly liquidityPool: Address
}

export function addressesOf(venue: VenueParameters) {
  return {
    liquidityPool: toAddress(String(venue.liquidityPool)),
    eETH: toAddress(String(venue.eETH)),
    weETH: toAddress(String(venue.weETH)),
  }
}

export async function loadEtherFi(
  reader: StateReader,
  venue: VenueParameters,
): Promise<Loaded<EtherFiState>> {
  const { liquidityPool, eETH } = addressesOf(venue)
  const to = liquidityPool
  const answers = await reader.call([
    { to, data: encodeFunctionData({ abi, functionName: 'getTotalPooledEther' }) },
    { to: eETH, data: encodeFunctionData({ abi, functionName: 'totalShares' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'paused' }) },
    { to, data: encodeFunctionData({ abi, functionName: 'sharesForAmount', args: [probe] }) },
    { to, data: encodeFunctionData({ abi, functionName: 'amountForShare', args: [probe] }) },
  ])
  const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
  if (refused && !refused.ok) return { message: refused.message }
  const [pooledEther = null, shares = null, paused, probeShares, probeEther] = answers.map(readWord)
  if (pooledEther === null || shares === null) {
    return { message: 'It does not say what a share is worth.' }
  }
  // A deposit is refused while the pool is paused; wrapping goes on.
  const stakeLimit = paused ? 0n : mostEther
  const state = { liquidityPool, pooledEther, shares, stakeLimit, proven: false }
  const proven =
    probeShares === sharesByPooledEth(state, probe) &&
    probeEther === pooledEthByShares(state, probe)
  return { state: { ...state, proven } }
}
