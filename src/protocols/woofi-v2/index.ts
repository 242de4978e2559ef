/**
 * WOOFi's pool of one quote token against several base tokens, at prices that its oracle posts. Declared by its calls.
 * Venue parameters: `router`, and `pools`, whose first token is the quote token.
 */
import { probe } from '../../chains/probe.js'
import { zeroAddress } from '../../domain/primitives.js'
import { shippedVenue } from '../shared/declared/shipped.js'
import { namedAddresses } from '../shared/parameters.js'

export const woofiV2 = shippedVenue({
  slug: 'woofi-v2',
  name: 'WOOFi',
  project: 'woofi',
  url: 'https://woofi.com',
  description:
    'Pools at prices that an oracle of WOOFi posts, less a spread that grows with the amount.',
  gas: 170_000,
  calls(venue) {
    const { router } = namedAddresses(venue, ['router'])
    return {
      quote: {
        function:
          'function query(address fromToken, address toToken, uint256 fromAmount) view returns (uint256 toAmount)',
        args: ['tokenIn', 'tokenOut', 'amountIn'],
      },
      swap: {
        contract: router,
        function:
          'function swap(address fromToken, address toToken, uint256 fromAmount, uint256 minToAmount, address to, address rebateTo) payable returns (uint256 realToAmount)',
        args: ['tokenIn', 'tokenOut', 'amountIn', '0', 'recipient', zeroAddress],
        pay: 'approve',
      },
    }
  },
  cautions: () => [
    { kind: 'rate', message: 'An oracle of WOOFi posts new prices several times a minute.' },
  ],
  probes(venue, pools) {
    const { router } = namedAddresses(venue, ['router'])
    return pools.flatMap(({ address, tokens: [quoteToken = address] }) => [
      probe('pool of WOOFi', address, 'quoteToken()', quoteToken),
      probe('router of WOOFi', router, 'wooPool()', address),
    ])
  },
})
