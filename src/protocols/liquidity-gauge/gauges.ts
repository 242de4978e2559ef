/** What gauges and their controllers say, in bulk: what is staked, whether a stake is a token, who lists the gauge. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import { addressesOf } from '../shared/parameters.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'

/** What differs between Curve's gauges and those of others who took their code. */
export interface Family {
  readonly slug: string
  /** Getters of the minter: of the token that it mints, and of the controller that it asks. */
  readonly minted: 'token' | 'getBalancerToken'
  readonly asked: 'controller' | 'getGaugeController'
  /** Families that list their gauges: what none of them lists belongs to this one. Absent: only what it lists does. */
  readonly others?: readonly string[]
}

const abi = parseAbi([
  'function lp_token() view returns (address)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint256)',
  'function approved_to_deposit(address from, address owner) view returns (bool)',
  'function n_gauges() view returns (int128)',
  'function gauges(uint256 index) view returns (address)',
  'function gauge_types(address gauge) view returns (int128)',
  'function get_gauge_weight(address gauge) view returns (uint256)',
  'function token() view returns (address)',
  'function getBalancerToken() view returns (address)',
])
const questions = [
  ...(['lp_token', 'totalSupply', 'decimals'] as const).map((functionName) =>
    encodeFunctionData({ abi, functionName }),
  ),
  encodeFunctionData({
    abi,
    functionName: 'approved_to_deposit',
    args: [zeroAddress, zeroAddress],
  }),
]
/** The most gauges that are read of one controller, in its own order: twice as many as any has. */
const mostGauges = 2_048
/**
 * The most of these that are listed, those with the most votes: the market of each staked share is read to price it.
 */
const mostListed = 512

export interface Gauge {
  readonly staked: Address
  /** Raw units of the staked token, and of stakes. */
  readonly supply: bigint
  /** False: stakes of the first version cannot be transferred. */
  readonly isToken: boolean
  /** False: the first two versions ask the owner's leave for a stake that somebody else makes. */
  readonly takesForOthers: boolean
}

type Message = { readonly message: string }

/** In the order asked; null for what is no gauge, a message where the node refuses the state. */
export async function readGauges(
  reader: StateReader,
  gauges: readonly Address[],
): Promise<(Gauge | Message | null)[]> {
  const calls = gauges.flatMap((to) => questions.map((data) => ({ to, data })))
  const results = calls.length ? await reader.call(calls) : []
  return gauges.map((gauge, index) => {
    const answers = results.slice(index * questions.length, (index + 1) * questions.length)
    const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
    if (refused && !refused.ok) return { message: refused.message }
    const [staked, supply, decimals, leave] = answers
    const [token, total] = [addressOf(staked), readWord(supply)]
    // Stakes count in units of what is staked: a gauge of itself would be made of nothing.
    if (!token || token === gauge || total === null) return null
    const isToken = readWord(decimals) !== null
    return { staked: token, supply: total, isToken, takesForOthers: readWord(leave) === null }
  })
}

/** The staked tokens alone, which is what look-ups ask of any token. */
export async function readStaked(
  reader: StateReader,
  tokens: readonly Address[],
): Promise<(Address | Message | null)[]> {
  const data = encodeFunctionData({ abi, functionName: 'lp_token' })
  const results = tokens.length ? await reader.call(tokens.map((to) => ({ to, data }))) : []
  return tokens.map((token, index) => {
    const result = results[index]
    if (result && !result.ok && result.reason === 'unreadable') return { message: result.message }
    const staked = addressOf(result)
    return staked === token ? null : staked
  })
}

