/**
 * Rocket Pool: ether into rETH by its deposit pool, which keeps a fee, and rETH into ether while there is some.
 * Venue parameters: `storage`, `rETH`. Pool parameters: none; tokens: native, rETH.
 */
import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import { nativeToken } from '../../domain/primitives.js'
import { defineConverter } from '../shared/conversions/define-converter.js'
import { addressesOf, addressKey, depositPool, loadRocket } from './load.js'
import { afterBurn, afterMint, burnt, etherFor, minted, type RocketState } from './math.js'

const [depositAbi, burnAbi] = parseAbi([
  'function deposit() payable',
  'function burn(uint256 amount)',
])
/** Raw units whose worth is the price: so many that a day's interest shows. */
const priceProbe = 10n ** 30n

export const rocketPool = defineConverter<RocketState, 'deposit' | 'burn'>(
  {
    slug: 'rocket-pool',
    actions: ['deposit', 'redeem'],
    load: loadRocket,
    edges(venue) {
      const { rETH } = addressesOf(venue)
      return [
        { kind: 'deposit', tokenIn: nativeToken, tokenOut: rETH, issued: rETH },
        { kind: 'burn', tokenIn: rETH, tokenOut: nativeToken, issued: rETH },
      ]
    },
    conversions: {
      deposit: {
        functionName: 'deposit',
        needsApproval: false,
        abi: depositAbi,
        target: ({ depositPool }) => depositPool,
        args: () => [],
        convert: (state, amount) => ({
          amountOut: minted(state, amount),
          exact: state.proven,
          after: () => afterMint(state, amount),
        }),
      },
      burn: {
        functionName: 'burn',
        needsApproval: false,
        abi: burnAbi,
        target: (_state, { issued }) => issued,
        args: (amount) => [amount],
        convert: (state, amount) => ({
          amountOut: burnt(state, amount),
          exact: state.proven,
          after: () => afterBurn(state, amount),
        }),
      },
    },
    positions: (venue) => [
      {
        token: addressesOf(venue).rETH,
        name: 'Rocket Pool ETH',
        subtitle: 'rETH',
        underlying: nativeToken,
        held: etherFor,
        price: (state) => etherFor(state, priceProbe),
      },
    ],
  },
  {
    name: 'Rocket Pool',
    project: 'rocket-pool',
    category: 'staking',
    url: 'https://rocketpool.net',
    description: 'Staking of ether for rETH, and redemption of rETH.',
    gasPerCall: 180_000n,
    cautions: [{ kind: 'rate', message: 'The rate of rETH follows what its oracle nodes report.' }],
    trust: {
      probes(venue) {
        const { storage, rETH } = addressesOf(venue)
        const named = { signature: 'getAddress(bytes32)', args: [addressKey(depositPool)] }
        return [
          probe('storage of Rocket Pool', storage, named, 'address'),
          probe('rETH of Rocket Pool', rETH, 'getExchangeRate()', 'positive'),
        ]
      },
    },
  },
)
