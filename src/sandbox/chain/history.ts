/**
 * State of every block of the sandbox, stored as differences. Anvil can only keep one whole state per block, contract
 * code included: 1.5 GB for this chain. So its dump holds the head alone, and the state of an older block is assembled
 * here on demand.
 */
import { keccak256, numberToHex } from 'viem'
import { defined } from '../../domain/defined.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ChainWriter } from './chain-writer.js'

/** An account as Anvil dumps it. */
export interface DumpedAccount {
  readonly nonce: number
  readonly balance: Hex
  readonly code: Hex
  readonly storage: Readonly<Record<Hex, Hex>>
}
export type DumpedAccounts = Readonly<Record<Address, DumpedAccount>>

export interface AccountChange {
  readonly balance?: Hex
  readonly nonce?: number
  readonly storage?: Readonly<Record<Hex, Hex>>
}

/** Format version; increase it with every change of `HistoryData`. */
export const historyForm = 2

/** JSON as it lies in the cache. */
export interface HistoryData {
  /** Number of the block that `base` is the state of. */
  readonly firstBlock: number
  /** Hashes of block 0 and all after. */
  readonly hashes: readonly Hex[]
  readonly base: DumpedAccounts
  /** Code hash of every account in `base`: hashing takes longer than everything else that a start does. */
  readonly codeHashes: Readonly<Record<Address, Hex>>
  /** What each block after the first changed. */
  readonly changes: readonly Readonly<Record<Address, AccountChange>>[]
}

interface TracedAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly storage?: Readonly<Record<Hex, Hex>>
}
interface TracedTransaction {
  readonly result: {
    readonly pre: Readonly<Record<Address, TracedAccount>>
    readonly post: Readonly<Record<Address, TracedAccount>>
  }
}

/** Keeps the hashes of the last blocks (EIP-2935); written outside of any transaction. */
const blockHashContract = '0x0000f90827f1c53a10cb7a02335b175320002935'
const blockHashWindow = 8191
const tracesPerRequest = 16
const noCodeHash = keccak256('0x')
const zeroWord: Hex = `0x${'0'.repeat(64)}`

const word = (value: Hex): Hex => numberToHex(BigInt(value), { size: 32 })

/**
 * Reads the changes from the chain itself.
 *
 * @param base - state at the end of `firstBlock`; nothing but transactions may have changed state since.
 * @param head - state at the end of the last block, against which the changes are checked.
 * @throws ForkrouteError INTERNAL when they do not lead from the one to the other.
 */
export async function recordHistory(
  chain: ChainWriter,
  args: {
    readonly firstBlock: number
    readonly lastBlock: number
    readonly base: DumpedAccounts
    readonly head: DumpedAccounts
  },
): Promise<HistoryData> {
  const { firstBlock, lastBlock, base, head } = args
  const numbers = Array.from({ length: lastBlock + 1 }, (_, number) => number)
  const headers = await chain.all(
    numbers.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
    })),
  )
  const hashes = headers.map((header) => (header as { readonly hash: Hex }).hash)
  const changes: HistoryData['changes'][number][] = []
  const traced = numbers.slice(firstBlock + 1)
  for (let start = 0; start < traced.length; start += tracesPerRequest) {
    const part = traced.slice(start, start + tracesPerRequest)
    const config = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    const traces = await chain.all(
      part.map((number) => ({
        method: 'debug_traceBlockByNumber',
        params: [numberToHex(number), config],
      })),
    )
    part.forEach((number, index) => {
      changes.push(changesOf(traces[index] as TracedTransaction[], number, hashes))
    })
  }
  const history = { firstBlock, hashes, base, codeHashes: codeHashesOf(base), changes }
  checkHead(createHistory(history).accountsAt(lastBlock), head)
  return history
}

/** keccak256 of each account's code. */
export function codeHashesOf(accounts: DumpedAccounts): HistoryData['codeHashes'] {
  return Object.fromEntries(
    Object.entries(accounts).map(([address, { code }]) => [address, keccak256(code)]),
  )
}

function changesOf(
  transactions: readonly TracedTransaction[],
  number: number,
  hashes: readonly Hex[],
): Record<Address, AccountChange> {
  const slot = numberToHex((number - 1) % blockHashWindow, { size: 32 })
  const changes: Record<Address, AccountChange> = {
    [blockHashContract]: { storage: { [slot]: hashes[number - 1] ?? zeroWord } },
  }
  for (const { result } of transactions) {
    const addresses = new Set([...Object.keys(result.pre), ...Object.keys(result.post)])
    for (const address of addresses as Set<Address>) {
      const { storage: before = {} } = result.pre[address] ?? {}
      const { balance, nonce, storage: after = {} } = result.post[address] ?? {}
      const storage: Record<Hex, Hex> = { ...changes[address]?.storage }
      // A slot that became zero is named before and not after.
      for (const key of Object.keys(before) as Hex[]) storage[word(key)] = zeroWord
      for (const [key, value] of Object.entries(after)) storage[word(key as Hex)] = word(value)
      changes[address] = {
        ...changes[address],
        ...defined({ balance, nonce }),
        storage,
      }
    }
  }
  return changes
}

