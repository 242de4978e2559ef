/**
 * Balances before and after a transaction inside the same simulated block, read by a contract of a
 * few bytes that simulations place by override. It runs as transactions of their own, so the measured
 * transaction's gas is untouched. Pure.
 */
import { type Address, type Hex, nativeToken } from '../domain/primitives.js'
import type { BalanceAmount, MeasuredBalance } from '../domain/state.js'

/** Where the contract is placed, and who calls it: no key is known for this address, nothing lives there. */
export const balanceProbe: Address = '0x00000000000000000000000000000000f0a6b0be'

/** Gas for one balance; rebasing and vault tokens take up to about 150,000. */
const gasPerBalance = 1_000_000n

/**
 * Input: (token, owner) pairs, a word each. Output: one word per pair. Reverts when a token gives no balance.
 * Memory: 0 call data of balanceOf, 0x40 the output. The stack's last item is the input offset.
 */
const probeCode = [
  '6370a0823160e01b600052', // mem[0] = selector of balanceOf(address)
  '6000', // offset = 0
  '5b36811015606d57', // 0x0d: unless offset < calldatasize goto 0x6d
  '8060200135', // owner = calldata[offset + 32]
  '8135', // token = calldata[offset]
  `8073${nativeToken.slice(2)}14605f57`, // if token is the native constant goto 0x5f
  '90600452', // mem[4] = owner
  '60208260011c60400160246000845afa', // staticcall(gas, token, 0, 0x24, 0x40 + offset / 2, 0x20)
  '3d601f1016605757', // if it succeeded and returned a word goto 0x57
  '60006000fd',
  '5b50604001600d56', // 0x57: offset += 64, goto 0x0d
  '5b90318260011c60400152605756', // 0x5f: mem[0x40 + offset / 2] = balance(owner), goto 0x57
  '5b60011c6040f3', // 0x6d: return offset / 2 bytes from 0x40
].join('')

export const balanceProbeCode: Hex = `0x${probeCode}`

export function encodeProbe(measure: readonly MeasuredBalance[]): Hex {
  const words = measure.flatMap(({ token, owner }) => [token, owner])
  return `0x${words.map((address) => address.slice(2).padStart(64, '0')).join('')}`
}

export function probeGas(measure: readonly MeasuredBalance[]): bigint {
  return 100_000n + gasPerBalance * BigInt(measure.length)
}

export function decodeProbe(data: Hex, measure: readonly MeasuredBalance[]): BalanceAmount[] {
  return measure.map(({ token, owner }, index) => {
    const word = data.slice(2 + index * 64, 66 + index * 64)
    return { token, owner, amount: BigInt(`0x${word}`) }
  })
}
