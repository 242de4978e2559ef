import { type AbiFunction, decodeFunctionData, type Hex, parseAbiItem, size, slice } from 'viem'
import { describe, expect, test } from 'vitest'
import { defined } from '../domain/defined.js'
import type { CallStep, ExecutorStep, Order } from '../domain/order.js'
import { type Address, zeroAddress } from '../domain/primitives.js'
import { buildTransaction } from './compile.js'
import { contractAddress, executorContracts } from './deployments.js'
import { flashLoan } from './flash-loan.js'
import { packSteps } from './pack-steps.js'
import { prepareSteps } from './prepare-steps.js'
import type { PreparedCall } from './prepared-step.js'

const from: Address = '0x00000000000000000000000000000000000a11ce'
const token: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'
const lender: Address = '0x00000000000000000000000000000000000000cc'
const put = parseAbiItem('function put(uint256 amount) returns (uint256)') as AbiFunction
const start = parseAbiItem('function start(uint256 amount, bytes steps)') as AbiFunction

function call(changes: Partial<CallStep> = {}): CallStep {
  const output = { kind: 'word', index: 0 } as const
  return { kind: 'call', target: other, abi: put, args: [1n], output, ...changes }
}

function withCallback(
  callback: readonly ExecutorStep[],
  changes: Partial<CallStep> = {},
): CallStep {
  return { kind: 'call', target: other, abi: start, args: [7n], callback, ...changes }
}

function ref(step: number, bps?: number) {
  return { ref: 'output', step, ...defined({ bps }) } as const
}

function prepared(steps: readonly ExecutorStep[], index: number): PreparedCall {
  const step = prepareSteps(steps)[index]
  if (step?.kind !== 'call') throw new Error('no call')
  return step
}

/** The packed callback steps, as they lie in the call data. */
function programOf({ data, program }: PreparedCall): Hex {
  if (!program) throw new Error('no program')
  return slice(data, program.offset, program.offset + program.length)
}

function order(steps: readonly ExecutorStep[]): Order {
  return {
    inputs: [],
    feeReceiver: zeroAddress,
    steps,
    outputs: [],
    receiver: from,
    refundReceiver: from,
    sweep: [],
    deadline: 1n,
    accountId: `0x${'00'.repeat(32)}`,
    referralCode: `0x${'00'.repeat(16)}`,
  }
}

