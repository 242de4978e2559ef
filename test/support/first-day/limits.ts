/** Chain, block, slippage, minimum, deadline and fee. */
import { bob, type Mistake, quote, route, weth } from './mistake.js'

export const limitMistakes: readonly Mistake[] = [
  {
    number: '32',
    mistake: 'The chain is none of the service.',
    before: 'good',
    request: quote({ chainId: '137' }),
    answer: {
      status: 400,
      code: 'UNKNOWN_CHAIN',
      says: ['chainId 137 is not configured here; configured: 1 (Ethereum)'],
      next: [{ parameter: 'chainId', value: '1' }],
    },
  },
  {
    number: '34',
    mistake: 'The chain is given by name.',
    before: 'good',
    request: quote({ chainId: 'mainnet' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['chainId must be an integer of at least 1'],
      next: [{ parameter: 'chainId' }],
    },
  },
  {
    number: '16',
    mistake: 'The id of the chain is hexadecimal.',
    before: 'fine',
    request: quote({ chainId: '0x1' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['chainId must be an integer of at least 1'],
      next: [{ parameter: 'chainId' }],
    },
  },
  {
    number: '38',
    mistake: 'A slippage of 0.5 is meant as percent.',
    before: 'silent: a minimum 0.005 % below, so the transaction fails',
    request: route({ slippage: '0.5' }),
    answer: {
      status: 200,
      says: [
        'slippage 0.5 is in basis points, 0.005 %: prices move more than that between blocks. 0.5 % would be 50.',
      ],
    },
  },
  {
    number: '39',
    mistake: 'A slippage of half a percent is written as 0.005.',
    before: 'good',
    request: route({ slippage: '0.005' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['slippage must be basis points from 0 to 10000 with at most two decimals'],
      next: [{ parameter: 'slippage' }],
    },
  },
  {
    number: '40',
    mistake: 'A slippage of 3 is meant as percent.',
    before: 'silent: a minimum 0.03 % below, so the transaction fails',
    request: route({ slippage: '3' }),
    answer: {
      status: 200,
      says: [
        'slippage 3 is in basis points, 0.03 %: prices move more than that between blocks. 3 % would be 300.',
      ],
    },
  },
  {
    number: '41',
    mistake: 'The slippage is 10000.',
    before: 'dangerous: a minimum of 0 without a word',
    request: route({ slippage: '10000' }),
    answer: {
      status: 200,
      says: ['A minimum of this transaction is 0: it takes any price, however bad.'],
    },
  },
  {
    number: '42',
    mistake: 'The slippage has a percent sign.',
    before: 'good',
    request: route({ slippage: '1%' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['slippage must be basis points from 0 to 10000 with at most two decimals'],
      next: [{ parameter: 'slippage' }],
    },
  },
  {
    number: '43',
    mistake: 'The slippage is 50000.',
    before: 'good',
    request: route({ slippage: '50000' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['slippage must be basis points from 0 to 10000 with at most two decimals'],
      next: [{ parameter: 'slippage' }],
    },
  },
  {
    number: '44',
    mistake: 'Both slippage and minAmountOut are given.',
    before: 'clear',
    request: route({ slippage: '50', minAmountOut: '1' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['slippage must not be given together with minAmountOut'],
      next: [{ parameter: 'slippage', value: null }],
    },
  },
  {
    number: '46',
    mistake: 'minAmountOut is more than the best route gives.',
    before: 'raw: InsufficientOutput(0x…, 4000…, 3324…)',
    request: route({ minAmountOut: '400000000000000000' }),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `The best route found gives 332421323772823455 of ${weth}, less than minAmountOut, 400000000000000000. Ask for less, or give slippage in place of minAmountOut.`,
      ],
      next: [
        { parameter: 'minAmountOut', value: '330759217153959337' },
        { parameter: 'minAmountOut', value: null },
      ],
    },
  },
  {
    number: '47',
    mistake: 'The deadline is past.',
    before: 'very good',
    request: route({ deadline: '1600000000' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['The deadline 1600000000 is before the block after 378, which is due at 1760004548.'],
      next: [{ parameter: 'deadline' }],
    },
  },
  {
    number: '48',
    mistake: 'The deadline is in milliseconds.',
    before: 'very good',
    request: route({ deadline: '1800000000000' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        'deadline must be seconds after the block (a whole number below 1000000000), unix seconds up to 4294967295, or a time with its zone such as 2026-03-01T12:00:00Z',
      ],
      next: [{ parameter: 'deadline' }],
    },
  },
  {
    number: '49',
    mistake: 'The deadline is 20 seconds.',
    before: 'silent: past before it is signed',
    request: route({ deadline: '20' }),
    answer: {
      status: 200,
      says: [
        'deadline 20: the transaction reverts if it is mined later than 20 seconds after the block of this answer.',
      ],
    },
  },
  {
    number: '57',
    mistake: 'The fee is meant as percent.',
    before: 'clear',
    request: route({ fee: '0.25', feeReceiver: bob }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['fee must be whole basis points'],
      next: [{ parameter: 'fee' }],
    },
  },
  {
    number: '58',
    mistake: 'The fee is too high.',
    before: 'clear',
    request: route({ fee: '300', feeReceiver: bob }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['fee must be at most 100 basis points'],
      next: [{ parameter: 'fee' }],
    },
  },
  {
    number: '59',
    mistake: 'The fee has no receiver.',
    before: 'clear',
    request: route({ fee: '30' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['feeReceiver is required with fee'],
      next: [{ parameter: 'feeReceiver' }],
    },
  },
  {
    number: '65',
    mistake: 'The block is in the future.',
    before: 'fair: the newest block is not named',
    request: quote({ blockNumber: '999999999' }),
    answer: {
      status: 400,
      code: 'UNKNOWN_BLOCK',
      says: [
        'Block 999999999 is not known: no such block. The newest block of chain 1 is 378; without blockNumber it is taken.',
      ],
      next: [{ parameter: 'blockNumber', value: null }],
    },
  },
  {
    number: '66',
    mistake: 'The block is "latest".',
    before: 'fair: the command line takes it',
    request: quote({ blockNumber: 'latest' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['blockNumber must be an integer of at least 0; without it the newest is taken'],
      next: [{ parameter: 'blockNumber' }],
    },
  },
]
