/**
 * DODO V2: pools around a price that their owners or oracles state (DPP), around par (DSP), or along a curve from a first price
 * (DVM), by the events of three factories. Declared by its calls. Venue parameters: `dvmFactory`, `dppFactory`, `dspFactory`.
 */
import { probe } from '../../chains/probe.js'
import { zeroAddress } from '../../domain/primitives.js'
import { shippedVenue } from '../shared/declared/shipped.js'
import { namedAddresses } from '../shared/parameters.js'

const factoryNames = ['dvmFactory', 'dppFactory', 'dspFactory'] as const
const newPrivatePool =
  'event NewDPP(address baseToken, address quoteToken, address creator, address dpp)'

/** The input lies at the pool when it is called. The fee may be another for the sender than for nobody. */
function selling(side: 'Base' | 'Quote') {
  return {
    quote: {
      function: `function querySell${side}(address trader, uint256 payAmount) view returns (uint256 receiveAmount)`,
      args: [zeroAddress, 'amountIn'],
    },
    swap: {
      function: `function sell${side}(address to) returns (uint256 receiveAmount)`,
      args: ['recipient'],
      pay: 'transfer',
    },
  } as const
}

export const dodoV2 = shippedVenue({
  slug: 'dodo-v2',
  name: 'DODO V2',
  project: 'dodo',
  url: 'https://dodoex.io',
  description:
    'Pools that keep near a price: one of their owners, par, or one that follows what is traded.',
  gas: 170_000,
  sizesByDepth: true,
  calls: () => ({ ...selling('Base'), reverse: selling('Quote') }),
  factories(venue) {
    const { dvmFactory, dppFactory, dspFactory } = namedAddresses(venue, factoryNames)
    const tokens = ['baseToken', 'quoteToken']
    return [
      {
        address: dvmFactory,
        event: 'event NewDVM(address baseToken, address quoteToken, address creator, address dvm)',
        pool: 'dvm',
        tokens,
        // Anybody opens one, and of them are the most.
        mostPools: 100_000,
      },
      { address: dppFactory, event: newPrivatePool, pool: 'dpp', tokens },
      {
        address: dspFactory,
        event: 'event NewDSP(address baseToken, address quoteToken, address creator, address DSP)',
        pool: 'DSP',
        tokens,
      },
    ]
  },
  cautions: ({ venue }) =>
    venue.factory?.event === newPrivatePool
      ? [
          {
            kind: 'rate',
            message:
              'The owner of the pool can set its price and its fee, and take what it holds, at any time.',
          },
        ]
      : [],
  probes(venue) {
    const addresses = namedAddresses(venue, factoryNames)
    return factoryNames.map((name) =>
      probe(`${name} of DODO`, addresses[name], '_CLONE_FACTORY_()', 'address'),
    )
  },
})