describe('a call with callback steps', () => {
  test('carries them packed as its last argument, counted from 0', () => {
    const steps = [call(), withCallback([call(), call({ args: [ref(1)] })])]
    const step = prepared(steps, 1)
    const { args } = decodeFunctionData({ abi: [start], data: step.data })
    const packed = packSteps(prepareSteps([call(), call({ args: [ref(0)] })]))
    expect(args).toEqual([7n, packed])
    expect(programOf(step)).toBe(packed)
    expect(step.patches).toEqual([])
    const { offset, length } = step.program ?? { offset: 0, length: 0 }
    const place = [offset, length].map((number) => number.toString(16).padStart(6, '0'))
    expect(packSteps(prepareSteps(steps)).endsWith(`00${place.join('')}`)).toBe(true)
    expect(packSteps(prepareSteps(steps))).toContain(`08${other.slice(2)}`)
  })

  test('a reference to an outer step is patched into the program before the call', () => {
    const inside: ExecutorStep[] = [
      { kind: 'transfer', token, to: other, amount: ref(0, 2_500) },
      call({ value: ref(0), args: [ref(1)] }),
      call({ args: [ref(3)] }),
    ]
    const step = prepared([call(), call(), withCallback(inside, { args: [ref(1)] })], 2)
    expect(step.patches.map((patch) => patch.ref)).toEqual([ref(1), ref(0, 2_500), ref(0), ref(1)])
    // Each falls on a literal of 32 bytes of its own, behind the byte that says so.
    const places = step.patches.slice(1).map(({ offset }) => offset)
    expect(new Set(places).size).toBe(3)
    for (const place of places) {
      expect(slice(step.data, place - 1, place + 32)).toBe(`0x2080${'00'.repeat(31)}`)
    }
    // The first amount ends the transfer; only the last step refers to one inside: its second, call 3.
    const program = programOf(step)
    expect(places[0]).toBe((step.program?.offset ?? 0) + 1 + 1 + 20 + 20 + 1)
    expect(program.endsWith('0100000441012710')).toBe(true)
  })

  test.each([1, 31, 255])('%i references find their places', (count) => {
    const amounts = Array.from({ length: count }, (_, index) => ref(0, index))
    const inside = amounts.map(
      (amount): ExecutorStep => ({ kind: 'transfer', token, to: other, amount }),
    )
    const step = prepared([call(), withCallback(inside)], 1)
    const first = (step.program?.offset ?? 0) + 1 + 42
    expect(step.patches).toEqual(
      amounts.map((amount, index) => ({ offset: first + index * 74, ref: amount })),
    )
  })

  const transfer: ExecutorStep = { kind: 'transfer', token, to: other, amount: 1n }
  test.each<[string, readonly ExecutorStep[], RegExp]>([
    ['the call itself', [withCallback([call({ args: [ref(0)] })])], /step 0, .* before it/],
    ['a step forward', [call(), withCallback([call({ args: [ref(2)] })])], /step 2, .* before it/],
    [
      'an outer step without output',
      [transfer, withCallback([call({ args: [ref(0)] })])],
      /Step 1: in its callback: Step 1: it refers to step 0, which has no output/,
    ],
    [
      'a callback step from behind it',
      [withCallback([call(), call()]), call({ args: [ref(0)] })],
      /Step 1: it refers to step 0, which has no output/,
    ],
  ])('rejects a reference to %s', (_name, steps, message) => {
    expect(() => prepareSteps(steps)).toThrow(message)
  })

  test('rejects what no callback can be: paid besides, or without a place for the steps', () => {
    const paid = withCallback([], { payToken: token })
    expect(() => prepareSteps([paid])).toThrow(/Step 0: a callback is either paid or given steps/)
    const placeless = call({ callback: [] })
    expect(() => prepareSteps([placeless])).toThrow(/last parameter of put cannot take steps/)
  })

  test.each(['delegate', 'delegate-legacy', 'wallet-v2'] as const)('%s refuses it', (strategy) => {
    const steps = [call(), withCallback([call()])]
    expect(() => buildTransaction({ strategy, from, order: order(steps) })).toThrow(
      'Step 1: steps within a callback need the routing strategy router.',
    )
  })
})

describe('flashLoan', () => {
  const loan = flashLoan({
    index: 2,
    lender,
    loans: [
      { token: other, amount: ref(0) },
      { token, amount: 5n },
    ],
    maximumFeeE18: 3n,
  })

  test('reads what is owed, runs the steps and pays back, whatever the order of the tokens', () => {
    const target = contractAddress('FlashLoans')
    expect(loan.owed).toEqual([
      { token: other, amount: ref(2) },
      { token, amount: ref(3) },
    ])
    expect(loan.firstStep).toBe(4)
    const own = call({ args: [ref(loan.firstStep - 1)] })
    const step = loan.step([own])
    expect(step.args).toEqual([lender, [token, other], [5n, ref(0)], 3n])
    expect(step.callback).toMatchObject([
      { target, args: [other] },
      { target, args: [token] },
      own,
      { target: contractAddress('Values'), args: [{ ref: 'balance', token: other }, ref(2)] },
      { kind: 'transfer', token: other, to: target, amount: ref(2) },
      { target: contractAddress('Values'), args: [{ ref: 'balance', token }, ref(3)] },
      { kind: 'transfer', token, to: target, amount: ref(3) },
    ])
    const ready = prepared([call(), call(), step], 2)
    const { functionName, args } = decodeFunctionData({
      abi: executorContracts.FlashLoans.abi,
      data: ready.data,
    })
    expect(functionName).toBe('loan')
    expect(size((args as readonly Hex[]).at(-1) ?? '0x')).toBe(ready.program?.length)
  })

  test('borrows a token only once', () => {
    const loans = [
      { token, amount: 1n },
      { token, amount: 2n },
    ]
    expect(() => flashLoan({ index: 0, lender, loans, maximumFeeE18: 0n })).toThrow(
      /Step 0: a flash loan borrows a token only once/,
    )
  })
})
