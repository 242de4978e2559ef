/** Who pays, and who is paid. */
import { nativeToken, zeroAddress } from '../../../src/domain/primitives.js'
import {
  backendMode,
  bob,
  carol,
  type Mistake,
  quoteInstead,
  route,
  router,
  stranger,
  usdc,
  weth,
} from './mistake.js'

/** All that Alice holds. */
const allEther = '9999998160841535240648'

export const fundMistakes: readonly Mistake[] = [
  {
    number: '27',
    mistake: 'The sender is the zero address.',
    before: 'fine',
    request: route({ fromAddress: zeroAddress }),
    answer: {
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      says: [
        `${zeroAddress} holds 0 of ${usdc} at block 378, 1000000000 are needed. Amounts are in the smallest unit: 1000000 is one whole token. To go on without the funds, ask for executionMode=backend, or for a quote.`,
      ],
      next: [backendMode, quoteInstead],
    },
  },
  {
    number: '28',
    mistake: 'The sender has approved nothing.',
    before: 'right, but names no next step',
    request: route({ fromAddress: carol }),
    answer: {
      status: 400,
      code: 'INSUFFICIENT_ALLOWANCE',
      says: [
        `${carol} allows ${router} 0 of ${usdc} at block 378, 1000000000 are needed. Send the transaction of GET /api/v1/wallet/approve first; to go on without the allowance, ask for executionMode=backend, or for a quote.`,
      ],
      next: [
        {
          endpoint: 'GET /api/v1/wallet/approve',
          query: { chainId: '1', fromAddress: carol, tokenAddress: usdc, amount: '1000000000' },
        },
        backendMode,
        quoteInstead,
      ],
    },
  },
  {
    number: '29',
    mistake: 'The sender holds none of the token.',
    before: 'right, but names no next step',
    request: route({ fromAddress: stranger }),
    answer: {
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      says: [
        `${stranger} holds 0 of ${usdc} at block 378, 1000000000 are needed. Amounts are in the smallest unit: 1000000 is one whole token. To go on without the funds, ask for executionMode=backend, or for a quote.`,
      ],
      next: [backendMode, quoteInstead],
    },
  },
  {
    number: '30',
    mistake: 'The sender has approved too little.',
    before: 'right, but names no next step',
    request: route({ fromAddress: bob, amountIn: '150000000000' }),
    answer: {
      status: 400,
      code: 'INSUFFICIENT_ALLOWANCE',
      says: [
        `${bob} allows ${router} 100000000000 of ${usdc} at block 378, 150000000000 are needed. Send the transaction of GET /api/v1/wallet/approve first; to go on without the allowance, ask for executionMode=backend, or for a quote.`,
      ],
      next: [
        {
          endpoint: 'GET /api/v1/wallet/approve',
          query: { chainId: '1', fromAddress: bob, tokenAddress: usdc, amount: '150000000000' },
        },
        backendMode,
        quoteInstead,
      ],
    },
  },
  {
    number: '31',
    mistake: 'All ether of the sender is sold, and none left for gas.',
    before: 'very good',
    isInOpenMode: true,
    request: route({ tokenIn: nativeToken, tokenOut: usdc, amountIn: allEther }),
    answer: {
      status: 200,
      says: [
        '0 wei of the native token are left for gas, and this transaction costs about 4167028311077163 wei at the price of the next block.',
      ],
    },
  },
  {
    number: '81',
    mistake: 'The receiver is the zero address.',
    before: 'half noise: said twice, of refundReceiver too',
    request: route({ receiver: zeroAddress }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [`The receiver ${zeroAddress} cannot receive anything.`],
      next: [{ parameter: 'receiver' }],
    },
  },
  {
    number: '82',
    mistake: 'The receiver is the token itself.',
    before: 'silent: the tokens are lost',
    request: route({ receiver: weth }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        `The receiver ${weth} is the contract of a token that goes in or comes out: what a token's own contract is paid is lost.`,
      ],
      next: [{ parameter: 'receiver' }],
    },
  },
]
