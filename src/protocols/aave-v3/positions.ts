/** aTokens as positions: the total of all lenders, the yield that the reserve pays, and rewards on top. */
import { decodeAbiParameters, encodeFunctionData, hexToString, parseAbi } from 'viem'
import { defined } from '../../domain/defined.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionReadArgs, PositionState } from '../positions.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { poolOf } from './load.js'
import { ray } from './ray.js'
import { listAssets, type Reserve, readReserves, wordsOf } from './reserve.js'

const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
  'function getIncentivesController() view returns (address)',
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getRewardsData(address asset, address reward) view returns (uint256 index, uint256 perSecond, uint256 updated, uint256 end)',
])
const nameData = encodeFunctionData({ abi, functionName: 'name' })
const symbolData = encodeFunctionData({ abi, functionName: 'symbol' })
const supplyData = encodeFunctionData({ abi, functionName: 'totalSupply' })
const controllerData = encodeFunctionData({ abi, functionName: 'getIncentivesController' })
const secondsPerYear = 31_536_000n

export interface Market {
  readonly slug: string
  /** Begins the name of aTokens that have no name of their own. */
  readonly name: string
}

export async function listPositions(
  { slug, name }: Market,
  { reader, venue }: Pick<PositionReadArgs, 'reader' | 'venue'>,
): ReturnType<PositionAdapter['list']> {
  const pool = poolOf(venue)
  const assets = await listAssets(reader, pool)
  const unreadable: Unreadable[] = []
  const note = (subject: string, message: string) => {
    unreadable.push({ protocol: slug, subject, message })
  }
  if ('message' in assets) {
    note(`reserves of ${pool}`, assets.message)
    return { positions: [], unreadable }
  }
  const reserves: Reserve[] = []
  const found = await readReserves(reader, pool, assets)
  found.forEach((reserve, index) => {
    if (reserve && !('message' in reserve)) reserves.push(reserve)
    else note(`reserve ${assets[index]}`, reserve?.message ?? 'It is of an unknown shape.')
  })
  const names = await reader.call(
    reserves.flatMap(({ aToken, asset }) => [
      { to: aToken, data: nameData },
      { to: asset, data: symbolData },
    ]),
  )
  const rewards = await readRewardTokens(
    reader,
    reserves.map(({ aToken }) => aToken),
  )
  const positions = reserves.map(({ asset, aToken, variableDebtToken }, index): Position => {
    const symbol = readText(names[2 * index + 1]) ?? asset
    const { controller, tokens } = rewards[index] ?? { controller: null, tokens: [] }
    return {
      protocol: slug,
      key: aToken,
      token: aToken,
      primaryAddress: pool,
      poolAddress: pool,
      name: readText(names[2 * index]) ?? `${name} ${symbol}`,
      subtitle: symbol,
      underlyingTokens: [asset],
      rewardTokens: tokens,
      parameters: { variableDebtToken, ...defined({ rewardsController: controller ?? undefined }) },
    }
  })
  return { positions, unreadable }
}

/** The contract that pays rewards to holders of each aToken, and in which tokens; none: no rewards. */
export async function readRewardTokens(
  reader: StateReader,
  aTokens: readonly Address[],
): Promise<{ readonly controller: Address | null; readonly tokens: readonly Address[] }[]> {
  const controllers = (await reader.call(aTokens.map((to) => ({ to, data: controllerData })))).map(
    (answer) => (answer.ok ? addressInWord(answer.value) : null),
  )
  const asked = aTokens.flatMap((aToken, index) => {
    const controller = controllers[index]
    return controller ? [{ aToken, controller }] : []
  })
  const lists = await reader.call(
    asked.map(({ aToken, controller }) => ({
      to: controller,
      data: encodeFunctionData({ abi, functionName: 'getRewardsByAsset', args: [aToken] }),
    })),
  )
  const tokens = new Map(asked.map(({ aToken }, index) => [aToken, readAddresses(lists[index])]))
  return aTokens.map((aToken, index) => ({
    controller: controllers[index] ?? null,
    tokens: tokens.get(aToken) ?? [],
  }))
}

export async function readPositions(
  { slug }: Market,
  { reader, venue, positions }: PositionReadArgs & { readonly positions: readonly Position[] },
): Promise<(PositionState | Unreadable)[]> {
  const pool = poolOf(venue)
  const reserves = await readReserves(reader, pool, positions.map(assetOf))
  const supplies = await reader.call(
    positions.map(({ key }) => ({ to: toAddress(key), data: supplyData })),
  )
  const emissions = positions.flatMap(({ key, rewardTokens, parameters }, index) => {
    const controller = parameters.rewardsController
    if (typeof controller !== 'string') return []
    return rewardTokens.map((token) => ({ index, token, controller, aToken: toAddress(key) }))
  })
  const rates = await reader.call(
    emissions.map(({ aToken, token, controller }) => ({
      to: toAddress(controller),
      data: encodeFunctionData({ abi, functionName: 'getRewardsData', args: [aToken, token] }),
    })),
  )
  return positions.map((position, index) => {
    const unreadable = (message: string) => ({ protocol: slug, subject: position.key, message })
    const reserve = reserves[index]
    if (reserve && 'message' in reserve) return unreadable(reserve.message)
    if (reserve?.aToken !== position.key) return unreadable('It is not an aToken of the Pool.')
    const supply = readWord(supplies[index])
    return {
      holdings: supply === null ? null : [{ token: reserve.asset, amount: supply }],
      base: { kind: 'annual', rate: toFraction(reserve.liquidityRate) },
      rewards: emissions.flatMap((emission, place) => {
        if (emission.index !== index) return []
        const perSecond = activeRate(rates[place], reader.block.timestamp)
        if (perSecond === 0n) return []
        return [{ token: emission.token, perYear: perSecond * secondsPerYear }]
      }),
    }
  })
}

function assetOf({ underlyingTokens, key }: Position): Address {
  return underlyingTokens[0] ?? toAddress(key)
}

/** A yearly rate in ray as a fraction; nine decimals are kept. */
function toFraction(rate: bigint): number {
  return Number(rate / 10n ** 15n) / Number(ray / 10n ** 15n)
}

/** 0 once the emission has ended. */
function activeRate(answer: ReadResult | undefined, timestamp: bigint): bigint {
  if (!answer?.ok) return 0n
  const [, perSecond = '0x0', , end = '0x0'] = wordsOf(answer.value)
  return BigInt(end) > timestamp ? BigInt(perSecond) : 0n
}

function readAddresses(answer: ReadResult | undefined): Address[] {
  if (!answer?.ok) return []
  return wordsOf(answer.value)
    .slice(2)
    .flatMap((word) => addressInWord(word) ?? [])
}

/** A string, or the bytes32 of tokens such as MKR; null where there is neither. */
function readText(answer: ReadResult | undefined): string | null {
  if (!answer?.ok) return null
  try {
    if (answer.value.length === 66) return hexToString(answer.value, { size: 32 })
    const [text] = decodeAbiParameters([{ type: 'string' }], answer.value as Hex)
    return text
  } catch {
    return null
  }
}
