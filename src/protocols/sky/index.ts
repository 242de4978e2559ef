/**
 * Sky: DAI into USDS and back, one to one, by the converter of both. Savings in them are ERC-4626 vaults.
 * Venue parameters: `converter`, `dai`, `usds`. Pool parameters: none; tokens: DAI, USDS.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { Conversion } from '../shared/conversions/conversion.js'
import { defineConverter } from '../shared/conversions/define-converter.js'
import { readWord } from '../shared/read-word.js'

const [toUsdsAbi, toDaiAbi] = parseAbi([
  'function daiToUsds(address usr, uint256 wad)',
  'function usdsToDai(address usr, uint256 wad)',
])
const getters = parseAbi([
  'function dai() view returns (address)',
  'function usds() view returns (address)',
])

interface SkyState {
  readonly converter: Address
}

function addressesOf(venue: VenueParameters) {
  return {
    converter: toAddress(String(venue.converter)),
    dai: toAddress(String(venue.dai)),
    usds: toAddress(String(venue.usds)),
  }
}

/** It burns what it takes and mints as much of the other. */
const oneToOne: Omit<Conversion<SkyState>, 'abi' | 'functionName'> = {
  needsApproval: true,
  target: ({ converter }) => converter,
  args: (amount, runner) => [runner, amount],
  convert: (_state, amount) => ({ amountOut: amount, exact: true }),
}

export const sky = defineConverter<SkyState, 'toUsds' | 'toDai'>(
  {
    slug: 'sky',
    actions: ['deposit', 'redeem'],
    edges(venue) {
      const { dai, usds } = addressesOf(venue)
      return [
        { kind: 'toUsds', tokenIn: dai, tokenOut: usds, issued: usds },
        { kind: 'toDai', tokenIn: usds, tokenOut: dai, issued: usds },
      ]
    },
    conversions: {
      toUsds: { ...oneToOne, abi: toUsdsAbi, functionName: 'daiToUsds' },
      toDai: { ...oneToOne, abi: toDaiAbi, functionName: 'usdsToDai' },
    },
    positions: () => [],
    async load(reader, venue) {
      const { converter, dai, usds } = addressesOf(venue)
      const answers = await reader.call(
        (['dai', 'usds'] as const).map((functionName) => ({
          to: converter,
          data: encodeFunctionData({ abi: getters, functionName }),
        })),
      )
      const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
      if (refused && !refused.ok) return { message: refused.message }
      const [own, other] = answers.map(readWord)
      if (own !== BigInt(dai) || other !== BigInt(usds)) {
        return { message: 'There is no converter of DAI and USDS.' }
      }
      return { state: { converter } }
    },
  },
  {
    name: 'Sky',
    project: 'sky',
    category: 'stablecoin',
    url: 'https://sky.money',
    description: 'Conversion of DAI into USDS and back.',
    gasPerCall: 130_000n,
    trust: {
      probes(venue) {
        const { converter, dai, usds } = addressesOf(venue)
        return [
          probe('converter of Sky', converter, 'dai()', dai),
          probe('converter of Sky', converter, 'usds()', usds),
          probe('USDS of Sky', usds, 'decimals()', 18n),
        ]
      },
    },
  },
)
