import { encodeFunctionData, erc20Abi, erc4626Abi } from 'viem'
import { expect, test } from 'vitest'
import { callKind, namesIn, placesIn } from './call-kind.js'

const vault = '0x83f20f44975d03b1b09e64809b757c47f942beea'
const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const
const preview = (assets: bigint) =>
  encodeFunctionData({ abi: erc4626Abi, functionName: 'previewDeposit', args: [assets] })
const balance = (owner: `0x${string}`) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

test('two amounts are of one kind, two accounts are not', () => {
  expect(callKind(vault, preview(1n))).toBe(callKind(vault, preview(10n ** 38n)))
  expect(callKind(vault, balance(alice))).not.toBe(callKind(vault, balance(bob)))
  expect(callKind(vault, balance(alice))).not.toBe(callKind(alice, balance(alice)))
})

test('a call without arguments, and one of half a word, names nothing', () => {
  expect(namesIn('0x18160ddd')).toEqual([])
  expect(namesIn(`0x18160ddd${'f'.repeat(63)}`)).toEqual([])
  expect(namesIn('0x')).toEqual([])
})

test('a place in a list is told from an amount', () => {
  expect(placesIn(preview(65_535n))).toHaveLength(1)
  expect(placesIn(preview(65_536n))).toEqual([])
  expect(placesIn(balance(alice))).toEqual([])
})
