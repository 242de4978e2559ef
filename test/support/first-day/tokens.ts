/** Tokens: how they are named, and those that cannot be traded. */
import { nativeToken, zeroAddress } from '../../../src/domain/primitives.js'
import { address, bob, ether, type Mistake, quote, usdc, weth } from './mistake.js'

export const tokenMistakes: readonly Mistake[] = [
  {
    number: '18',
    mistake: 'An address has a wrong checksum.',
    before: 'very good',
    request: quote({ tokenIn: '0xA0b86991c6218b36c1d19D4a2e9eb0ce3606eb48' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn has a wrong EIP-55 checksum; write it in lower case to skip the check'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '20',
    mistake: 'An address lacks its 0x.',
    before: 'clear',
    request: quote({ tokenIn: usdc.slice(2) }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '21',
    mistake: 'An address is too short.',
    before: 'clear',
    request: quote({ tokenIn: usdc.slice(0, 20) }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '22',
    mistake: 'A name of ENS stands for an address.',
    before: 'clear',
    request: quote({ tokenIn: 'vitalik.eth' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '23',
    mistake: 'A symbol stands for an address.',
    before: 'clear',
    request: quote({ tokenIn: 'USDC' }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '24',
    mistake: 'The zero address stands for ether that is sold.',
    before: 'bad: no word of 0xeeee…',
    request: quote({ tokenIn: zeroAddress, tokenOut: usdc, amountIn: ether }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [`tokenIn must not be the zero address: the native token is ${nativeToken}`],
      next: [{ parameter: 'tokenIn', value: nativeToken }],
    },
  },
  {
    number: '25',
    mistake: 'The zero address stands for ether that is bought.',
    before: 'worst: "a measured token gives no balance"',
    request: quote({ tokenOut: zeroAddress }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [`tokenOut must not be the zero address: the native token is ${nativeToken}`],
      next: [{ parameter: 'tokenOut', value: nativeToken }],
    },
  },
  {
    number: '26',
    mistake: 'ETH stands for the native token.',
    before: 'fine',
    request: quote({ tokenIn: 'ETH', amountIn: ether }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must be an address: 0x and 40 hexadecimal digits'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '35',
    mistake: 'The token is one of another chain.',
    before: 'good; the chain was not named',
    request: quote({ tokenOut: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        '0xaf88d065e77c8cc2239327c5edb3a432268e5831 is no token at this block of chain 1 (Ethereum). Check the address, and that chainId names the chain of the token.',
      ],
      next: [{ parameter: 'tokenOut' }, { parameter: 'chainId' }],
    },
  },
  {
    number: '36',
    mistake: 'The token is an account.',
    before: 'good; the chain was not named',
    request: quote({ tokenOut: bob }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        `${bob} is no token at this block of chain 1 (Ethereum). Check the address, and that chainId names the chain of the token.`,
      ],
      next: [{ parameter: 'tokenOut' }, { parameter: 'chainId' }],
    },
  },
  {
    number: '37',
    mistake: 'The token is a contract of another kind.',
    before: 'good; the chain was not named',
    request: quote({ tokenOut: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419' }),
    answer: {
      status: 422,
      code: 'NO_ROUTE',
      says: [
        '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419 is no token at this block of chain 1 (Ethereum). Check the address, and that chainId names the chain of the token.',
      ],
      next: [{ parameter: 'tokenOut' }, { parameter: 'chainId' }],
    },
  },
  {
    number: '50',
    mistake: 'A token is swapped for itself.',
    before: 'good',
    request: quote({ tokenOut: usdc }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenOut must differ from tokenIn'],
      next: [{ parameter: 'tokenOut' }],
    },
  },
  {
    number: '52',
    mistake: 'A token goes in twice.',
    before: 'good',
    request: quote({ tokenIn: [usdc, usdc], amountIn: ['1', '1'] }),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['tokenIn must not name a token twice'],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '53',
    mistake: 'A token that refuses every transfer is sold.',
    before: 'says nothing: "All 24 candidates failed in simulation"',
    request: quote({ tokenIn: address('FRZN'), amountIn: ether }),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `${address('FRZN')} cannot be sold: it refuses even a plain transfer of 1000000000000000000 (Frozen()).`,
      ],
      next: [{ parameter: 'tokenIn' }],
    },
  },
  {
    number: '53a',
    mistake: 'A token that refuses every transfer is bought.',
    before: 'says nothing: "All 24 candidates failed in simulation"',
    request: quote({ tokenIn: weth, tokenOut: address('FRZN'), amountIn: ether }),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `${address('FRZN')} cannot be bought: it refuses transfers from the pools that trade it (Frozen()).`,
      ],
      next: [{ parameter: 'tokenOut' }],
    },
  },
  {
    number: '54',
    mistake: 'A token that can be bought, but not sold, is sold.',
    before: 'says nothing: "All 24 candidates failed in simulation"',
    request: quote({ tokenIn: address('HNY'), amountIn: ether }),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `${address('HNY')} cannot be sold: it refuses transfers to the pools that trade it (Error(TRANSFER_FAILED)), though others may receive it. Tokens that can be bought and not sold are a known trap.`,
      ],
      next: [{ parameter: 'tokenIn' }],
    },
  },
]
