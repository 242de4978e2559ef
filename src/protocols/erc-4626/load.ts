/**
 * State of vaults in one bulk read. Each vault's own previews decide: its totals are used only where the plain
 * conversion by them gives the same answers. Everything is read at the simulated block's time, as interest accrues.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import {
  type PlainVault,
  plainAssets,
  plainShares,
  type RatedVault,
  ratedAssets,
  ratedShares,
  ray,
  type Sample,
  type VaultState,
} from './math.js'
import { stataFactoryOf } from './pool-events.js'

const abi = parseAbi([
  'function totalAssets() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function previewDeposit(uint256 assets) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function cooldownDuration() view returns (uint24)',
])

/** Raw units asked of both previews: the first far above what vaults hold, so that each unit of their totals shows. */
const probes = [2n ** 100n + 7n, 10n ** 12n + 1n] as const
/** Largest amount for which agreeing previews prove the math. */
export const provenAmount = probes[0]
/** An account like any other: whose deposit it will be is not known yet. */
const anyone: Address = '0x00000000000000000000000000000000000a11ce'
/** Powers of ten by which a share may have more decimals than its asset. */
const maxOffset = 18

const questions: readonly Hex[] = [
  encodeFunctionData({ abi, functionName: 'totalAssets' }),
  encodeFunctionData({ abi, functionName: 'totalSupply' }),
  encodeFunctionData({ abi, functionName: 'maxDeposit', args: [anyone] }),
  ...probes.map((x) => encodeFunctionData({ abi, functionName: 'previewDeposit', args: [x] })),
  ...probes.map((x) => encodeFunctionData({ abi, functionName: 'previewRedeem', args: [x] })),
  encodeFunctionData({ abi, functionName: 'cooldownDuration' }),
]

export async function loadVaults(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<VaultState> | Unreadable)[]> {
  const { reader, chain, venue, pools } = args
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const results = await reader.call(
    pools.flatMap(({ address }) => questions.map((data) => ({ to: address, data, timestamp }))),
  )
  return pools.map((pool, index) => {
    const answers = results.slice(index * questions.length, (index + 1) * questions.length)
    return toLoaded(pool, stataFactoryOf(pool, venue) !== null, answers)
  })
}

function toLoaded(
  pool: Pool,
  isStata: boolean,
  answers: readonly ReadResult[],
): LoadedPool<VaultState> | Unreadable {
  if (pool.tokens.length !== 2 || pool.tokens[1] !== pool.address || pool.id !== pool.address) {
    return unreadablePool(pool, 'A vault has two tokens: its asset, and itself as the share.')
  }
  const refused = answers
    .slice(0, -1)
    .find((answer) => !answer.ok && answer.reason === 'unreadable')
  if (refused && !refused.ok) return unreadablePool(pool, refused.message)
  const [totalAssets = null, totalSupply = null, maxDeposit = null, ...others] =
    answers.map(readWord)
  const [previews, cooldown] = [others.slice(0, -1), others.at(-1)]
  if (totalSupply === null)
    return unreadablePool(pool, 'It does not say how many shares there are.')
  if (previews.every((preview) => preview === null)) {
    return unreadablePool(pool, 'It has an asset() and answers no preview of ERC-4626.')
  }
  // Ethena's vault redeems at once only while it has no cooldown. Where that cannot be read, the simulation tells.
  const isLocked = cooldown != null && cooldown > 0n && cooldown < 2n ** 24n
  const limits = { totalSupply, maxDeposit: maxDeposit ?? maxUint256, isLocked }
  // Only what the index names is asked for a rate: replays of earlier cassettes quote other vaults as they did.
  const rated = isStata ? provenRated(limits, previews) : null
  if (rated) return { pool, state: rated, partial: false }
  const plain = totalAssets === null ? null : provenPlain({ ...limits, totalAssets }, previews)
  if (plain) return { pool, state: plain, partial: false }
  const [deposit, smallDeposit, redeem, smallRedeem] = previews
  const state: VaultState = {
    kind: 'sampled',
    ...limits,
    deposit: sampleOf(deposit, smallDeposit),
    redeem: sampleOf(redeem, smallRedeem),
  }
  return { pool, state, partial: true }
}

/** The usual conversions are tried until one gives all four previews to the wei; null: none does. */
function provenPlain(
  totals: Pick<PlainVault, 'totalAssets' | 'totalSupply' | 'maxDeposit' | 'isLocked'>,
  previews: readonly (bigint | null)[],
): PlainVault | null {
  for (const [virtualShares, virtualAssets] of conversions()) {
    const vault: PlainVault = { kind: 'plain', ...totals, virtualShares, virtualAssets }
    const expected = [
      ...probes.map((amount) => plainShares(vault, amount)),
      ...probes.map((amount) => plainAssets(vault, amount)),
    ]
    if (expected.every((amount, index) => amount === previews[index])) return vault
  }
  return null
}

/** The one rate that gives the large preview of a redemption, where it gives all four to the wei; null: it does not. */
function provenRated(
  limits: Pick<RatedVault, 'totalSupply' | 'maxDeposit' | 'isLocked'>,
  previews: readonly (bigint | null)[],
): RatedVault | null {
  const [, , redeemed] = previews
  if (!redeemed) return null
  // More than 10^27 shares are asked about, so at most one whole rate is between the two next to it.
  const rate = (redeemed * ray + probes[0] - 1n) / probes[0]
  const vault: RatedVault = { kind: 'rated', ...limits, rate }
  const expected = [
    ...probes.map((amount) => ratedShares(vault, amount)),
    ...probes.map((amount) => ratedAssets(vault, amount)),
  ]
  return expected.every((amount, index) => amount === previews[index]) ? vault : null
}

function* conversions(): Generator<readonly [bigint, bigint]> {
  for (let offset = 0; offset <= maxOffset; offset++) yield [10n ** BigInt(offset), 1n]
  yield [0n, 0n]
}

function sampleOf(large: bigint | null | undefined, small: bigint | null | undefined): Sample {
  return large
    ? { amountIn: probes[0], amountOut: large }
    : { amountIn: probes[1], amountOut: small ?? 0n }
}
