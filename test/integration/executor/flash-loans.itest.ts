/** Flash loans of the real Balancer vault, through the Router: what is borrowed, swapped, paid back and left. */
import {
  type AbiFunction,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Amount, ExecutorStep, Order } from '../../../src/domain/order.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import type { StateReader } from '../../../src/domain/state.js'
import { buildTransaction } from '../../../src/executor/compile.js'
import {
  contractAddress,
  executorAddress,
  executorContracts,
} from '../../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../../src/executor/errors.js'
import { type FlashLoan, flashLoan } from '../../../src/executor/flash-loan.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { readFlashLoanFeeE18 } from '../../../src/protocols/balancer-v2/flash-loan-fee.js'
import { JsonRpcError } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses, v2PairAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { TestAnvil } from '../../support/anvil.js'
import { type AnswerTransaction, executeOnFork } from '../../support/execute.js'
import { readPin } from '../../support/pin.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function sync()',
  'function getProtocolFeesCollector() view returns (address)',
])
const e18 = 10n ** 18n
const alice = sandboxAccount('alice').address
const receiver: Address = '0x00000000000000000000000000000000000cafe0'
const vault = contractAddresses.balancerVault
const weth = sandboxToken('WETH').address
const usdc = sandboxToken('USDC').address
const dai = sandboxToken('DAI').address
const uniswap = v2PairAddress('uniswap-v2', weth, usdc)
const sushi = v2PairAddress('sushiswap-v2', weth, usdc)
const executor = executorAddress(alice)
const loans = contractAddress('FlashLoans')
const values = contractAddress('Values')
/** Word of the fees collector's storage that holds the fee on flash loans. */
const feeSlot = numberToHex(2, { size: 32 })

const context = withSandbox()
let reader: StateReader
let collector: Address

beforeAll(async () => {
  const { url } = context().sandbox
  reader = new ForkReader({ pin: await readPin(url), archiveUrl: url, forkUrls: [url] })
  const data = encodeFunctionData({ abi, functionName: 'getProtocolFeesCollector' })
  const result = await context().client.request<Hex>('eth_call', [{ to: vault, data }, 'latest'])
  collector = toAddress(
    decodeFunctionResult({ abi, functionName: 'getProtocolFeesCollector', data: result }),
  )
})

function functionOf(contract: 'UniswapV2Swapper' | 'Values', name: string): AbiFunction {
  const { abi: list } = executorContracts[contract]
  return list.find((item) => item.type === 'function' && item.name === name) as AbiFunction
}

/** Into a pair, by default all that the Executor holds; the output comes back to it. */
function swapSteps(
  pair: Address,
  tokenIn: Address,
  amount: Amount = { ref: 'balance', token: tokenIn },
): ExecutorStep[] {
  const tokenOut = tokenIn === weth ? usdc : weth
  return [
    { kind: 'transfer', token: tokenIn, to: pair, amount },
    {
      kind: 'call',
      target: contractAddress('UniswapV2Swapper'),
      abi: functionOf('UniswapV2Swapper', 'swap'),
      args: [pair, tokenIn, tokenIn < tokenOut, 30n, executor],
    },
  ]
}

interface Reserves {
  weth: bigint
  usdc: bigint
}

async function reservesOf(pair: Address): Promise<Reserves> {
  const data = encodeFunctionData({ abi, functionName: 'getReserves' })
  const result = await context().client.request<Hex>('eth_call', [{ to: pair, data }, 'latest'])
  const [a, b] = decodeFunctionResult({ abi, functionName: 'getReserves', data: result })
  return weth < usdc ? { weth: a, usdc: b } : { weth: b, usdc: a }
}

/** The pair's own formula, at 30 bps. */
function outputOf(reserves: Reserves, tokenIn: 'weth' | 'usdc', amountIn: bigint): bigint {
  const [from, to] =
    tokenIn === 'weth' ? [reserves.weth, reserves.usdc] : [reserves.usdc, reserves.weth]
  const afterFee = amountIn * 9_970n
  return (afterFee * to) / (from * 10_000n + afterFee)
}

function feeOf(amount: bigint, feeE18: bigint): bigint {
  return (amount * feeE18 + e18 - 1n) / e18
}

