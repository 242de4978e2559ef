/**
 * Explains a mined transaction: runs its order once as it was simulated, at the end of an earlier block, and once at its
 * own place, and compares the two step by step. Called by the command line; knows nothing of routes.
 */
import { decodeErrorResult, numberToHex, zeroAddress } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import type { Address, Hex } from '../domain/primitives.js'
import { type BlockPin, toAddress } from '../domain/primitives.js'
import { decodeAmountsOut } from '../executor/compile.js'
import { executorErrorsAbi } from '../executor/errors.js'
import { type CallFrame, movementsOf } from '../forks/call-frame.js'
import { decodeRevert } from '../forks/revert.js'
import type { RpcClient } from '../rpc/node/json-rpc.js'
import { type ComparedStep, type Shortfall, shortfalls } from './compare.js'
import type { MinedTransaction } from './mined-transaction.js'
import type { Rerun } from './rerun.js'
import { type FoundOrder, findOrder, framesOfSteps, selectorOf, targetOf } from './steps.js'

export interface ExplainedStep extends ComparedStep {
  readonly step: number
  readonly kind: 'call' | 'transfer' | 'approve'
  /** Selector of the function that the step calls. */
  readonly selector: Hex | null
  readonly shortfall: Shortfall | null
}

export interface ExplainedOutput {
  readonly token: Address
  readonly minAmountOut: bigint
  /** Raw units that the receiver gets in the simulation; null: it fails. */
  readonly promised: bigint | null
  /** Raw units that it got, or would have got had the minimum not stopped it; null: not known. */
  readonly happened: bigint | null
}

export interface Explanation {
  readonly hash: Hex
  readonly chainId: number
  readonly blockNumber: bigint
  readonly transactionIndex: number
  /** The block at whose end the simulation runs. */
  readonly simulatedAt: bigint
  readonly status: 'success' | 'reverted'
  /** Decoded; null of a transaction that succeeded. */
  readonly reason: string | null
  readonly failedStep: number | null
  /** Why the simulation fails, null when it does not. */
  readonly simulationFails: string | null
  /** The contract and function, such as `Router.execute`. */
  readonly entry: string
  readonly from: Address
  readonly runner: Address
  readonly receiver: Address
  /** Where what happened was read: the node's own trace, or a fork that ran what came before it in its block. */
  readonly readFrom: 'node' | 'fork'
  /** Transactions before it in the block that the fork could not run; what happened may then differ. */
  readonly skipped: number
  readonly outputs: readonly ExplainedOutput[]
  readonly steps: readonly ExplainedStep[]
  /**
   * The first step that gave too little. `moved`: other transactions changed its payer between the two runs, as every
   * market does; `lied`: none did.
   */
  readonly culprit: (Shortfall & { readonly step: number; readonly cause: 'lied' | 'moved' }) | null
}

export interface ExplainParts {
  readonly chainId: number
  readonly node: Pick<RpcClient, 'request'>
  /** @throws ForkrouteError UNKNOWN_BLOCK. */
  pin(number: bigint): Promise<BlockPin>
  readonly rerun: Rerun
}

/**
 * @param options.simulatedAt - number of the block at whose end the answer was calculated; default the parent.
 * @throws ForkrouteError NOT_FOUND (no such transaction, or not mined), INVALID_REQUEST (it carries no order of ours).
 */
export async function explainTransaction(
  parts: ExplainParts,
  hash: Hex,
  options: { readonly simulatedAt?: bigint } = {},
): Promise<Explanation> {
  const { node, chainId, rerun } = parts
  const tx = await node.request<MinedTransaction | null>('eth_getTransactionByHash', [hash])
  if (!tx) {
    const problem = `The node knows no transaction ${hash}. Check the hash, and that the node is one of its chain.`
    throw new ForkrouteError('NOT_FOUND', problem)
  }
  if (!tx.blockNumber) {
    const problem = `${hash} is not mined yet: ask again once it is in a block.`
    throw new ForkrouteError('NOT_FOUND', problem)
  }
  const receipt = await node.request<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) throw new ForkrouteError('NOT_FOUND', `The node has no receipt of ${hash}.`)
  const blockNumber = BigInt(tx.blockNumber)
  const simulatedAt = options.simulatedAt ?? blockNumber - 1n
  if (simulatedAt >= blockNumber) {
    const problem = `The transaction was mined in block ${blockNumber}, so it was not simulated at the end of ${simulatedAt}. Give an earlier block.`
    throw new ForkrouteError('INVALID_REQUEST', problem)
  }

  const place = await rerun.atItsPlace(tx)
  const found = findOrder(place.frame)
  const frames = found && framesOfSteps(found)
  const status = BigInt(receipt.status) === 1n ? 'success' : 'reverted'
  const isReached = frames?.some((frame) => frame !== null) || status === 'reverted'
  if (!found || !frames || (found.order.steps.length > 0 && !isReached)) {
    const problem = `${hash} carries no order for the contracts of this version of forkroute.`
    throw new ForkrouteError('INVALID_REQUEST', problem, { to: tx.to })
  }
  const { order } = found
  const simulated = await rerun.afterBlock(tx, await parts.pin(simulatedAt))
  const promised = findOrder(simulated)
  const promisedFrames = promised ? framesOfSteps(promised) : order.steps.map(() => null)
  const compared = order.steps.map((step, index) => ({
    target: targetOf(step),
    promised: moved(promisedFrames[index] ?? null, simulated) ?? [],
    happened: moved(frames[index] ?? null, place.frame),
  }))
  const parties = new Set([toAddress(tx.from), order.runner, order.receiver])
  const shorts = shortfalls(compared, parties)
  const reverted = status === 'reverted' ? (place.frame.output ?? '0x') : null
  return {
    hash,
    chainId,
    blockNumber,
    simulatedAt,
    status,
    transactionIndex: Number(tx.transactionIndex),
    reason: reverted && decodeRevert(reverted, executorErrorsAbi),
    failedStep: reverted && failedStep(reverted),
    simulationFails: simulated.error
      ? decodeRevert(simulated.output ?? '0x', executorErrorsAbi)
      : null,
    entry: order.entry,
    from: toAddress(tx.from),
    runner: order.runner,
    receiver: order.receiver,
    readFrom: place.readFrom,
    skipped: place.skipped,
    outputs: outputsOf(found, promised, reverted),
    steps: order.steps.map((step, index) => ({
      step: index,
      kind: step.kind,
      selector: step.kind === 'call' ? selectorOf(step.data) : null,
      ...(compared[index] as ComparedStep),
      shortfall: shorts[index] ?? null,
    })),
    culprit: await culpritOf(parts, tx, simulatedAt, shorts),
  }
}

