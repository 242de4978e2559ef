/**
 * State of vaults in one bulk read. The share price that the vault reports at the intended time proves the withdrawal
 * math. No function reports what a deposit buys, so deposits are exact only for versions that were tried.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { readWord } from '../shared/read-word.js'
import { freeFundsAt, type YearnState } from './math.js'

const abi = parseAbi([
  'function totalAssets() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function depositLimit() view returns (uint256)',
  'function emergencyShutdown() view returns (bool)',
  'function lockedProfit() view returns (uint256)',
  'function lastReport() view returns (uint256)',
  'function lockedProfitDegration() view returns (uint256)',
  'function lockedProfitDegradation() view returns (uint256)',
  'function pricePerShare() view returns (uint256)',
  'function decimals() view returns (uint256)',
  'function apiVersion() view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
])
const getters = [
  'totalAssets',
  'totalSupply',
  'depositLimit',
  'emergencyShutdown',
  'lockedProfit',
  'lastReport',
  'lockedProfitDegration',
  'lockedProfitDegradation',
  'pricePerShare',
  'decimals',
  'apiVersion',
] as const
/** Versions whose deposits were compared with the deployed contract: they divide by all assets. */
const triedVersions = ['0.3.4']

export interface VaultRead {
  readonly state: YearnState
  /** Raw units of the asset for 10^30 raw shares, at the time that was asked for. */
  readonly price: bigint | null
}

/**
 * In the order asked; a message for a vault that cannot be read, or is none.
 *
 * @param timestamp - Unix seconds that the calls see.
 */
export async function readVaults(
  reader: StateReader,
  vaults: readonly { readonly vault: Address; readonly asset: Address }[],
  timestamp: bigint,
): Promise<(VaultRead | { readonly message: string })[]> {
  const each = getters.length + 1
  const results = await reader.call(
    vaults.flatMap(({ vault, asset }) => [
      ...getters.map((functionName) => {
        return { to: vault, data: encodeFunctionData({ abi, functionName }), timestamp }
      }),
      {
        to: asset,
        data: encodeFunctionData({ abi, functionName: 'balanceOf', args: [vault] }),
        timestamp,
      },
    ]),
  )
  return vaults.map((_vault, index) =>
    toRead(results.slice(index * each, (index + 1) * each), timestamp),
  )
}

function toRead(
  answers: readonly ReadResult[],
  timestamp: bigint,
): VaultRead | { readonly message: string } {
  for (const answer of answers) {
    if (!answer.ok && answer.reason === 'unreadable') return { message: answer.message }
  }
  const word = (name: (typeof getters)[number]) => readWord(answers[getters.indexOf(name)])
  const version = readVersion(answers[getters.indexOf('apiVersion')])
  const [totalAssets, totalSupply] = [word('totalAssets'), word('totalSupply')]
  const [stated, decimals] = [word('pricePerShare'), word('decimals')]
  if (version === null || totalAssets === null || totalSupply === null || stated === null) {
    return { message: 'It is no vault of Yearn V2.' }
  }
  const degradation = word('lockedProfitDegration') ?? word('lockedProfitDegradation') ?? 0n
  const lockedProfit = word('lockedProfit') ?? 0n
  const facts = { totalAssets, lockedProfit, lastReport: word('lastReport') ?? 0n, degradation }
  const freeFunds = freeFundsAt(facts, timestamp)
  const unit = 10n ** (decimals ?? 18n)
  const price = totalSupply === 0n ? unit : (unit * freeFunds) / totalSupply
  const knownWithdrawals = price === stated
  const state: YearnState = {
    totalAssets,
    // Another way of unlocking shows in the price: it is the estimate then.
    freeFunds: knownWithdrawals ? freeFunds : (stated * totalSupply) / unit,
    idle: readWord(answers.at(-1)) ?? 0n,
    totalSupply,
    depositLimit: word('emergencyShutdown') === 0n ? (word('depositLimit') ?? 0n) : 0n,
    knownDeposits: triedVersions.includes(version),
    knownWithdrawals,
  }
  const fine = 10n ** 30n
  return {
    state,
    price: totalSupply === 0n ? null : (state.freeFunds * fine) / totalSupply,
  }
}

function readVersion(result: ReadResult | undefined): string | null {
  if (!result?.ok) return null
  try {
    return decodeFunctionResult({ abi, functionName: 'apiVersion', data: result.value })
  } catch {
    return null
  }
}
