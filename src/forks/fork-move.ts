/**
 * Takes a fork process to another block. Moving on to a later one costs it a fiftieth of a reset: it goes back to what it
 * was before it was used, gets the header of the new block, and is told which accounts differ there. It keeps accounts
 * with their code, which are most of what a fork asks for after a reset; slots it forgets, and is given those of the new
 * block (`fill-fork.ts`). A reset, which is a third of the work of a start, leads to any block. Afterwards a process
 * cannot be told from a fresh one. Its hard fork it keeps, so it goes only to blocks of the same rules. Used by the fork
 * starter only.
 */
import { gunzipSync } from 'node:zlib'
import { numberToHex, zeroHash } from 'viem'
import { blockFacts } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { MovedState } from '../rpc/archive/protocol.js'
import type { RpcCall } from '../rpc/node/json-rpc.js'
import type { ArchivedBlock } from './block-source.js'
import { archiveOf, forkClient } from './clients.js'

/** What a process can go back to: accounts as they are at a block, and no slots. */
export interface ForkBase {
  readonly at: Pick<BlockPin, 'number' | 'hash'>
  readonly accounts: readonly Address[]
  readonly snapshot: Hex
  readonly environment: Environment
}

/** Anvil's block environment as it dumps and loads it. */
type Environment = Readonly<Record<string, unknown>>

/** Anvil's state as it dumps and loads it: gzipped JSON, or JSON. */
interface DumpedState {
  readonly block: Environment
}

/** What Anvil says of itself. */
interface NodeInfo {
  readonly currentBlockHash: string
  readonly currentBlockNumber: Hex
}

/** A process that knows more is reset: what was of use once would stay in it for good. */
const mostAccounts = 512

/**
 * Lays the base of a fork that has been asked for nothing yet.
 * @param accounts - that it knows already.
 * @throws whatever keeps the fork from answering.
 */
export async function layBase(
  url: string,
  at: ArchivedBlock,
  accounts: readonly Address[],
): Promise<ForkBase> {
  const moved = await askMoved(at, at.pin, accounts)
  const { block } = await dumpState(url)
  return keepAccounts(url, at.pin, { accounts, environment: block }, moved?.others ?? [])
}

/**
 * @param to - the block; whatever the fork asks for has to be answered for that block already.
 * @returns the new base; null: the fork has to be reset.
 * @throws whatever keeps the fork from answering; it has to be reset, too.
 */
export async function moveFork(
  url: string,
  base: ForkBase,
  to: ArchivedBlock,
): Promise<ForkBase | null> {
  const { pin } = to
  // Anvil knows no way back to a block before its own, and what a request changed is not in the accounts.
  if (pin.number <= base.at.number || pin.changes || base.accounts.length > mostAccounts) {
    return null
  }
  const moved = await askMoved(to, base.at, base.accounts)
  if (!moved) return null
  const fork = forkClient(url)
  await fork.request('evm_revert', [base.snapshot])
  const environment = {
    ...base.environment,
    number: numberToHex(pin.number),
    timestamp: numberToHex(pin.timestamp),
    difficulty: numberToHex(pin.difficulty),
    prevrandao: moved.header.mixHash ?? zeroHash,
    ...feesOf(pin),
  }
  await loadState(url, {
    block: environment,
    accounts: {},
    transactions: [],
    historical_states: null,
    best_block_number: Number(pin.number),
    blocks: [{ header: moved.header, transactions: [], ommers: [] }],
  })
  await askAll(
    url,
    moved.accounts.flatMap(([address, balance, nonce]) => [
      { method: 'anvil_setBalance', params: [address, balance] },
      { method: 'anvil_setNonce', params: [address, nonce] },
    ]),
  )
  // By its number alone: headers of some chains have fields that Anvil does not hash.
  const { currentBlockNumber } = await fork.request<NodeInfo>('anvil_nodeInfo')
  if (BigInt(currentBlockNumber) !== pin.number) {
    throw notMoved(pin)
  }
  return keepAccounts(url, pin, { ...base, environment }, moved.others)
}

/**
 * Anvil forgets all state; the base fee and gas limit, which it would keep from the block before and which calls see, are
 * set anew.
 *
 * @param jsonRpcUrl - where the fork reads from now on.
 * @throws whatever keeps the fork from reaching the block; the process is then useless.
 */
export async function resetFork(url: string, pin: BlockPin, jsonRpcUrl: string): Promise<void> {
  const fork = forkClient(url)
  const blockNumber = Number(pin.number)
  await fork.request('anvil_reset', [{ forking: { jsonRpcUrl, blockNumber } }])
  const { block, ...rest } = await dumpState(url)
  await loadState(url, { ...rest, block: { ...block, ...feesOf(pin) } })
  const { currentBlockHash } = await fork.request<NodeInfo>('anvil_nodeInfo')
  if (currentBlockHash.toLowerCase() === pin.hash) return
  throw notMoved(pin)
}

function notMoved(pin: BlockPin): ForkrouteError {
  const message = `A fork did not move to block ${pin.number}; try again.`
  return new ForkrouteError('FORK_UNAVAILABLE', message, blockFacts(pin))
}

function feesOf({ gasLimit, baseFeePerGas }: BlockPin): Environment {
  return { gas_limit: Number(gasLimit), basefee: Number(baseFeePerGas) }
}

/** The state that the fork has of its own, without what it read. */
async function dumpState(url: string): Promise<DumpedState> {
  const dumped = await forkClient(url).request<Hex>('anvil_dumpState')
  const json = gunzipSync(Buffer.from(dumped.slice(2), 'hex')).toString()
  return JSON.parse(json) as DumpedState
}

async function loadState(url: string, state: object): Promise<void> {
  const json = Buffer.from(JSON.stringify(state)).toString('hex')
  await forkClient(url).request('anvil_loadState', [`0x${json}`])
}

/** Has the fork read the accounts, and remembers how to come back to that. */
async function keepAccounts(
  url: string,
  { number, hash }: BlockPin,
  before: Pick<ForkBase, 'accounts' | 'environment'>,
  others: readonly Address[],
): Promise<ForkBase> {
  const [first, ...rest] = others.map((address) => ({
    method: 'eth_getBalance',
    params: [address, numberToHex(number)],
  }))
  // The first one alone: until it has read one account, a fork reads every account in two ways at once.
  if (first) await askAll(url, [first])
  await askAll(url, rest)
  const snapshot = await forkClient(url).request<Hex>('evm_snapshot')
  const { environment, accounts } = before
  return { at: { number, hash }, accounts: [...accounts, ...others], snapshot, environment }
}

/** What differs at the block from the one at which the accounts are known. */
async function askMoved(
  at: ArchivedBlock,
  { number, hash }: Pick<BlockPin, 'number' | 'hash'>,
  accounts: readonly Address[],
): Promise<MovedState | null> {
  const from = { number: numberToHex(number), hash }
  return archiveOf(at).request('forkroute_moved', [from, [...accounts]])
}

async function askAll(url: string, calls: readonly RpcCall[]): Promise<void> {
  for (const reply of await forkClient(url).batch(calls)) if (!reply.ok) throw reply.error
}