/** Null of a call that was not reached or failed by itself. */
function moved(frame: CallFrame | null, whole: CallFrame) {
  return frame && !frame.error ? movementsOf(frame, whole.error !== undefined) : null
}

function outputsOf(
  { order, frame }: FoundOrder,
  promised: FoundOrder | null,
  reverted: Hex | null,
): ExplainedOutput[] {
  const amounts = (run: CallFrame | undefined): readonly (bigint | null)[] => {
    if (!run || run.error || !run.output) return []
    return decodeAmountsOut(order, run.output).map(({ amount }) => amount)
  }
  const before = amounts(promised?.frame)
  const after = reverted === null ? amounts(frame) : []
  const stopped = reverted && insufficientOutput(reverted)
  return order.outputs.map(({ token, minAmountOut }, index) => ({
    token,
    minAmountOut,
    promised: before[index] ?? null,
    happened: after[index] ?? (stopped && stopped.token === token ? stopped.amount : null),
  }))
}

function insufficientOutput(data: Hex): { token: Address; amount: bigint } | null {
  const error = decodedError(data)
  if (error?.errorName !== 'InsufficientOutput') return null
  const [token, , amount] = error.args as readonly [Hex, bigint, bigint]
  return { token: toAddress(token), amount }
}

function failedStep(data: Hex): number | null {
  const error = decodedError(data)
  const abi = executorErrorsAbi.find(({ name }) => name === error?.errorName)
  const at = abi?.inputs.findIndex(({ name }) => name === 'step') ?? -1
  const step = error?.args?.[at]
  return typeof step === 'bigint' ? Number(step) : null
}

function decodedError(data: Hex) {
  try {
    return decodeErrorResult({ abi: executorErrorsAbi, data }) as {
      readonly errorName: string
      readonly args?: readonly unknown[]
    }
  } catch {
    return null
  }
}

async function culpritOf(
  { node }: ExplainParts,
  tx: MinedTransaction,
  simulatedAt: bigint,
  shorts: readonly (Shortfall | null)[],
): Promise<Explanation['culprit']> {
  const step = shorts.findIndex((short) => short !== null)
  const short = shorts[step]
  if (!short) return null
  const wasMoved = short.payer !== zeroAddress && (await isTouched(node, tx, simulatedAt, short))
  return { step, ...short, cause: wasMoved ? 'moved' : 'lied' }
}

/** Whether a transaction between the two runs had an event of the payer, or moved the token from it or to it. */
async function isTouched(
  node: ExplainParts['node'],
  tx: MinedTransaction,
  simulatedAt: bigint,
  { payer, token }: Shortfall,
): Promise<boolean> {
  const range = { fromBlock: numberToHex(simulatedAt + 1n), toBlock: tx.blockNumber }
  const word = `0x${payer.slice(2).padStart(64, '0')}`
  const filters = [
    { address: payer },
    { address: token, topics: [null, word] },
    { address: token, topics: [null, null, word] },
  ]
  for (const filter of filters) {
    const logs = await node.request<{ blockNumber: Hex; transactionIndex: Hex }[]>('eth_getLogs', [
      { ...range, ...filter },
    ])
    const isEarlier = logs.some(
      (log) =>
        BigInt(log.blockNumber) < BigInt(tx.blockNumber) ||
        BigInt(log.transactionIndex) < BigInt(tx.transactionIndex),
    )
    if (isEarlier) return true
  }
  return false
}
