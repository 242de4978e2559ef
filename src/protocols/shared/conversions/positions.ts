/** The tokens that a converter issues as positions: those that are on the chain at the block. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../../domain/primitives.js'
import type { StateReader } from '../../../domain/state.js'
import type { Unreadable } from '../../pool.js'
import type { Position, PositionAdapter, PositionState } from '../../positions.js'
import { readWord } from '../read-word.js'
import type { Converter } from './conversion.js'

const abi = parseAbi(['function totalSupply() view returns (uint256)'])
const supplyData = encodeFunctionData({ abi, functionName: 'totalSupply' })

export interface IssuedToken {
  readonly token: Address
  readonly name: string
  readonly subtitle: string
  readonly underlying: Address
}

/** The tokens that are on the chain at the block, each as the position of whoever holds it. */
export async function issuedPositions(
  reader: StateReader,
  slug: string,
  all: readonly IssuedToken[],
): Promise<{ readonly positions: Position[]; readonly unreadable: Unreadable[] }> {
  const answers = await reader.call(all.map(({ token }) => ({ to: token, data: supplyData })))
  const unreadable = answers.flatMap((answer, index): Unreadable[] => {
    const { token: subject = slug } = all[index] ?? {}
    if (answer.ok || answer.reason !== 'unreadable') return []
    return [{ protocol: slug, subject, message: answer.message }]
  })
  // Where it is not deployed at the block there is no position.
  const deployed = all.filter((_position, index) => readWord(answers[index]) !== null)
  const positions = deployed.map(({ token, name, subtitle, underlying }) => ({
    protocol: slug,
    key: token,
    token,
    primaryAddress: token,
    poolAddress: token,
    name,
    subtitle,
    underlyingTokens: [underlying],
    rewardTokens: [],
    parameters: {},
  }))
  return { positions, unreadable }
}

export function converterPositions<State, Kind extends string>({
  slug,
  load,
  positions: positionsOf,
}: Converter<State, Kind>): PositionAdapter {
  return {
    async list({ reader, venue }) {
      return issuedPositions(reader, slug, positionsOf(venue))
    },
    async read({ reader, venue, positions }) {
      const all = new Map<string, ReturnType<typeof positionsOf>[number]>(
        positionsOf(venue).map((position) => [position.token, position]),
      )
      const [read, supplies] = await Promise.all([
        load(reader, venue),
        reader.call(
          positions.map(({ primaryAddress }) => ({ to: primaryAddress, data: supplyData })),
        ),
      ])
      return positions.map(({ key }, index): PositionState | Unreadable => {
        const position = all.get(key)
        const supply = readWord(supplies[index])
        const unreadable = (message: string) => ({ protocol: slug, subject: key, message })
        if ('message' in read) return unreadable(read.message)
        if (!position || supply === null) return unreadable('It does not say how much there is.')
        const { state } = read
        const price = position.price(state)
        return {
          holdings: [{ token: position.underlying, amount: position.held(state, supply) }],
          base: price > 0n ? { kind: 'sharePrice', price } : null,
          rewards: [],
        }
      })
    },
  }
}