function toTransaction(changes: Partial<Order>): AnswerTransaction {
  const order: Order = {
    inputs: [],
    feeReceiver: alice,
    steps: [],
    outputs: [],
    receiver,
    refundReceiver: alice,
    sweep: [],
    deadline: 2n ** 40n,
    accountId: `0x${'00'.repeat(32)}`,
    referralCode: `0x${'00'.repeat(16)}`,
    ...changes,
  }
  const tx = buildTransaction({ strategy: 'router', from: alice, order })
  return { ...tx, value: tx.value.toString() }
}

/** What the transaction does, and how much of WETH and USDC each party has gained by it. */
async function run(
  tx: AnswerTransaction,
  changes: Pick<Parameters<typeof executeOnFork>[0], 'first' | 'prepare'> = {},
) {
  const parties = { receiver, alice, executor, loans, vault, collector }
  const owners = Object.values(parties)
  const { url, blockNumber } = context().sandbox
  const execution = await executeOnFork({
    nodeUrl: url,
    blockNumber: Number(blockNumber),
    tx,
    watch: owners.flatMap((owner) => [weth, usdc].map((token) => ({ token, owner }))),
    ...changes,
  })
  const gains = Object.keys(parties).map((name, place) => {
    const [ofWeth, ofUsdc] = execution.deltas.slice(2 * place)
    return [name, { weth: ofWeth, usdc: ofUsdc }]
  })
  return { status: execution.status, ...Object.fromEntries(gains) }
}

/** What the transaction reverts with; a step's own reason in place of StepFailed. */
async function revertOf(tx: AnswerTransaction, feeE18 = 0n): Promise<unknown> {
  const call = { ...tx, value: numberToHex(BigInt(tx.value)) }
  const overrides = { [collector]: { stateDiff: { [feeSlot]: numberToHex(feeE18, { size: 32 }) } } }
  const error = await context()
    .client.request('eth_call', [call, 'latest', overrides])
    .then(
      () => null,
      (reason: unknown) => reason,
    )
  if (!(error instanceof JsonRpcError)) throw new Error('The transaction does not revert.')
  return reasonOf(error.data as Hex)
}

function reasonOf(data: Hex): unknown {
  const { errorName, args } = decodeErrorResult({ abi: executorErrorsAbi, data })
  if (errorName !== 'StepFailed') return { errorName, args }
  const [step, target, reason] = args as readonly [bigint, Address, Hex]
  try {
    return { step: Number(step), target: toAddress(target), reason: reasonOf(reason) }
  } catch {
    return { step: Number(step), target: toAddress(target) }
  }
}

function loanOf(index: number, token: Address, amount: bigint, maximumFeeE18 = 0n): FlashLoan {
  return flashLoan({ index, lender: vault, loans: [{ token, amount }], maximumFeeE18 })
}

const nothing = { weth: 0n, usdc: 0n }

