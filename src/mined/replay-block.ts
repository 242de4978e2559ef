/**
 * Runs the transactions of a mined block once more, on a fork of the block before it that nobody else uses, and tells
 * what each did: its calls, its events, and what it changed in the state.
 */
import { decodeAbiParameters, encodeFunctionData, parseAbi } from 'viem'
import { toPinChanges } from '../domain/changes/what-if.js'
import { zip } from '../domain/lists.js'
import { type Address, type BlockPin, type Hex, toAddress } from '../domain/primitives.js'
import { asTransfer, type CallFrame, callTracer, movementsOf } from '../forks/call-frame.js'
import { blockRunner, forkClient } from '../forks/clients.js'
import type { ForkPool } from '../forks/pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import { JsonRpcError } from '../rpc/node/json-rpc.js'
import type { BlockTransaction, MinedBlock } from '../rpc/node/mined/mined-block.js'
import { mineBlock } from './mine-block.js'
import { type PoolTrade, poolTradesOf, type TradeLog } from './pool-trades.js'
import { type NetFlows, netFlows, withoutTip } from './read-swap.js'
import { differenceTracer, type StateDifference } from './state-changes.js'
import { onFork } from './trace-on-fork.js'

export interface ReplayedTransaction {
  readonly tx: BlockTransaction
  readonly from: Address
  readonly to: Address | null
  /** Null: the fork did not take it. */
  readonly outcome: {
    readonly isSuccess: boolean
    readonly gasUsed: bigint
    readonly output: Hex
    readonly logs: readonly TradeLog[]
    readonly difference: StateDifference
  } | null
  /** A transaction that failed has none. */
  readonly trades: readonly PoolTrade[]
  /** See `withoutTip`. */
  readonly flows: NetFlows
}

export interface ReplayedBlock {
  readonly transactions: readonly ReplayedTransaction[]
  /** It used the gas, and left the events, that the header of the block tells of. */
  readonly isExact: boolean
  /** What tells who made a pool, by pool. */
  readonly makers: ReadonlyMap<Address, PoolMaker>
}

/** The contract that the pool says has made it; of a pool that cannot say it its tokens, from which its address may follow. */
export type PoolMaker =
  | { readonly factory: Address }
  | { readonly tokens: readonly [Address, Address] }

export interface ReplayParts {
  readonly archive: Pick<Archive, 'change'>
  readonly forks: Pick<ForkPool, 'acquire'>
  readonly wrappedNative: Address
}

interface ReplayedHeader {
  readonly gasUsed: Hex
  readonly logsBloom: Hex
}

interface ReplayedReceipt {
  readonly transactionHash: Hex
  readonly status: Hex
  readonly gasUsed: Hex
  readonly logs: readonly TradeLog[]
}

/**
 * @param parent - the block before.
 * @param transactions - of the block, in their order: all of them, or those that are to run.
 * @throws ForkrouteError as `ForkPool.acquire`; ForkrouteError FORK_UNAVAILABLE where the fork does not answer.
 */
export async function replayBlock(
  parts: ReplayParts,
  parent: BlockPin,
  block: MinedBlock,
  transactions: readonly BlockTransaction[] = block.transactions,
): Promise<ReplayedBlock> {
  // Changed state, though nothing is changed: its fork serves nobody else, and ends with the lease.
  const state = await parts.archive.change({})
  try {
    const changes = toPinChanges({ accounts: {}, block: {} }, state.id)
    return await onFork(parts.forks, { ...parent, changes }, async (url) => {
      const hashes = await mineBlock(url, block, transactions)
      const outcomes = await outcomesOf(url, hashes)
      const replayed = zip(transactions, outcomes).map(([tx, outcome]) =>
        toReplayed(tx, outcome, { ...parts, miner: toAddress(block.miner) }),
      )
      const params = ['latest', false]
      const header = await forkClient(url).request<ReplayedHeader>('eth_getBlockByNumber', params)
      const isExact =
        BigInt(header.gasUsed) === BigInt(block.gasUsed) &&
        BigInt(header.logsBloom) === BigInt(block.logsBloom)
      return { transactions: replayed, isExact, makers: await makersOf(url, replayed) }
    })
  } finally {
    state.release()
  }
}

