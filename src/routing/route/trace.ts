/** What the returned transaction does, told from its simulation: its calls, decoded, and who pays whom. */
import {
  type Abi,
  type AbiFunction,
  decodeFunctionData,
  erc20Abi,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { contractErrorsAbi } from '../../bridges/registry.js'
import type { ExecutorStep } from '../../domain/order.js'
import { type Address, bigintToString, type Hex, toAddress } from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type { SimulationRequest } from '../../domain/state.js'
import type { Movement, TracedCall, TransactionTrace } from '../../domain/trace.js'
import { executorContracts } from '../../executor/deployments.js'
import { asTransfer, movementsOf } from '../../forks/call-frame.js'
import { decodeRevert } from '../../forks/revert.js'
import type { TracedFrame } from '../../forks/trace.js'
import type { Task } from '../block/task.js'

const maxMovements = 500
const maxArgumentChars = 200

/** Functions of pools and tokens that steps lead to; the steps themselves know what they call. */
const insideAbi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function getReserves()',
  'function sync()',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data)',
  'function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes data)',
  'function unlock(bytes data)',
  'function unlockCallback(bytes data)',
  'function settle() payable',
  'function sync(address currency)',
  'function take(address currency, address to, uint256 amount)',
  'function exchange(int128 i, int128 j, uint256 dx, uint256 minDy)',
  'function exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy)',
])

type Functions = ReadonlyMap<Hex, AbiFunction>

/**
 * @param request - of the transaction as it is returned.
 * @param told.steps - that it carries out. @param told.records - the same, as the answer has them.
 */
export async function traceTransaction(
  task: Task,
  request: SimulationRequest,
  told: { readonly steps: readonly ExecutorStep[]; readonly records: readonly RouteStepRecord[] },
): Promise<TransactionTrace | null> {
  const [[result], traced] = await Promise.all([
    task.simulator.simulate([request]),
    task.simulator.trace(request),
  ])
  if (result?.status !== 'success') return null
  const { wrappedNative } = task.chain
  const logs = result.logs.map((log) => asTransfer(log, wrappedNative))
  const frame = traced?.frame ?? { type: 'CALL', from: request.from, input: '0x' as const }
  const movements = movementsOf({ ...frame, logs })
  const kept = movements.slice(0, maxMovements)
  return {
    call: traced && toCall(traced.frame, functionsOf(told.steps)),
    omittedCalls: traced?.omitted ?? 0,
    movements: kept,
    omittedMovements: movements.length - kept.length,
    names: await namesOf(task, kept, told.records),
  }
}

function functionsOf(steps: readonly ExecutorStep[]): Functions {
  const executorAbi = Object.values(executorContracts).flatMap(({ abi }) => abi as Abi)
  const all = [...insideAbi, ...erc20Abi, ...executorAbi].filter((item) => item.type === 'function')
  return new Map([...all, ...abisOf(steps)].map((item) => [toFunctionSelector(item), item]))
}

function abisOf(steps: readonly ExecutorStep[]): AbiFunction[] {
  return steps.flatMap((step) =>
    step.kind === 'call' ? [step.abi, ...abisOf(step.callback ?? [])] : [],
  )
}

function toCall(frame: TracedFrame, functions: Functions): TracedCall {
  const selector = frame.input.length >= 10 ? (frame.input.slice(0, 10) as Hex) : null
  const known = selector ? functions.get(selector) : undefined
  return {
    type: frame.type,
    from: toAddress(frame.from),
    to: frame.to ? toAddress(frame.to) : null,
    function: known?.name ?? null,
    selector,
    args: known ? argumentsOf(known, frame.input) : null,
    value: BigInt(frame.value ?? 0),
    gasUsed: BigInt(frame.gasUsed),
    error: frame.error ? errorOf(frame) : null,
    calls: (frame.calls ?? []).map((call) => toCall(call, functions)),
  }
}

function errorOf({ error = '', output = '0x' }: TracedFrame): string {
  return output === '0x' ? error : decodeRevert(output, contractErrorsAbi)
}

/** Null where the data is not what the function takes, or so much that it was cut. */
function argumentsOf(known: AbiFunction, data: Hex): TracedCall['args'] {
  try {
    const { args = [] } = decodeFunctionData({ abi: [known], data })
    return (args as readonly unknown[]).map((value, index) => ({
      name: known.inputs[index]?.name ?? '',
      value: textOf(value),
    }))
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'bigint'
  const text = isPlain ? String(value) : JSON.stringify(value, bigintToString)
  const plain = /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text
  return plain.length > maxArgumentChars ? `${plain.slice(0, maxArgumentChars)}…` : plain
}

async function namesOf(
  task: Task,
  movements: readonly Movement[],
  records: readonly RouteStepRecord[],
): Promise<Record<Address, string>> {
  const names: Record<Address, string> = {}
  for (const { protocol, primary, internalRoutes } of records) {
    for (const leg of internalRoutes ?? []) {
      if (leg.pool.length === 42) names[toAddress(leg.pool)] = leg.protocol
    }
    if (primary) names[primary] ??= protocol
  }
  for (const [name, { address }] of Object.entries(executorContracts)) names[address] = name
  const tokens = await task.facts.allTokenFacts(
    task.reader,
    new Set(movements.map(({ token }) => token)),
  )
  for (const [address, { symbol }] of tokens) if (symbol) names[address] = symbol
  return Object.fromEntries(Object.entries(names).sort(([a], [b]) => (a < b ? -1 : 1)))
}
