import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, type AmountRef, type Order, routingStrategies } from '../domain/order.js'
import type { Address, Hex } from '../domain/primitives.js'
import { buildTransaction, runnerAddress } from './compile.js'
import { decodeOrder } from './decode-order.js'
import { packSteps } from './pack-steps.js'
import type { PreparedStep } from './prepared-step.js'
import { unpackSteps } from './unpack-steps.js'

const bytesOf = (least: number, most: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: least, maxLength: most })
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const address = bytesOf(20, 20) as fc.Arbitrary<Address>
const scale = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 0, max: 9_999 }).map((bps) => ({ bps })),
)
const ref: fc.Arbitrary<AmountRef> = fc.oneof(
  fc.tuple(address, scale).map(([token, rest]) => ({ ref: 'balance' as const, token, ...rest })),
  fc.tuple(fc.nat(254), scale).map(([step, rest]) => ({ ref: 'output' as const, step, ...rest })),
)
const amount: fc.Arbitrary<Amount> = fc.oneof(fc.bigInt(0n, 2n ** 256n - 1n), ref)
const patch = fc.record({ offset: fc.nat(2 ** 24 - 1), ref })
const output = fc.oneof(
  fc.nat(255).map((index) => ({ kind: 'word' as const, index })),
  address.map((token) => ({ kind: 'balance' as const, token })),
)
const program = fc.record({ offset: fc.nat(2 ** 24 - 1), length: fc.nat(2 ** 24 - 1) })
const step: fc.Arbitrary<PreparedStep> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('call' as const),
      target: address,
      data: bytesOf(4, 200),
      patches: fc.array(patch, { maxLength: 4 }),
      value: amount,
      payToken: address,
      output,
      program,
    },
    { requiredKeys: ['kind', 'target', 'data', 'patches'] },
  ),
  fc.record({ kind: fc.constant('transfer' as const), token: address, to: address, amount }),
  fc.record({ kind: fc.constant('approve' as const), token: address, spender: address, amount }),
)

describe('unpackSteps', () => {
  test('property: gives back what was packed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        expect(unpackSteps(packSteps(steps))).toEqual(steps)
      }),
    )
  })

  test('property: cut short, or with bytes behind, it is refused', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.nat(), (steps, at) => {
        const packed = packSteps(steps)
        const bytes = (packed.length - 2) / 2
        const cut = packed.slice(0, 2 + 2 * (at % bytes)) as Hex
        expect(() => unpackSteps(cut)).toThrow(RangeError)
        expect(() => unpackSteps(`${packed}00`)).toThrow(RangeError)
      }),
    )
  })

  test('an unknown kind of step or amount is refused', () => {
    expect(() => unpackSteps('0x0103')).toThrow('3 is no kind of step')
    const token = '11'.repeat(20)
    expect(() => unpackSteps(`0x0101${token}${token}21`)).toThrow('33 is no kind of amount')
  })
})

describe('decodeOrder', () => {
  const from: Address = '0x1111111111111111111111111111111111111111'
  const receiver: Address = '0x2222222222222222222222222222222222222222'
  const token: Address = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  const tokenOut: Address = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
  const order: Order = {
    inputs: [{ token, amount: 1_000n, fee: 3n }],
    feeReceiver: receiver,
    steps: [{ kind: 'transfer', token, to: receiver, amount: 5n }],
    outputs: [{ token: tokenOut, minAmountOut: 7n }],
    receiver,
    refundReceiver: receiver,
    sweep: [],
    deadline: 2n ** 32n - 1n,
    accountId: `0x${'0'.repeat(64)}`,
    referralCode: `0x${'0'.repeat(32)}`,
  }

  test.each(routingStrategies)('reads what was built for %s, and who runs it', (strategy) => {
    const { to, data } = buildTransaction({ strategy, from, order })
    // An account runs the code of the Delegate in its own name.
    const account = strategy.startsWith('delegate') ? from : to
    const { inputs, steps, outputs } = order
    expect(decodeOrder({ from, to: account, data })).toEqual({
      entry: expect.stringMatching(
        /^(Router|Delegate|WalletFactory)\.(execute|executeLegacy|deployAndRun)$/,
      ),
      runner: runnerAddress(strategy, from),
      inputs,
      steps,
      outputs,
      receiver,
    })
  })

  test('knows no other call', () => {
    expect(decodeOrder({ from, to: receiver, data: '0x' })).toBeNull()
    expect(decodeOrder({ from, to: receiver, data: '0xa9059cbb' })).toBeNull()
    const { data } = buildTransaction({ strategy: 'router', from, order })
    expect(decodeOrder({ from, to: receiver, data: data.slice(0, 600) as Hex })).toBeNull()
  })
})
