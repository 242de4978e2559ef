/**
 * Frax Ether: ether into frxETH, one to one and for good. What frxETH earns is an ERC-4626 vault, sfrxETH.
 * Venue parameters: `minter`, `frxETH`. Pool parameters: none; tokens: native, frxETH.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { type Address, nativeToken, toAddress } from '../../domain/primitives.js'
import { defineConverter } from '../shared/conversions/define-converter.js'
import { readWord } from '../shared/read-word.js'

const [submitAbi] = parseAbi(['function submit() payable'])
const getters = parseAbi([
  'function frxETHToken() view returns (address)',
  'function submitPaused() view returns (bool)',
])

interface FraxState {
  readonly minter: Address
  readonly isPaused: boolean
}

function addressesOf(venue: VenueParameters) {
  return { minter: toAddress(String(venue.minter)), frxETH: toAddress(String(venue.frxETH)) }
}

export const fraxEther = defineConverter<FraxState, 'submit'>(
  {
    slug: 'frax-ether',
    actions: ['deposit'],
    edges(venue) {
      const { frxETH } = addressesOf(venue)
      return [{ kind: 'submit', tokenIn: nativeToken, tokenOut: frxETH, issued: frxETH }]
    },
    conversions: {
      /** @see FraxFinance/frxETH-public 12fd940, src/frxETHMinter.sol, _submit: it mints what it is sent. */
      submit: {
        functionName: 'submit',
        needsApproval: false,
        abi: submitAbi,
        target: ({ minter }) => minter,
        args: () => [],
        convert: ({ isPaused }, amount) => ({ amountOut: isPaused ? 0n : amount, exact: true }),
      },
    },
    positions: () => [],
    async load(reader, venue) {
      const { minter, frxETH } = addressesOf(venue)
      const answers = await reader.call(
        (['frxETHToken', 'submitPaused'] as const).map((functionName) => ({
          to: minter,
          data: encodeFunctionData({ abi: getters, functionName }),
        })),
      )
      const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
      if (refused && !refused.ok) return { message: refused.message }
      const [token, paused] = answers.map(readWord)
      if (token !== BigInt(frxETH)) return { message: 'There is no minter of frxETH.' }
      return { state: { minter, isPaused: paused !== 0n } }
    },
  },
  {
    name: 'Frax Ether',
    project: 'frax',
    category: 'staking',
    url: 'https://frax.com',
    description: 'Ether into frxETH.',
    gasPerCall: 90_000n,
    trust: {
      probes(venue) {
        const { minter, frxETH } = addressesOf(venue)
        return [
          probe('minter of frxETH', minter, 'frxETHToken()', frxETH),
          probe('frxETH', frxETH, 'decimals()', 18n),
        ]
      },
      // It mints one for one and takes none back, so that frxETH may be worth less.
      isNoPriceSource: () => true,
    },
  },
)