describe('a flash loan of the Balancer vault', () => {
  test('swapped there and back with a fee: the loss is exact, and an outer output is spent inside', async () => {
    const [borrowed, own, input, feeE18] = [30n * e18, e18, 20n * e18, 5n * 10n ** 14n]
    const loan = loanOf(1, weth, borrowed, feeE18)
    const sum: ExecutorStep = {
      kind: 'call',
      target: values,
      abi: functionOf('Values', 'sum'),
      args: [[borrowed, own]],
      output: { kind: 'word', index: 0 },
    }
    const amount = { ref: 'output', step: 0 } as const
    const steps = [sum, loan.step([...swapSteps(uniswap, weth, amount), ...swapSteps(sushi, usdc)])]
    const dollars = outputOf(await reservesOf(uniswap), 'weth', borrowed + own)
    const back = outputOf(await reservesOf(sushi), 'usdc', dollars)
    const fee = feeOf(borrowed, feeE18)
    const left = input - own + back - borrowed - fee
    expect(left).toBeLessThan(input)
    const build = (minAmountOut: bigint) =>
      toTransaction({
        inputs: [{ token: weth, amount: input }],
        steps,
        outputs: [{ token: weth, minAmountOut }],
      })
    const raiseFee = async (anvil: TestAnvil) => {
      const word = numberToHex(feeE18, { size: 32 })
      await anvil.rpc('anvil_setStorageAt', [collector, feeSlot, word])
    }
    expect(await run(build(left), { prepare: raiseFee })).toEqual({
      status: 'success',
      receiver: { weth: left, usdc: 0n },
      alice: { weth: -input, usdc: 0n },
      executor: nothing,
      loans: nothing,
      vault: nothing,
      collector: { weth: fee, usdc: 0n },
    })
    expect(await revertOf(build(left + 1n), feeE18)).toMatchObject({
      errorName: 'InsufficientOutput',
      args: [expect.anything(), left + 1n, left],
    })
  })

  test('a difference of prices is taken by a sender who brings nothing', async () => {
    const [borrowed, extra] = [50_000n * 10n ** 6n, 300n * e18]
    const loan = loanOf(0, usdc, borrowed)
    const steps = [loan.step([...swapSteps(sushi, usdc, borrowed), ...swapSteps(uniswap, weth)])]
    const cheap = await reservesOf(sushi)
    const bought = outputOf({ ...cheap, weth: cheap.weth + extra }, 'usdc', borrowed)
    const profit = outputOf(await reservesOf(uniswap), 'weth', bought) - borrowed
    expect(profit).toBeGreaterThan(0n)
    const tx = toTransaction({ steps, outputs: [{ token: usdc, minAmountOut: profit }] })
    const sync = encodeFunctionData({ abi, functionName: 'sync' })
    const done = await run(tx, {
      prepare: async (anvil) => {
        await anvil.rpc('anvil_dealERC20', [sushi, weth, numberToHex(cheap.weth + extra)])
      },
      first: [{ from: alice, to: sushi, data: sync, value: '0' }],
    })
    expect(done).toEqual({
      status: 'success',
      receiver: { weth: 0n, usdc: profit },
      alice: nothing,
      executor: nothing,
      loans: nothing,
      vault: nothing,
      collector: nothing,
    })
    // At the prices of the chain itself the swaps do not bring back what is owed.
    const back = outputOf(await reservesOf(uniswap), 'weth', outputOf(cheap, 'usdc', borrowed))
    expect(await revertOf(tx)).toMatchObject({
      step: 0,
      target: loans,
      reason: { target: values, reason: { errorName: 'BelowMinimum', args: [back, borrowed] } },
    })
  })

  test('lends several tokens at once, named in any order', async () => {
    const [a, b] = dai < weth ? [weth, dai] : [dai, weth]
    const loan = flashLoan({
      index: 0,
      lender: vault,
      loans: [a, b].map((token) => ({ token, amount: e18 })),
      maximumFeeE18: 0n,
    })
    const done = await run(toTransaction({ steps: [loan.step([])] }))
    expect(done).toMatchObject({ status: 'success', vault: nothing, executor: nothing })
  })

  test('a fee above the accepted one reverts with both', async () => {
    const tx = toTransaction({ steps: [loanOf(0, weth, e18, 4n * 10n ** 14n).step([])] })
    expect(await revertOf(tx, 5n * 10n ** 14n)).toMatchObject({
      step: 0,
      target: loans,
      reason: {
        errorName: 'FeeAboveMaximum',
        args: [expect.anything(), 5n * 10n ** 14n, 4n * 10n ** 14n],
      },
    })
  })

  test('a loan that is spent cannot be paid back: nothing happens', async () => {
    const spend: ExecutorStep = { kind: 'transfer', token: weth, to: receiver, amount: 1n }
    const tx = toTransaction({ steps: [loanOf(0, weth, e18).step([spend])] })
    expect(await revertOf(tx)).toMatchObject({
      step: 0,
      target: loans,
      reason: { step: 2, target: values, reason: { args: [e18 - 1n, e18] } },
    })
    expect(await run(tx)).toMatchObject({ status: 'reverted', receiver: nothing, vault: nothing })
  })

  test('a loan within a loan is refused', async () => {
    const outer = loanOf(0, weth, e18)
    const inner = loanOf(outer.firstStep, usdc, 1n).step([])
    expect(await revertOf(toTransaction({ steps: [outer.step([inner])] }))).toMatchObject({
      reason: { step: 1, target: loans, reason: { errorName: 'UnexpectedCall' } },
    })
  })
})

describe('readFlashLoanFeeE18', () => {
  test('is what the vault takes', async () => {
    expect(await readFlashLoanFeeE18(reader, vault)).toBe(0n)
  })

  test('a vault that is none gives no loans', async () => {
    await expect(readFlashLoanFeeE18(reader, receiver)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
  })
})
