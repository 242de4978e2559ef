/** Random orders of `Router.swap()`: well-formed ones, and bytes that almost are one. */
import fc from 'fast-check'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { zeroAddress } from '../../src/domain/primitives.js'
import {
  type PackedHop,
  type PackedSwap,
  packSwap,
  type SwapFamily,
  swapSelector,
} from '../../src/executor/swap-order.js'

const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((values) => `0x${Buffer.from(values).toString('hex')}` as const)
const address: fc.Arbitrary<Address> = bytes(20).filter((each) => each !== zeroAddress)
const uint128 = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

function hop(previous: SwapFamily | null, isLast: boolean): fc.Arbitrary<PackedHop> {
  return fc
    .record({
      family: fc.constantFrom('v2', 'v2-measured', 'v3', 'v4'),
      zeroForOne: fc.boolean(),
      target: address,
      tokenIn: address,
      tokenOut: address,
      pairFee: fc.nat(9_999),
      fee: fc.nat(2 ** 24 - 1),
      tickSpacing: fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }),
    })
    .map(({ pairFee, ...all }): PackedHop => {
      const isV4 = all.family === 'v4'
      const follows = isV4 && previous === 'v4'
      const isPair = all.family === 'v2' || all.family === 'v2-measured'
      const hasTokenIn = all.family === 'v2-measured' || (!isPair && previous !== null && !follows)
      return {
        family: all.family,
        zeroForOne: !isV4 && all.zeroForOne,
        isLast,
        share: 0,
        target: follows ? zeroAddress : all.target,
        tokenIn: hasTokenIn ? all.tokenIn : zeroAddress,
        tokenOut: isV4 && !isLast ? all.tokenOut : zeroAddress,
        fee: isPair ? pairFee : isV4 ? all.fee : 0,
        tickSpacing: isV4 ? all.tickSpacing : 0,
      }
    })
}

function leg(share: number): fc.Arbitrary<PackedHop[]> {
  return fc.integer({ min: 1, max: 4 }).chain((length) => {
    let hops: fc.Arbitrary<PackedHop[]> = fc.constant([])
    for (let index = 0; index < length; index++) {
      hops = hops.chain((before) =>
        hop(before.at(-1)?.family ?? null, index === length - 1).map((next) => [
          ...before,
          index === 0 ? { ...next, share } : next,
        ]),
      )
    }
    return hops
  })
}

const legs: fc.Arbitrary<PackedHop[]> = fc
  .array(fc.integer({ min: 1, max: 9_999 }), { maxLength: 3 })
  .chain((shares) => fc.tuple(...[...shares, 0].map(leg)))
  .map((each) => each.flat())

/** Orders as `readSwap` gives them: what the bytes do not have is zero or null. */
export const packedSwaps: fc.Arbitrary<PackedSwap> = fc
  .record({
    deadline: fc.option(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n })),
    input: fc.constantFrom('token', 'wrap', 'ether'),
    amountIn: uint128,
    minimum: uint128,
    tokenIn: address,
    tokenOut: address,
    unwraps: fc.boolean(),
    tags: fc.option(fc.record({ accountId: bytes(32), referralCode: bytes(16) })),
    receiver: fc.option(address),
    fee: fc.option(fc.record({ receiver: address, amount: uint128 })),
    hops: legs,
  })
  .map(({ input, ...swap }) => ({
    ...swap,
    amountIn: input === 'token' ? swap.amountIn : null,
    tokenIn: input === 'ether' ? zeroAddress : swap.tokenIn,
    wraps: input === 'wrap',
  }))

/** Call data: well-formed, cut, lengthened, with a byte changed, or any bytes behind the selector. */
export const swapCallData: fc.Arbitrary<Hex> = fc.oneof(
  packedSwaps.map(packSwap),
  fc.tuple(packedSwaps, fc.nat()).map(([swap, place]) => {
    const data = packSwap(swap)
    return data.slice(0, 10 + 2 * (place % ((data.length - 10) / 2))) as Hex
  }),
  fc
    .tuple(packedSwaps, fc.integer({ min: 1, max: 64 }).chain(bytes))
    .map(([swap, more]) => `${packSwap(swap)}${more.slice(2)}` as Hex),
  fc.tuple(packedSwaps, fc.nat(), bytes(1)).map(([swap, place, byte]) => {
    const data = packSwap(swap)
    const at = 10 + 2 * (place % ((data.length - 10) / 2))
    return `${data.slice(0, at)}${byte.slice(2)}${data.slice(at + 2)}` as Hex
  }),
  fc
    .nat(300)
    .chain(bytes)
    .map((any) => `${swapSelector}${any.slice(2)}` as Hex),
)