interface Outcome {
  readonly receipt: ReplayedReceipt
  readonly frame: CallFrame
  readonly difference: StateDifference
}

async function outcomesOf(
  url: string,
  hashes: readonly (Hex | null)[],
): Promise<(Outcome | null)[]> {
  // A trace of the block is one run of it; one of a transaction would run those before it each time.
  const differences = await tracedBlock<StateDifference>(url, differenceTracer)
  const frames = await tracedBlock<CallFrame>(url, callTracer)
  const receipts = await forkClient(url).request<ReplayedReceipt[]>('eth_getBlockReceipts', [
    'latest',
  ])
  const receiptOf = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  return hashes.map((hash) => {
    if (!hash) return null
    const [receipt, frame] = [receiptOf.get(hash), frames.get(hash)]
    const difference = differences.get(hash)
    return receipt && frame && difference ? { receipt, frame, difference } : null
  })
}

async function tracedBlock<T>(url: string, tracer: object): Promise<ReadonlyMap<Hex, T>> {
  const params = ['latest', tracer]
  const traced = await blockRunner(url).request<readonly { txHash: Hex; result: T }[]>(
    'debug_traceBlockByNumber',
    params,
  )
  return new Map(traced.map(({ txHash, result }) => [txHash, result]))
}

function toReplayed(
  tx: BlockTransaction,
  found: Outcome | null,
  { wrappedNative, miner }: Pick<ReplayParts, 'wrappedNative'> & { readonly miner: Address },
): ReplayedTransaction {
  const { from, to } = tx
  if (!found) return { tx, from, to, outcome: null, trades: [], flows: new Map() }
  const { receipt, frame, difference } = found
  const isSuccess = BigInt(receipt.status) === 1n
  return {
    tx,
    from,
    to,
    outcome: {
      isSuccess,
      gasUsed: BigInt(receipt.gasUsed),
      output: frame.output ?? '0x',
      logs: receipt.logs,
      difference,
    },
    trades: isSuccess ? poolTradesOf(receipt.logs) : [],
    flows: withoutTip(
      netFlows(isSuccess ? movementsOf(withWraps(frame, wrappedNative)) : []),
      miner,
      wrappedNative,
    ),
  }
}

function withWraps(frame: CallFrame, wrappedNative: Address): CallFrame {
  const { logs = [], calls = [] } = frame
  return {
    ...frame,
    logs: logs.map((log) => asTransfer(log, wrappedNative)),
    calls: calls.map((call) => withWraps(call, wrappedNative)),
  }
}

const gettersAbi = parseAbi([
  'function factory() view returns (address)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
])
type Getter = (typeof gettersAbi)[number]['name']

/** Pools of one factory or another name it, where its address can be read. */
async function makersOf(
  url: string,
  transactions: readonly ReplayedTransaction[],
): Promise<ReadonlyMap<Address, PoolMaker>> {
  const trades = transactions.flatMap((one) => one.trades)
  const pools = trades.filter(({ family }) => family === 'factory').map(({ address }) => address)
  const found = await Promise.all(
    [...new Set(pools)].map(async (pool): Promise<[Address, PoolMaker][]> => {
      const factory = await addressIn(url, pool, 'factory')
      if (factory) return [[pool, { factory }]]
      const [token0, token1] = await Promise.all([
        addressIn(url, pool, 'token0'),
        addressIn(url, pool, 'token1'),
      ])
      return token0 && token1 ? [[pool, { tokens: [token0, token1] }]] : []
    }),
  )
  return new Map(found.flat())
}

/** Null where a pool of another kind answers nothing, or no node has the state. */
async function addressIn(url: string, to: Address, functionName: Getter): Promise<Address | null> {
  try {
    const data = encodeFunctionData({ abi: gettersAbi, functionName })
    const answer = await forkClient(url).request<Hex>('eth_call', [{ to, data }, 'latest'])
    const [address] = decodeAbiParameters([{ type: 'address' }], answer)
    return toAddress(address)
  } catch (error) {
    if (error instanceof JsonRpcError || isDecodeError(error)) return null
    throw error
  }
}

function isDecodeError(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('AbiDecoding')
}