function checkHead(found: DumpedAccounts, expected: DumpedAccounts): void {
  for (const address of Object.keys({ ...found, ...expected }) as Address[]) {
    if (fingerprint(found[address]) !== fingerprint(expected[address])) {
      throw new ForkrouteError('INTERNAL', `The recorded history of ${address} has a gap.`)
    }
  }
}

function fingerprint(account: DumpedAccount | undefined): string {
  if (!account) return ''
  const slots = Object.entries(account.storage)
    .filter(([, value]) => BigInt(value) !== 0n)
    .map(([key, value]) => `${word(key as Hex)}=${word(value)}`)
    .sort()
  return [account.nonce, BigInt(account.balance), account.code, ...slots].join()
}

export interface History {
  readonly firstBlock: number
  readonly lastBlock: number
  numberOf(hash: Hex): number | undefined
  /** State at the end of a block from `firstBlock` to `lastBlock`. */
  accountsAt(number: number): DumpedAccounts
  /** The same of one account; undefined: it does not exist. */
  accountAt(address: Address, number: number): DumpedAccount | undefined
  /** Hash of the account's code, which no block changes. */
  codeHashOf(address: Address): Hex
  /** What blocks after the first have changed of the account, up to this one, in their order. */
  changesOf(address: Address, number: number): readonly AccountChange[]
  /** The same as an argument of anvil_loadState that adds this one block and touches nothing else. */
  loadableState(number: number): object
}

export function createHistory(data: HistoryData): History {
  const numbers = new Map(data.hashes.map((hash, number) => [hash, number]))
  const codes = new Map<Hex, object>()
  const changesByAccount = new Map<Address, { number: number; change: AccountChange }[]>()
  for (const [index, changes] of data.changes.entries()) {
    for (const [address, change] of Object.entries(changes) as [Address, AccountChange][]) {
      const own = changesByAccount.get(address) ?? []
      own.push({ number: data.firstBlock + index + 1, change })
      changesByAccount.set(address, own)
    }
  }

  const changesOf = (address: Address, last: number) =>
    (changesByAccount.get(address) ?? [])
      .filter(({ number }) => number <= last)
      .map(({ change }) => change)

  function accountAt(address: Address, number: number): DumpedAccount | undefined {
    const before = data.base[address]
    const changes = changesOf(address, number)
    if (changes.length === 0) return before
    const storage: Record<Hex, Hex> = { ...before?.storage }
    const account = { nonce: 0, balance: '0x0' as Hex, code: '0x' as Hex, ...before, storage }
    for (const { balance, nonce, storage: changed } of changes) {
      Object.assign(storage, changed)
      if (balance !== undefined) account.balance = balance
      if (nonce !== undefined) account.nonce = nonce
    }
    return account
  }

  function accountsAt(number: number): DumpedAccounts {
    const addresses = new Set([...Object.keys(data.base), ...changesByAccount.keys()] as Address[])
    const accounts: Record<Address, DumpedAccount> = {}
    for (const address of addresses) {
      const account = accountAt(address, number)
      if (account) accounts[address] = account
    }
    return accounts
  }

  function loadableState(number: number): object {
    const accounts: Record<Address, object> = {}
    const storage: Record<Address, object> = {}
    for (const [address, account] of Object.entries(accountsAt(number))) {
      accounts[address as Address] = {
        balance: account.balance,
        nonce: account.nonce,
        ...codeFields(codeHashOf(address as Address), account.code),
      }
      storage[address as Address] = account.storage
    }
    const block_hashes = Object.fromEntries(
      data.hashes.slice(0, number + 1).map((hash, index) => [numberToHex(index), hash]),
    )
    const snapshot = { accounts, storage, block_hashes }
    return {
      block: null,
      accounts: {},
      best_block_number: null,
      blocks: [],
      transactions: [],
      historical_states: [[data.hashes[number], snapshot]],
    }
  }

  const codeHashOf = (address: Address) => data.codeHashes[address] ?? noCodeHash

  /** Code as revm serializes it: one bit per byte marks where jumps may land. */
  function codeFields(hash: Hex, code: Hex): object {
    const cached = codes.get(hash)
    if (cached) return cached
    const fields = { code_hash: hash, code: { LegacyAnalyzed: analysed(code) } }
    codes.set(hash, fields)
    return fields
  }

  return {
    firstBlock: data.firstBlock,
    lastBlock: data.firstBlock + data.changes.length,
    numberOf: (hash) => numbers.get(hash),
    accountsAt,
    accountAt,
    codeHashOf,
    changesOf,
    loadableState,
  }
}

const opcode = { stop: '00', jumpDestination: 0x5b, push1: 0x60, push32: 0x7f }

function analysed(code: Hex): object {
  const bytes = Buffer.from(code.slice(2), 'hex')
  const table = new Uint8Array(Math.ceil(bytes.length / 8))
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === opcode.jumpDestination) table[at >> 3] = (table[at >> 3] ?? 0) | (1 << (at & 7))
    else if (byte >= opcode.push1 && byte <= opcode.push32) at += byte - opcode.push1 + 1
  }
  return {
    // Code has to end in a stop; 33 bytes of padding also complete a push that is cut off.
    bytecode: `${code}${opcode.stop.repeat(33)}`,
    original_len: bytes.length,
    jump_table: {
      order: 'bitvec::order::Lsb0',
      head: { width: 8, index: 0 },
      bits: bytes.length,
      data: [...table],
    },
  }
}
