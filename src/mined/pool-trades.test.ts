import { type Abi, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import { poolTradesOf } from './pool-trades.js'

const name = (digit: string): Address => `0x${digit.repeat(40)}`
const [pool, account, tokenA, tokenB] = [name('a'), name('1'), name('7'), name('8')]
const id: Hex = `0x${'cd'.repeat(32)}`

/** @param indexed - values of the indexed fields, by name. */
function log(
  text: string,
  indexed: Readonly<Record<string, unknown>>,
  types: string,
  values: readonly unknown[],
) {
  const abi: Abi = parseAbi([text])
  const topics = encodeEventTopics({ abi, args: indexed }) as Hex[]
  const inputs = types.split(',').map((type) => ({ type }))
  return { address: pool, topics, data: encodeAbiParameters(inputs, values) }
}

describe('poolTradesOf', () => {
  test('pairs tell by what goes out, pools of V3 by what they gain', () => {
    const pair = log(
      'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
      { sender: account, to: account },
      'uint256,uint256,uint256,uint256',
      [0n, 5n, 9n, 0n],
    )
    const v3 = log(
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
      { sender: account, recipient: account },
      'int256,int256,uint160,uint128,int24',
      [5n, -9n, 1n, 1n, 0],
    )
    expect(poolTradesOf([pair, v3])).toEqual([
      { address: pool, id: null, family: 'factory', tokenIn: '1', tokenOut: '0' },
      { address: pool, id: null, family: 'factory', tokenIn: '0', tokenOut: '1' },
    ])
  })

  test('V4 tells what the swapper gains; Balancer names the tokens, Curve their places', () => {
    const v4 = log(
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
      { id, sender: account },
      'int128,int128,uint160,uint128,int24,uint24',
      [-5n, 9n, 1n, 1n, 0, 500],
    )
    const balancer = log(
      'event Swap(bytes32 indexed poolId, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
      { poolId: id, tokenIn: tokenB, tokenOut: tokenA },
      'uint256,uint256',
      [5n, 9n],
    )
    const curve = log(
      'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
      { buyer: account },
      'int128,uint256,int128,uint256',
      [2n, 5n, 0n, 9n],
    )
    expect(poolTradesOf([v4, balancer, curve])).toEqual([
      { address: pool, id, family: 'singleton', tokenIn: '0', tokenOut: '1' },
      { address: pool, id, family: 'singleton', tokenIn: tokenB, tokenOut: tokenA },
      { address: pool, id: null, family: 'curve', tokenIn: '2', tokenOut: '0' },
    ])
  })

  test('other events, and events of the same name that say something else, are left out', () => {
    const transfer = log(
      'event Transfer(address indexed from, address indexed to, uint256 amount)',
      { from: account, to: pool },
      'uint256',
      [5n],
    )
    const curve = log(
      'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
      { buyer: account },
      'int128',
      [2n],
    )
    expect(poolTradesOf([transfer, curve])).toEqual([])
  })
})
