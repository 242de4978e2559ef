/** Amounts: their unit, their form, and how much there is. */
import { nativeToken } from '../../../src/domain/primitives.js'
import {
  alice,
  backendMode,
  ether,
  type Mistake,
  postedQuote,
  quote,
  quoteInstead,
  route,
  usdc,
  weth,
} from './mistake.js'

export const amountMistakes: readonly Mistake[] = [
  {
    number: '1',
    mistake: 'One USDC is written as 10^18, as if it had 18 decimals.',
    before: 'clear; its decimals would say it at once',
    request: route({ amountIn: ether }),
    answer: {
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      says: [
        `${alice} holds 5000000000000 of ${usdc} at block 378, 1000000000000000000 are needed. Amounts are in the smallest unit: 1000000 is one whole token. To go on without the funds, ask for executionMode=backend, or for a quote.`,
      ],
      next: [backendMode, quoteInstead],
    },
  },
  {
    number: '2',
    mistake: 'One USDC is written as 1.',
    before: 'silent: worth a millionth of a dollar',
    isInOpenMode: true,
    request: route({ amountIn: '1' }),
    answer: {
      status: 200,
      says: [
        `The gas of this transaction is worth about 172005625512419 of ${weth}, more than the 332279124 that come out. Amounts are in the smallest unit.`,
      ],
    },
  },
  {
    number: '3',
    mistake: 'The amount is a decimal fraction.',
    before: 'clear',
    request: route({ amountIn: '1.5' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '4',
    mistake: 'The amount has an exponent.',
    before: 'clear',
    request: route({ amountIn: '1e9' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '5',
    mistake: 'The amount is hexadecimal.',
    before: 'clear',
    request: route({ amountIn: '0x3b9aca00' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '6',
    mistake: 'The thousands of the amount are set apart by commas.',
    before: 'confusing: three messages about amountIn[1], amountIn[2] and counts',
    request: route({ amountIn: '1,000,000' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be written without separators: 1000000'],
      next: [{ parameter: 'amountIn', value: '1000000' }],
    },
  },
  {
    number: '7',
    mistake: 'The amount is zero.',
    before: 'clear',
    request: route({ amountIn: '0' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be greater than zero'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '8',
    mistake: 'The amount is negative.',
    before: 'clear',
    request: route({ amountIn: '-5' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '9',
    mistake: 'The amount is 2^256.',
    before: 'clear',
    request: route({ amountIn: (2n ** 256n).toString() }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '10',
    mistake: 'The amount is 2^255.',
    before: 'fair: no word of how much there is',
    request: route({ amountIn: (2n ** 255n).toString(), executionMode: 'backend' }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `No route from ${usdc} to ${weth} within 3 hops takes the whole amount. About 115788605113064538719732727731972384114887098368 can be routed.`,
      ],
      next: [{ parameter: 'amountIn', value: '115788605113064538719732727731972384114887098368' }],
    },
  },
  {
    number: '11',
    mistake: 'Ten billion USDC are sold at once.',
    before: 'good',
    request: quote({ amountIn: '10000000000000000' }),
    answer: {
      status: 200,
      says: [
        'The price impact is 9770.37 bps: what comes out is worth 97.7 % less than what goes in.',
      ],
    },
  },
  {
    number: '13',
    mistake: 'The amount is a JSON number above 2^53.',
    before: 'fine; it could say to send a string',
    request: postedQuote(1e19),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be a string: a number above 2^53 loses digits'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '14',
    mistake: 'The amount is a JSON number with a fraction.',
    before: 'clear',
    request: postedQuote(1.5),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['amountIn must be an amount in the smallest unit: a decimal string below 2^256'],
      next: [{ parameter: 'amountIn' }],
    },
  },
  {
    number: '77',
    mistake: 'One wei is sold.',
    before: 'excellent',
    request: quote({ tokenIn: nativeToken, tokenOut: usdc, amountIn: '1' }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `1 of ${nativeToken} is too small for any pool on the way to ${usdc}: the smallest amount that gives something is 332506874.`,
      ],
      next: [{ parameter: 'amountIn', value: '332506874' }],
    },
  },
]
