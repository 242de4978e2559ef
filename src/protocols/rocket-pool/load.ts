/** Addresses of the network's contracts by its storage contract, then the figures that they state. */
import { encodeFunctionData, type Hex, keccak256, parseAbi, stringToHex } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Loaded } from '../shared/conversions/conversion.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { etherFor, type RocketState, rethFor } from './math.js'

const abi = parseAbi([
  'function getAddress(bytes32 key) view returns (address)',
  'function getTotalETHBalance() view returns (uint256)',
  'function getTotalRETHSupply() view returns (uint256)',
  'function getDepositFee() view returns (uint256)',
  'function getMinimumDeposit() view returns (uint256)',
  'function getMaximumDepositAmount() view returns (uint256)',
  'function getTotalCollateral() view returns (uint256)',
  'function getRethValue(uint256 amount) view returns (uint256)',
  'function getEthValue(uint256 amount) view returns (uint256)',
])

export const depositPool = 'rocketDepositPool'
const names = [depositPool, 'rocketNetworkBalances', 'rocketDAOProtocolSettingsDeposit']
/** Raw units asked of both conversions, far above what there is. */
const probe = 2n ** 120n + 7n

/** @see rocket-pool/rocketpool 0125b44, contracts/contract/RocketBase.sol, getContractAddress */
export function addressKey(name: string): Hex {
  return keccak256(stringToHex(`contract.address${name}`))
}

export function addressesOf(venue: VenueParameters): {
  readonly storage: Address
  readonly rETH: Address
} {
  return { storage: toAddress(String(venue.storage)), rETH: toAddress(String(venue.rETH)) }
}

export async function loadRocket(
  reader: StateReader,
  venue: VenueParameters,
): Promise<Loaded<RocketState>> {
  const { storage, rETH } = addressesOf(venue)
  const found = await reader.call(
    names.map((name) => ({
      to: storage,
      data: encodeFunctionData({ abi, functionName: 'getAddress', args: [addressKey(name)] }),
    })),
  )
  const refused = refusalIn(found)
  if (refused) return refused
  const [depositPool, balances, settings] = found.map((answer) =>
    answer.ok && readWord(answer) !== null ? addressInWord(answer.value) : null,
  )
  if (!depositPool || !balances || !settings) {
    return { message: 'Its storage does not name its contracts.' }
  }
  const read = (
    to: Address,
    functionName:
      | 'getTotalETHBalance'
      | 'getTotalRETHSupply'
      | 'getDepositFee'
      | 'getMinimumDeposit'
      | 'getMaximumDepositAmount'
      | 'getTotalCollateral',
  ) => ({
    to,
    data: encodeFunctionData({ abi, functionName }),
  })
  const convert = (functionName: 'getRethValue' | 'getEthValue') => ({
    to: rETH,
    data: encodeFunctionData({ abi, functionName, args: [probe] }),
  })
  const answers = await reader.call([
    read(balances, 'getTotalETHBalance'),
    read(balances, 'getTotalRETHSupply'),
    read(settings, 'getDepositFee'),
    read(settings, 'getMinimumDeposit'),
    read(depositPool, 'getMaximumDepositAmount'),
    read(rETH, 'getTotalCollateral'),
    convert('getRethValue'),
    convert('getEthValue'),
  ])
  const unread = refusalIn(answers)
  if (unread) return unread
  const words = answers.map(readWord)
  const [totalEther, supply, depositFee, minDeposit, maxDeposit, collateral, reth, ether] = words
  if (totalEther == null || supply == null || collateral == null) {
    return { message: 'It does not say what rETH is worth.' }
  }
  const state: RocketState = {
    depositPool,
    totalEther,
    supply,
    collateral,
    // Before there was a fee there was no such setting; a pool that does not state its room takes nothing here.
    depositFee: depositFee ?? 0n,
    minDeposit: minDeposit ?? 0n,
    maxDeposit: maxDeposit ?? 0n,
    proven: false,
  }
  const proven = reth === rethFor(state, probe) && ether === etherFor(state, probe)
  return { state: { ...state, proven } }
}

function refusalIn(answers: readonly ReadResult[]): { readonly message: string } | null {
  const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
  return refused && !refused.ok ? { message: refused.message } : null
}
