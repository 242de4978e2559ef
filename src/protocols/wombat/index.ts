/**
 * Wombat: pools of tokens that are worth about the same, of which each has its own balance and debt. Declared by its calls. Venue
 * parameters: `pools`, which state the largest amounts, since the tokens lie in contracts of their own.
 */
import { probe } from '../../chains/probe.js'
import { shippedVenue } from '../shared/declared/shipped.js'

export const wombat = shippedVenue({
  slug: 'wombat',
  name: 'Wombat',
  project: 'wombat',
  url: 'https://www.wombat.exchange',
  description: 'Pools of tokens that are worth about the same, to which each is added alone.',
  gas: 180_000,
  sizesByDepth: true,
  calls: () => ({
    quote: {
      function:
        'function quotePotentialSwap(address fromToken, address toToken, int256 fromAmount) view returns (uint256 potentialOutcome, uint256 haircut)',
      args: ['tokenIn', 'tokenOut', 'amountIn'],
      // The quote does not know it.
      limits: [{ function: 'function paused() view returns (bool)', args: [], negated: true }],
    },
    swap: {
      function:
        'function swap(address fromToken, address toToken, uint256 fromAmount, uint256 minimumToAmount, address to, uint256 deadline) returns (uint256 actualToAmount, uint256 haircut)',
      args: ['tokenIn', 'tokenOut', 'amountIn', '0', 'recipient', 'deadline'],
      pay: 'approve',
    },
  }),
  cautions: ({ declared: { constants } }) =>
    constants.rates === 'true'
      ? [{ kind: 'rate', message: 'Its price follows the rates of staked tokens.' }]
      : [],
  probes: (_venue, pools) =>
    pools.map(({ address }) => probe('pool of Wombat', address, 'ampFactor()', 'number')),
})
