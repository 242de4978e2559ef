import {
  type Abi,
  type AbiFunction,
  decodeAbiParameters,
  decodeErrorResult,
  decodeFunctionData,
  type Hex,
  padHex,
  parseAbiItem,
  parseAbiParameters,
  sliceHex,
  toFunctionSelector,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { CallStep, ExecutorStep, Order } from '../domain/order.js'
import { type Address, nativeToken, zeroAddress } from '../domain/primitives.js'
import { buildDeliveryMessage, buildTransaction, runnerAddress } from './compile.js'
import {
  contractAddress,
  executorAddress,
  executorContracts,
  quoteSender,
  walletAddress,
} from './deployments.js'
import { executorErrorsAbi } from './errors.js'

const from: Address = '0x00000000000000000000000000000000000a11ce'
const token: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'
const put = parseAbiItem('function put(uint256 amount) returns (uint256)') as AbiFunction

function call(changes: Partial<CallStep> = {}): CallStep {
  return { kind: 'call', target: other, abi: put, args: [1n], ...changes }
}

function order(changes: Partial<Order> = {}): Order {
  return {
    inputs: [{ token, amount: 100n }],
    feeReceiver: zeroAddress,
    steps: [],
    outputs: [{ token: other, minAmountOut: 1n }],
    receiver: from,
    refundReceiver: from,
    sweep: [],
    deadline: 1n,
    accountId: `0x${'00'.repeat(32)}`,
    referralCode: `0x${'00'.repeat(16)}`,
    ...changes,
  }
}

function build(steps: readonly ExecutorStep[], changes: Partial<Order> = {}) {
  return buildTransaction({ strategy: 'router', from, order: order({ steps, ...changes }) })
}

function packed(strategy: 'router' | 'wallet-v2', steps: readonly ExecutorStep[]) {
  const { data } = buildTransaction({ strategy, from, order: order({ steps }) })
  const { abi } = executorContracts[strategy === 'router' ? 'Router' : 'WalletFactory']
  const { args } = decodeFunctionData({ abi, data })
  return args?.[0] as unknown as { steps: string; sweep: string[] }
}

describe('buildTransaction', () => {
  test('packs steps as StepRunner.sol reads them', () => {
    const steps: ExecutorStep[] = [
      { kind: 'transfer', token, to: other, amount: 0x0102n },
      call({ value: 0n, output: { kind: 'word', index: 2 } }),
      { kind: 'approve', token, spender: other, amount: { ref: 'balance', token, bps: 5_000 } },
      call({
        args: [{ ref: 'output', step: 1 }],
        payToken: token,
        output: { kind: 'balance', token },
      }),
    ]
    const [t, o] = [token.slice(2), other.slice(2)]
    const selector = toFunctionSelector(put).slice(2)
    expect(packed('router', steps).steps.slice(2)).toMatch(
      new RegExp(
        [
          '^04',
          `01${t}${o}020102`,
          `50${o}0002000024${selector}${'0'.repeat(63)}100`,
          `02${t}${o}40${t}1388`,
          `a0${o}${t}${t}000024${selector}${'0'.repeat(64)}0100000441012710$`,
        ].join(''),
      ),
    )
  })

  test('accounts send what a callback would be paid to the CallbackPayer first', () => {
    const amount = { ref: 'balance', token } as const
    const paid = call({ payToken: token, args: [amount], output: { kind: 'word', index: 0 } })
    const next = call({ args: [{ ref: 'output', step: 0 }] })
    const { steps, sweep } = packed('wallet-v2', [paid, next])
    const payer = contractAddress('CallbackPayer').slice(2)
    // Transfer of everything; the call through the payer refers to it; the next refers to that call.
    expect(steps.startsWith(`0x0301${token.slice(2)}${payer}40${token.slice(2)}2710`)).toBe(true)
    expect(steps).toContain(`40${payer}00`)
    expect(steps).toMatch(/0100008841002710/)
    expect(steps.endsWith('0100000441012710')).toBe(true)
    expect(sweep).toEqual([])
  })

  test('adds up the native input, and lists nothing twice that the contracts sweep anyway', () => {
    const inputs = [
      { token: nativeToken, amount: 5n },
      { token, amount: 7n },
    ]
    const tx = build([], { inputs, sweep: [token, other, nativeToken] })
    const { args } = decodeFunctionData({ abi: executorContracts.Router.abi, data: tx.data })
    expect(tx.value).toBe(5n)
    expect(args?.[0]).toMatchObject({ sweep: [] })
  })

  test.each<[string, ExecutorStep[], RegExp]>([
    [
      'a reference forward',
      [call({ args: [{ ref: 'output', step: 1 }] }), call()],
      /Step 0: .*step 1/,
    ],
    ['a reference to itself', [call({ args: [{ ref: 'output', step: 0 }] })], /Step 0: .*step 0/],
    [
      'a reference out of range',
      [call({ args: [{ ref: 'output', step: -1 }] })],
      /Step 0: .*step -1/,
    ],
    [
      'a reference to a step without output',
      [call(), call({ value: { ref: 'output', step: 0 } })],
      /Step 1: .*no output/,
    ],
    [
      'bps over 10,000',
      [call({ args: [{ ref: 'balance', token, bps: 10_001 }] })],
      /Step 0: bps 10001/,
    ],
    [
      'a fraction of a bp',
      [call({ args: [{ ref: 'balance', token, bps: 0.5 }] })],
      /Step 0: bps 0.5/,
    ],
    [
      'a negative amount',
      [{ kind: 'transfer', token, to: other, amount: -1n }],
      /Step 0: the amount -1/,
    ],
    [
      'a malformed address',
      [{ kind: 'transfer', token: '0x12', to: other, amount: 1n }],
      /Step 0: 0x12/,
    ],
    [
      'an allowance of the native token',
      [{ kind: 'approve', token: nativeToken, spender: other, amount: 1n }],
      /Step 0: the native/,
    ],
    ['a callback paid in native', [call({ payToken: nativeToken })], /Step 0: a callback/],
    [
      'an output word out of range',
      [call({ output: { kind: 'word', index: 256 } })],
      /Step 0: the output word 256/,
    ],
    ['more than 255 steps', Array.from({ length: 256 }, () => call()), /at most 255/],
  ])('rejects %s', (_name, steps, message) => {
    expect(() => build(steps)).toThrow(message)
    expect(() => build(steps)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })

  test('rejects an order that would strand or lose tokens, with every fault at once', () => {
    const wrong = () =>
      build([], {
        inputs: [
          { token, amount: 1n, fee: 2n },
          { token, amount: 1n, fee: 0n },
        ],
        receiver: executorAddress(from),
        refundReceiver: zeroAddress,
      })
    expect(wrong).toThrow(
      /The fee 2 is above .* twice in inputs.* The receiver .* The refundReceiver .* The feeReceiver/,
    )
    const once = () => build([], { receiver: zeroAddress, refundReceiver: zeroAddress })
    expect(once).toThrow(/^The receiver 0x0+ cannot receive anything\.$/)
    const inputs = [{ token, amount: 1n, fee: 1n }]
    expect(() => build([], { inputs })).toThrow(/^The feeReceiver 0x0+ cannot receive anything\.$/)
  })
})

test('rejects a receiver that is the contract of a token of the order', () => {
  const order = { inputs: [{ token, amount: 1n, fee: 0n }] }
  for (const name of ['receiver', 'refundReceiver'] as const) {
    const wrong = () => build([], { ...order, [name]: token })
    expect(wrong).toThrow(new RegExp(`The ${name} ${token} is the contract of a token`))
  }
})

describe('runnerAddress', () => {
  test('the Executor, the account itself, or the wallet', () => {
    expect(runnerAddress('router', from)).toBe(executorAddress(from))
    expect(runnerAddress('router-legacy', from)).toBe(executorAddress(from))
    expect(runnerAddress('delegate', from)).toBe(from)
    expect(runnerAddress('wallet-v2', from)).toBe(walletAddress(from))
  })
})

describe('executorErrorsAbi', () => {
  test('has each error once, those of the steps and of the libraries too', () => {
    const names = executorErrorsAbi.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining(['StepFailed', 'InsufficientOutput', 'SafeERC20FailedOperation']),
    )
  })

  test.each([
    ['0x4be6321b', 'InvalidSignatureLength'],
    ['0x815e1d64', 'InvalidSigner'],
    ['0x756688fe', 'InvalidNonce'],
    ['0x8baa579f', 'InvalidSignature'],
    ['0xb0669cbc', 'InvalidContractSignature'],
    [`0xcd21db4f${'0'.repeat(64)}`, 'SignatureExpired'],
    [`0x3728b83d${'0'.repeat(64)}`, 'InvalidAmount'],
  ] as const)("known vector: %s of Permit2's code is %s", (data, name) => {
    expect(decodeErrorResult({ abi: executorErrorsAbi as Abi, data }).errorName).toBe(name)
  })
})

describe('quoteSender', () => {
  test('is the same in every build', () => {
    expect(quoteSender).toBe('0xcf6bb1ffcbf1c37442b49b938bafc10825619054')
  })
})

describe('buildDeliveryMessage', () => {
  /** The types that Types.sol declares. */
  const orderType = parseAbiParameters([
    'Order order',
    'struct Order { Input[] inputs; address feeReceiver; bytes steps; Output[] outputs; address receiver; address refundReceiver; address[] sweep; bool paidBySteps; uint256 deadline; bytes32 accountId; bytes16 referralCode; }',
    'struct Input { address token; uint256 amount; uint256 fee; }',
    'struct Output { address token; uint256 minimum; }',
  ])
  const fallbackReceiver: Address = '0x00000000000000000000000000000000000fa110'
  const native = { token: nativeToken, amount: 0n }
  const delivered = { token, amount: 0n }

  function message(changes: Partial<Order>, more: { minimumValue?: bigint } = {}): Hex {
    const args = { order: order(changes), fallbackReceiver, minimumGas: 400_000n }
    return buildDeliveryMessage({ ...args, ...more })
  }

  test('is three words and the order', () => {
    const inputs = [delivered, native]
    const built = message({ inputs, sweep: [other], deadline: 7n }, { minimumValue: 5n })
    expect(sliceHex(built, 0, 32)).toBe(padHex(fallbackReceiver, { size: 32 }))
    expect(BigInt(sliceHex(built, 32, 64))).toBe(400_000n)
    expect(BigInt(sliceHex(built, 64, 96))).toBe(5n)
    const [decoded] = decodeAbiParameters(orderType, sliceHex(built, 96))
    expect(decoded).toMatchObject({
      inputs: [
        { amount: 0n, fee: 0n },
        { amount: 0n, fee: 0n },
      ],
      outputs: [{ minimum: 1n }],
      paidBySteps: false,
      deadline: 7n,
    })
    expect(decoded.inputs.map((input) => input.token.toLowerCase())).toEqual([token, nativeToken])
  })

  test.each<[string, Partial<Order>, { minimumValue?: bigint }]>([
    ['no input', { inputs: [] }, {}],
    ['an input that is not delivered', { inputs: [delivered, native] }, {}],
    ['a value that the order does not take', { inputs: [delivered] }, { minimumValue: 1n }],
    [
      'a value in another token',
      { inputs: [delivered, { token: other, amount: 0n }] },
      { minimumValue: 1n },
    ],
    ['native twice', { inputs: [native, native] }, { minimumValue: 1n }],
    ['a fee', { inputs: [{ token, amount: 2n, fee: 1n }] }, {}],
    ['a receiver that keeps nothing', { receiver: contractAddress('DestinationReceiver') }, {}],
  ])('refuses %s, for which the fallback would be paid', (_, changes, more) => {
    expect(() => message(changes, more)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
  })

  test('ether with a value beside it is one input', () => {
    expect(() => message({ inputs: [native] }, { minimumValue: 1n })).not.toThrow()
  })

  test.each([zeroAddress, contractAddress('DestinationReceiver')])(
    'refuses %s as fallback',
    (at) => {
      const args = { order: order(), fallbackReceiver: at, minimumGas: 0n }
      expect(() => buildDeliveryMessage(args)).toThrow(/fallbackReceiver/)
    },
  )
})