/** Whether the gauges are those of the family, in the order asked; a message where the node refuses a controller. */
export async function readFamily(
  family: Family,
  args: { readonly reader: StateReader; readonly chain: ChainDefinition },
  gauges: readonly Address[],
): Promise<(Membership | Message)[]> {
  const { venues } = args.chain
  const slugs = [family.slug, ...(family.others ?? [])].filter((slug) => venues[slug]?.controller)
  const controllers = slugs.map((slug) => addressesOf(venues[slug]?.controller)[0] as Address)
  const calls = gauges.flatMap((gauge) => controllers.map((to) => ({ to, data: askType(gauge) })))
  const results = calls.length ? await args.reader.call(calls) : []
  return gauges.map((_gauge, index) => {
    const answers = results.slice(index * slugs.length, (index + 1) * slugs.length)
    const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
    if (refused && !refused.ok) return { message: refused.message }
    // For what it does not list a controller reverts.
    const listedBy = slugs.filter((_slug, k) => isType(readWord(answers[k])))
    const isListed = listedBy.includes(family.slug)
    return { isListed, isOwn: isListed || (family.others !== undefined && listedBy.length === 0) }
  })
}

export interface Membership {
  /** Whether the family's controller lists the gauge. */
  readonly isListed: boolean
  /** Listed, or nobody else's. */
  readonly isOwn: boolean
}

/**
 * Gauges that the controller lists at the block, those of other chains among them, in its order; where there are more than
 * a list holds, those with the most votes. None where it has no code.
 */
export async function listedGauges(
  slug: string,
  reader: StateReader,
  venue: VenueParameters,
): Promise<{ readonly gauges: Address[]; readonly unreadable: Unreadable[] }> {
  const [to] = addressesOf(venue.controller)
  const unreadable: Unreadable[] = []
  const read = async (calls: readonly Hex[]): Promise<readonly ReadResult[]> => {
    const results = to && calls.length ? await reader.call(calls.map((data) => ({ to, data }))) : []
    const refused = results.find((result) => !result.ok && result.reason === 'unreadable')
    if (refused && !refused.ok && unreadable.length === 0) {
      unreadable.push({ protocol: slug, subject: `controller ${to}`, message: refused.message })
    }
    return results
  }
  const [count] = await read([encodeFunctionData({ abi, functionName: 'n_gauges' })])
  const stated = readWord(count) ?? 0n
  const length = stated > BigInt(mostGauges) ? mostGauges : Number(stated)
  const found = await read(
    Array.from({ length }, (_, index) =>
      encodeFunctionData({ abi, functionName: 'gauges', args: [BigInt(index)] }),
    ),
  )
  const all = [...new Set(found.flatMap((result) => addressOf(result) ?? []))]
  if (all.length <= mostListed) return { gauges: all, unreadable }
  const votes = await read(
    all.map((gauge) =>
      encodeFunctionData({ abi, functionName: 'get_gauge_weight', args: [gauge] }),
    ),
  )
  const weighed = all.map((gauge, index) => ({ gauge, votes: readWord(votes[index]) ?? 0n }))
  // Sorting is stable: among equals the older ones stay.
  const heaviest = weighed.toSorted((a, b) =>
    a.votes === b.votes ? 0 : a.votes > b.votes ? -1 : 1,
  )
  const kept = new Set(heaviest.slice(0, mostListed).map(({ gauge }) => gauge))
  return { gauges: all.filter((gauge) => kept.has(gauge)), unreadable }
}

/** What the family's minter pays for stakes; null where it is not there. */
export async function readMinted(
  { minted }: Family,
  reader: StateReader,
  venue: VenueParameters,
): Promise<{ readonly minter: Address; readonly token: Address } | null> {
  const [minter] = addressesOf(venue.minter)
  if (!minter) return null
  const data = encodeFunctionData({ abi, functionName: minted })
  const [result] = await reader.call([{ to: minter, data }])
  const token = addressOf(result)
  return token && { minter, token }
}

export function addressOf(result: ReadResult | undefined): Address | null {
  const word = readWord(result)
  return word === null || word >= 2n ** 160n ? null : addressInWord(toWord(word))
}

function askType(gauge: Address): Hex {
  return encodeFunctionData({ abi, functionName: 'gauge_types', args: [gauge] })
}

function isType(word: bigint | null): boolean {
  return word !== null && word < 2n ** 127n
}
