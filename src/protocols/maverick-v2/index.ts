/**
 * Maverick V2: pools whose liquidity lies in ticks and may follow the price, by the events of the factory. Declared by its calls, with
 * quotes of Maverick's quoter. Venue parameters: `factory`, `quoter`. Constants of pools: `kinds`, `accessor`.
 */
import { probe } from '../../chains/probe.js'
import type { PoolCaution } from '../../domain/caution.js'
import { zeroAddress } from '../../domain/primitives.js'
import { shippedVenue } from '../shared/declared/shipped.js'
import { namedAddresses } from '../shared/parameters.js'

/** All liquidity stays where it was put. */
const allStatic = '1'
/** No tick is beyond these. */
const [highestTick, lowestTick] = ['2147483647', '-2147483648']

const byTime: PoolCaution = {
  kind: 'price',
  message: 'Liquidity follows an average of the price, which moves with time.',
}
const byAccessor: PoolCaution = {
  kind: 'fee',
  message: 'The contract that has access to the pool may set its fees at any time.',
}

export const maverickV2 = shippedVenue({
  slug: 'maverick-v2',
  name: 'Maverick V2',
  project: 'maverick',
  url: 'https://www.mav.xyz',
  description: 'Pools with liquidity in ticks, which may follow the price.',
  gas: 150_000,
  sizesByDepth: true,
  calls(venue) {
    const { quoter } = namedAddresses(venue, ['quoter'])
    const towards = (tokenAIn: 'true' | 'false', tickLimit: string) =>
      ({
        quote: {
          contract: quoter,
          function:
            'function calculateSwap(address pool, uint128 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) returns (uint256 amountIn, uint256 amountOut, uint256 gasEstimate)',
          args: ['pool', 'amountIn', tokenAIn, 'false', tickLimit],
          output: [1],
          gasLimit: 3_000_000,
        },
        swap: {
          function:
            'function swap(address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, bytes data) returns (uint256 amountIn, uint256 amountOut)',
          args: [
            'recipient',
            { amount: 'amountIn', tokenAIn, exactOutput: 'false', tickLimit },
            // Without data nobody is called back: the input is there already.
            '0x',
          ],
          pay: 'transfer',
        },
      }) as const
    return { ...towards('true', highestTick), reverse: towards('false', lowestTick) }
  },
  factories: (venue) => [
    {
      address: namedAddresses(venue, ['factory']).factory,
      event:
        'event PoolCreated(address poolAddress, uint8 protocolFeeRatio, uint256 feeAIn, uint256 feeBIn, uint256 tickSpacing, uint256 lookback, int32 activeTick, address tokenA, address tokenB, uint8 kinds, address accessor)',
      pool: 'poolAddress',
      tokens: ['tokenA', 'tokenB'],
      constants: { kinds: 'kinds', accessor: 'accessor' },
    },
  ],
  cautions: ({ declared: { constants } }) => [
    ...(constants.kinds === allStatic ? [] : [byTime]),
    ...(constants.accessor === zeroAddress ? [] : [byAccessor]),
  ],
  probes: (venue) => [
    probe(
      'factory of Maverick',
      namedAddresses(venue, ['factory']).factory,
      'poolCount()',
      'number',
    ),
  ],
})
