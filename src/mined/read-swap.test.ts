import { describe, expect, test } from 'vitest'
import { type Address, nativeToken, zeroAddress } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'
import { netFlows, readSwap, withoutTip } from './read-swap.js'

const name = (digit: string): Address => `0x${digit.repeat(40)}`
const [sender, router, pool, friend, collector] = [
  name('1'),
  name('2'),
  name('3'),
  name('4'),
  name('5'),
]
const [weth, usdc, dai] = [name('7'), name('8'), name('9')]

const move = (token: Address, from: Address, to: Address, amount: bigint): Movement => {
  return { token, from, to, amount }
}
const read = (...movements: Movement[]) =>
  readSwap(netFlows(movements), { sender, to: router }, weth)
const none = (reason: string) => ({ kind: 'none', reason })

describe('readSwap', () => {
  test('one token for another; a router in between has no part in it', () => {
    const found = read(
      move(weth, sender, router, 10n),
      move(weth, router, pool, 10n),
      move(usdc, pool, router, 30n),
      move(usdc, router, sender, 30n),
    )
    expect(found).toEqual({
      kind: 'swap',
      swap: {
        payer: sender,
        tokenIn: weth,
        amountIn: 10n,
        tokenOut: usdc,
        amountOut: 30n,
        receiver: sender,
      },
    })
  })

  test('ether that is wrapped on its way, of which a part comes back', () => {
    const found = read(
      move(nativeToken, sender, router, 10n),
      move(nativeToken, router, weth, 8n),
      move(weth, weth, router, 8n),
      move(nativeToken, router, sender, 2n),
      move(weth, router, pool, 8n),
      move(usdc, pool, sender, 24n),
    )
    expect(found).toMatchObject({
      swap: { tokenIn: nativeToken, amountIn: 8n, tokenOut: usdc, amountOut: 24n },
    })
  })

  test('another account gets the proceeds, and the sender nothing', () => {
    const found = read(move(weth, sender, pool, 10n), move(usdc, pool, friend, 30n))
    expect(found).toMatchObject({ swap: { receiver: friend, amountOut: 30n } })
  })

  test('a fee of the input that somebody else gets is part of what the sender gives', () => {
    const found = read(
      move(weth, sender, collector, 1n),
      move(weth, sender, pool, 9n),
      move(usdc, pool, sender, 27n),
    )
    expect(found).toMatchObject({ swap: { amountIn: 10n, amountOut: 27n } })
  })

  test('of a sender that gives nothing, the contract that it calls', () => {
    const found = read(move(weth, router, pool, 10n), move(usdc, pool, router, 30n))
    expect(found).toMatchObject({ swap: { payer: router, amountIn: 10n, receiver: router } })
    const deployed = readSwap(netFlows([move(weth, router, pool, 1n)]), { sender, to: null }, weth)
    expect(deployed).toEqual(none('the sender gives nothing'))
    expect(read(move(weth, router, pool, 1n), move(dai, router, pool, 1n))).toEqual(
      none('the contract that it calls gives 2 tokens'),
    )
  })

  test('a swap that somebody else pays for, too, is none; a vault gives out of its own', () => {
    const paid = [move(weth, sender, collector, 1n), move(dai, router, pool, 5n)]
    expect(read(...paid, move(usdc, pool, friend, 9n), move(dai, pool, friend, 1n))).toEqual(
      none('nobody gets another token for what the sender gives'),
    )
    expect(read(...paid, move(usdc, pool, sender, 9n))).toEqual(
      none('others give tokens for it, too'),
    )
    const vault = dai
    const redeemed = read(
      move(vault, sender, zeroAddress, 4n),
      move(weth, vault, pool, 5n),
      move(usdc, pool, sender, 15n),
    )
    expect(redeemed).toMatchObject({ swap: { tokenIn: vault, tokenOut: usdc } })
  })

  test('what is no swap is named', () => {
    expect(read()).toEqual(none('it moves no tokens'))
    expect(read(move(usdc, pool, sender, 1n))).toEqual(none('the sender gives nothing'))
    expect(read(move(usdc, sender, friend, 1n))).toEqual(
      none('nobody gets another token for what the sender gives'),
    )
    const pair = [move(weth, sender, pool, 1n), move(usdc, sender, pool, 3n)]
    expect(read(...pair, move(dai, zeroAddress, sender, 2n))).toEqual(
      none('the sender gives 2 tokens'),
    )
    expect(
      read(move(dai, sender, pool, 2n), move(weth, pool, sender, 1n), move(usdc, pool, sender, 3n)),
    ).toEqual(none('the sender gets 2 tokens'))
    expect(
      read(
        move(weth, sender, pool, 1n),
        move(usdc, pool, friend, 2n),
        move(usdc, pool, collector, 1n),
      ),
    ).toEqual(none('2 accounts get tokens for it'))
    expect(read(move(nativeToken, sender, weth, 1n), move(weth, weth, sender, 1n))).toEqual(
      none('it only wraps or unwraps the native token'),
    )
  })
})

describe('withoutTip', () => {
  const miner = name('6')
  const tip = move(nativeToken, router, miner, 3n)
  const swap = [move(weth, router, pool, 10n), move(usdc, pool, router, 30n)]
  const readTipped = (...movements: Movement[]) =>
    readSwap(withoutTip(netFlows(movements), miner, weth), { sender, to: router }, weth)

  test('ether for a place in the block is no part of a swap, whoever sent it there', () => {
    const found = { kind: 'swap', swap: { payer: router, tokenIn: weth, tokenOut: usdc } }
    expect(readTipped(...swap, tip)).toMatchObject(found)
    expect(readTipped(...swap, move(nativeToken, sender, router, 3n), tip)).toMatchObject(found)
  })

  test('of ether that goes in, only what is left goes into the swap', () => {
    const sold = [move(nativeToken, sender, router, 13n), move(nativeToken, router, pool, 10n)]
    expect(readTipped(...sold, tip, move(usdc, pool, sender, 30n))).toMatchObject({
      swap: { payer: sender, tokenIn: nativeToken, amountIn: 10n },
    })
  })

  test('where two lose ether, or nobody so much, nothing is taken off', () => {
    const two = netFlows([...swap, tip, move(nativeToken, sender, pool, 1n)])
    expect(withoutTip(two, miner, weth)).toBe(two)
    const unwrapped = netFlows([move(nativeToken, weth, miner, 3n), move(weth, router, weth, 3n)])
    expect(withoutTip(unwrapped, miner, weth)).toBe(unwrapped)
  })
})
