/** What a task asks the archive besides calls and storage: accounts of the pinned block, its logs, and reading ahead. */
import { numberToHex } from 'viem'
import { unreadable } from '../../domain/common-errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { BlockSource } from '../../forks/block-source.js'
import { archiveOf, forkClient } from '../../forks/clients.js'
import type { ArchiveClient, ProvenSlot } from '../../rpc/archive/protocol.js'
import { JsonRpcError } from '../../rpc/node/json-rpc.js'
import type { EventLog } from '../../rpc/node/mined/event-logs.js'
import { quietly } from '../../telemetry/quietly.js'
import type { Ahead } from './ahead.js'

export class ArchiveReads {
  readonly #source: BlockSource
  readonly #archive: ArchiveClient
  readonly #signal: AbortSignal
  readonly #ahead: Ahead

  constructor(source: BlockSource, signal: AbortSignal, ahead: Ahead) {
    this.#source = source
    this.#archive = archiveOf(source)
    this.#signal = signal
    this.#ahead = ahead
  }

  /** Wei at the block. */
  async nativeBalance(owner: Address): Promise<bigint> {
    return BigInt(await this.#account('eth_getBalance', owner))
  }

  /** Transactions that the account has sent. */
  async nonce(owner: Address): Promise<number> {
    return Number(await this.#account('eth_getTransactionCount', owner))
  }

  async hasCode(address: Address): Promise<boolean> {
    return (await this.codeOf(address)) !== '0x'
  }

  /** On the chain: without what forks have placed. */
  codeOf(address: Address): Promise<Hex> {
    return this.#account('eth_getCode', address)
  }

  /** A call that only a node itself can answer, such as one to an address without real code; null when it does not. */
  async callNode(to: Address, data: Hex): Promise<Hex | null> {
    const call = [{ to, data }, numberToHex(this.#source.pin.number)]
    try {
      return await this.#request<Hex>('eth_call', call)
    } catch (error) {
      if (error instanceof JsonRpcError) return null
      throw error
    }
  }

  /**
   * Events of a contract, or of any of several, in blocks up to the pinned one, in their order; null where the nodes give none.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  async logs(question: {
    readonly address: Address | readonly Address[]
    readonly topics: readonly (Hex | null)[]
    readonly from: bigint
    readonly to: bigint
  }): Promise<readonly EventLog[] | null> {
    const { from, to, ...filter } = question
    const topics = [...filter.topics]
    const address = typeof filter.address === 'string' ? filter.address : [...filter.address]
    const asked = { address, topics, from: numberToHex(from), to: numberToHex(to) }
    const found = await this.#archive.request('forkroute_logs', [asked], this.#signal)
    return found?.map((log) => ({ ...log, blockNumber: BigInt(log.blockNumber) })) ?? null
  }

  /** What proves a slot by the header of the pinned block; null where no node gives it. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  slotProof(address: Address, slot: Hex): Promise<ProvenSlot | null> {
    return this.#archive.request('forkroute_slotProof', [address, slot], this.#signal)
  }

  /** Reads accounts and slots into the archive, in bulk. What cannot be read is left to the forks to meet. */
  async readAhead(reads: {
    readonly accounts: readonly Address[]
    readonly slots: readonly { readonly address: Address; readonly slot: Hex }[]
    /** `pool:<id>` of pools, of whose state more may have been learnt than their adapters name. */
    readonly topics: readonly string[]
  }): Promise<void> {
    const { keys } = this.#ahead
    const before = new Set<Promise<unknown>>()
    const fresh: string[] = []
    const isFresh = (key: string) => {
      const known = keys.get(key)
      if (known) before.add(known)
      else fresh.push(key)
      return !known
    }
    const asked = {
      accounts: reads.accounts.filter(isFresh),
      slots: reads.slots.filter(({ address, slot }) => isFresh(address + slot)),
      topics: reads.topics.filter(isFresh),
    }
    const reading = this.#archive
      .request('forkroute_readAhead', [asked], this.#signal)
      .catch((error: unknown) => {
        for (const key of fresh) keys.delete(key)
        if (this.#signal.aborted) throw error
      })
    for (const key of fresh) keys.set(key, reading)
    const others = [...before].map((one) => quietly(one, 'Whoever began to read it is told.'))
    await Promise.all([reading, ...others])
  }

  /** Has the archive answer for accounts of which nothing can be on the chain, without asking a node. */
  async assumeEmpty(accounts: readonly Address[]): Promise<void> {
    await this.#archive.request('forkroute_assumeEmpty', [[...accounts]], this.#signal)
  }

  /** Has the archive remember what it was asked for although all known of these pools was read ahead. */
  learnLeftovers(pools: readonly { readonly topic: string; readonly address: Address }[]): void {
    const learning = this.#archive.request('forkroute_learnLeftovers', [[...pools]])
    void quietly(learning, 'What forks still read of pools is not remembered.')
  }

  async #account(
    method: 'eth_getBalance' | 'eth_getCode' | 'eth_getTransactionCount',
    address: Address,
  ): Promise<Hex> {
    try {
      return await this.#request<Hex>(method, [address, numberToHex(this.#source.pin.number)])
    } catch (cause) {
      if (!(cause instanceof JsonRpcError)) throw cause
      throw unreadable(`The account ${address}`, { address })
    }
  }

  /** A method of a node. */
  #request<T>(method: string, params: readonly unknown[]): Promise<T> {
    return forkClient(this.#source.archiveUrl).request<T>(method, params, this.#signal)
  }
}
