/**
 * EulerSwap: pools of two tokens whose reserves lie in vaults of Euler and may be borrowed, by the events of its registry. Declared
 * by its calls. Venue parameter: `registry`.
 */
import { probe } from '../../chains/probe.js'
import { shippedVenue } from '../shared/declared/shipped.js'
import { namedAddresses } from '../shared/parameters.js'

const limits = {
  function:
    'function getLimits(address tokenIn, address tokenOut) view returns (uint256 inLimit, uint256 outLimit)',
  args: ['tokenIn', 'tokenOut'],
}

/** The swap is told what it pays, of one token and of the other. */
function paying(amount0Out: string, amount1Out: string) {
  return {
    quote: {
      function:
        'function computeQuote(address tokenIn, address tokenOut, uint256 amount, bool exactIn) view returns (uint256)',
      args: ['tokenIn', 'tokenOut', 'amountIn', 'true'],
      limits: [
        { ...limits, of: 'tokenIn' },
        { ...limits, output: [1], of: 'tokenOut' },
      ],
    },
    swap: {
      function: 'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
      args: [amount0Out, amount1Out, 'recipient', '0x'],
      pay: 'transfer',
    },
  } as const
}

export const eulerSwap = shippedVenue({
  slug: 'euler-swap',
  name: 'EulerSwap',
  project: 'euler',
  url: 'https://euler.finance',
  description:
    'Pools of two tokens that lie in vaults of Euler, on a curve that the owner of the pool sets.',
  gas: 380_000,
  sizesByDepth: true,
  calls: () => ({ ...paying('0', 'quotedOut'), reverse: paying('quotedOut', '0') }),
  factories: (venue) => [
    {
      address: namedAddresses(venue, ['registry']).registry,
      event:
        'event PoolRegistered(address indexed asset0, address indexed asset1, address indexed eulerAccount, address pool, (address supplyVault0, address supplyVault1, address borrowVault0, address borrowVault1, address eulerAccount, address feeRecipient) sParams, uint256 validityBond)',
      pool: 'pool',
      tokens: ['asset0', 'asset1'],
    },
  ],
  hasForeignCode: true,
  cautions: () => [
    {
      kind: 'rate',
      message: 'The owner of the pool can set its curve and its fees at any time.',
    },
  ],
  probes(venue) {
    const { registry } = namedAddresses(venue, ['registry'])
    return [
      probe('registry of EulerSwap', registry, 'eulerSwapFactory()', 'address'),
      probe('registry of EulerSwap', registry, 'poolsLength()', 'number'),
    ]
  },
})
