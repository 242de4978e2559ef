/**
 * Llamalend: swaps between the collateral and the borrowed token of Curve's markets for loans, at their LLAMMA, by the events of the
 * factories. Declared by its calls. Venue parameters: `lendingFactories`; where crvUSD is minted, `controllerFactory` and
 * `stablecoin`.
 */
import { probe } from '../../chains/probe.js'
import { shippedVenue } from '../shared/declared/shipped.js'
import { addressesOf } from '../shared/parameters.js'

/** More than any market takes, so that what it takes comes back, and less than the numbers of the AMM overflow with. */
const all = String(10n ** 38n)

export const llamalend = shippedVenue({
  slug: 'llamalend',
  name: 'Llamalend',
  project: 'curve',
  url: 'https://www.curve.finance/llamalend',
  description:
    'Markets of Curve for loans, which sell the collateral bit by bit as its price falls.',
  gas: 250_000,
  sizesByDepth: true,
  calls: () => ({
    quote: {
      function: 'function get_dy(uint256 i, uint256 j, uint256 in_amount) view returns (uint256)',
      args: ['indexIn', 'indexOut', 'amountIn'],
      // It may go through a hundred bands.
      gasLimit: 3_000_000,
      limits: [
        // Of more than it takes, it takes a part and leaves the rest with the sender.
        {
          function:
            'function get_dxdy(uint256 i, uint256 j, uint256 in_amount) view returns (uint256, uint256)',
          args: ['indexIn', 'indexOut', all],
          of: 'tokenIn',
        },
      ],
    },
    swap: {
      function:
        'function exchange(uint256 i, uint256 j, uint256 in_amount, uint256 min_amount, address _for) returns (uint256[2])',
      args: ['indexIn', 'indexOut', 'amountIn', '0', 'recipient'],
      pay: 'approve',
    },
  }),
  factories({ controllerFactory, stablecoin, lendingFactories }) {
    const [borrowed = ''] = addressesOf(stablecoin)
    return [
      ...addressesOf(controllerFactory).map((address) => ({
        address,
        event:
          'event AddMarket(address indexed collateral, address controller, address amm, address monetary_policy, uint256 ix)',
        pool: 'amm',
        tokens: [borrowed, 'collateral'],
      })),
      ...addressesOf(lendingFactories).map((address) => ({
        address,
        event:
          'event NewVault(uint256 indexed id, address indexed collateral_token, address indexed borrowed_token, address vault, address controller, address amm, address price_oracle, address monetary_policy)',
        pool: 'amm',
        tokens: ['borrowed_token', 'collateral_token'],
      })),
    ]
  },
  // Anybody opens a market to lend with an oracle of their own.
  hasForeignCode: true,
  // Before the price falls into its bands, a market has the collateral alone.
  mayHoldOneToken: true,
  cautions: () => [
    {
      kind: 'price',
      message:
        'Its price follows an oracle and moves about three times as far, and its fee rises when the oracle moves.',
    },
  ],
  probes: ({ controllerFactory, stablecoin, lendingFactories }) => [
    ...addressesOf(controllerFactory).flatMap((factory) =>
      addressesOf(stablecoin).flatMap((token) => [
        probe('factory of markets of crvUSD', factory, 'stablecoin()', token),
        probe('crvUSD', token, 'decimals()', 'number'),
      ]),
    ),
    ...addressesOf(lendingFactories).map((factory) =>
      probe('factory of Llamalend', factory, 'market_count()', 'number'),
    ),
  ],
})
