/**
 * One task in a worker thread: its block, its reader, its simulations, its measurements.
 */
import { performance } from 'node:perf_hooks'
import { concatHex, numberToHex } from 'viem'
import { contractErrorsAbi } from '../../bridges/registry.js'
import { untilAborted } from '../../domain/abort.js'
import type { ChainRules } from '../../domain/chain-rules.js'
import { unreadable } from '../../domain/common-errors.js'
import type { RoutingStrategy } from '../../domain/order.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type {
  PrecedingCall,
  SimulationRequest,
  SimulationResult,
  StateOverrides,
  StateReader,
} from '../../domain/state.js'
import { executorContracts } from '../../executor/deployments.js'
import { isDelegate } from '../../executor/strategies.js'
import { gasPriceAfter } from '../../forks/block-environment.js'
import { forkClient } from '../../forks/clients.js'
import { askFork } from '../../forks/faults.js'
import { foresee } from '../../forks/foresee.js'
import { createGasBudget } from '../../forks/gas-budget.js'
import type { BlockForks } from '../../forks/reader.js'
import { type SimulationFork, simulate } from '../../forks/simulate.js'
import { fundFromHolder } from '../../forks/tokens/holder-funding.js'
import { encodeRead } from '../../forks/tokens/slot-field.js'
import type { Access } from '../../forks/tokens/slot-rules.js'
import { type Traced, traceSimulation } from '../../forks/trace.js'
import { JsonRpcError } from '../../rpc/node/json-rpc.js'
import type { EventLog } from '../../rpc/node/mined/event-logs.js'
import { inSpan } from '../../telemetry/tracing.js'
import type { BlockContext, WorkerContext } from './worker-context.js'
import type { WorkerSettings } from './worker-settings.js'

/** Sends transactions to be simulated; results in the order asked. */
export type Simulator = (requests: readonly SimulationRequest[]) => Promise<SimulationResult[]>

/** Candidates per round when a deadline may cut the work short. */
const deadlineRound = 8
/**
 * Of the time that is left at the start of a run, kept to make an answer of what was found: the final transaction is
 * simulated once more.
 */
const finalPart = 0.2
const mostFinalMs = 500

/** Where the state of the pinned block is read. */
export interface RunPlace {
  readonly pin: BlockPin
  readonly archiveUrl: string
  /** Forks that still start come later. */
  readonly forks: Promise<BlockForks>
}

export class TaskRun {
  readonly stages: Record<string, number> = {}
  readonly simulations = { success: 0, reverted: 0, unreadable: 0 }
  /** As in `TaskTrace`. */
  readonly reverts: Record<string, number> = {}
  readonly improvementsBps: number[] = []
  /** As in `TaskTrace`. */
  isCut = false
  #gas = createGasBudget()
  /** performance.now() after which no new work starts. */
  readonly #latestStart: number | null
  readonly #lent = new Map<string, Promise<readonly PrecedingCall[] | null>>()
  readonly pin: BlockPin
  readonly settings: WorkerSettings
  /** Wei per gas. */
  readonly tip: bigint
  /** Wei per gas: base fee of the next block plus the tip. */
  readonly gasPrice: bigint

  constructor(
    readonly worker: WorkerContext,
    readonly block: BlockContext,
    readonly reader: StateReader,
    private readonly place: RunPlace,
    readonly signal: AbortSignal,
    /** performance.now() at which the answer has to be there; null: no deadline. */
    deadline: number | null,
    /** Simulates on behalf of this run, which is part of a batch. */
    private readonly simulator: Simulator | null = null,
  ) {
    this.#latestStart = deadline === null ? null : latestStart(deadline)
    this.pin = place.pin
    this.settings = worker.settings
    this.tip = worker.settings.priorityFeePerGas[this.pin.chainId] ?? block.chain.priorityFeePerGas
    this.gasPrice = gasPriceAfter(this.pin, this.#rules())
  }

  /** Runs and times one stage; stages may overlap and repeat. */
  async stage<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    const started = performance.now()
    try {
      return await inSpan(name, work)
    } finally {
      this.stages[name] = (this.stages[name] ?? 0) + (performance.now() - started) / 1_000
    }
  }

  /** Limit of a search that starts now: true once half of the remaining time is used, to leave time for proving. */
  searchLimit(): () => boolean {
    const latest = this.#latestStart
    if (latest === null) return () => false
    const end = (performance.now() + latest) / 2
    return () => performance.now() >= end
  }

  /** One of several calculations at this block, with a deadline of its own. */
  part(deadline: number | null, simulator: Simulator | null, signal = this.signal): TaskRun {
    const { worker, block, reader, place } = this
    return new TaskRun(worker, block, reader, place, signal, deadline, simulator)
  }

  /** So many requests run as this one, each with its part of what their simulations may use. */
  share(requests: number): void {
    this.#gas = createGasBudget(requests)
  }

  /**
   * @param options.warms - false: these runs leave much state of the block unread; default true.
   * @param options.signal - besides that of the run.
   */
  async simulate(
    requests: readonly SimulationRequest[],
    options: { readonly warms?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<SimulationResult[]> {
    if (this.simulator) return this.simulator(requests)
    const { isFilled = false } = await this.place.forks
    const results = await simulate(await this.#fork(), requests, {
      signal: options.signal ? AbortSignal.any([this.signal, options.signal]) : this.signal,
      warm: this.block.warm || isFilled,
      errorsAbi: contractErrorsAbi,
      budget: this.#gas,
    })
    for (const { status } of results) this.simulations[status]++
    this.block.warm ||= options.warms ?? true
    return results
  }

  /** The calls that it makes as it is simulated; null where that cannot be told. */
  async trace(request: SimulationRequest): Promise<Traced | null> {
    return traceSimulation(await this.#fork(), request, this.signal)
  }

  /** Whether the deadline has passed, so that no new work may start. */
  isLate(): boolean {
    return this.#latestStart !== null && performance.now() >= this.#latestStart
  }

  /** As `simulate`, best candidates first; null for those that the deadline left out. */
  async simulateUntilDeadline(
    requests: readonly SimulationRequest[],
  ): Promise<(SimulationResult | null)[]> {
    if (this.#latestStart === null) return this.simulate(requests)
    const results: (SimulationResult | null)[] = requests.map(() => null)
    for (let start = 0; start < requests.length; start += deadlineRound) {
      const round = await this.#unlessLate(
        requests.slice(start, start + deadlineRound),
        this.#latestStart,
      )
      if (!round) break
      for (const [index, result] of round.entries()) results[start + index] = result
    }
    return results
  }

  /** Null where the results do not come before `latest`. */
  async #unlessLate(
    requests: readonly SimulationRequest[],
    latest: number,
  ): Promise<SimulationResult[] | null> {
    const left = latest - performance.now()
    if (left <= 0) return null
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), left)
    try {
      const { signal } = stop
      return await untilAborted(this.simulate(requests, { signal }), signal)
    } catch (error) {
      if (!stop.signal.aborted || this.signal.aborted) throw error
      this.isCut = true
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  /** Which state transfers, balances and allowances of the token use; null where that is unknown. */
  accessOf(token: Address): Promise<Access | null> {
    const { archiveUrl } = this.place
    const urls = () => this.#urls()
    return this.block.tokens.access.of({ urls, archiveUrl, pin: this.pin }, token)
  }

  /** Reads accounts and slots into the archive, in bulk. What cannot be read is left to the forks to meet. */
  async readAhead(reads: {
    readonly accounts: readonly Address[]
    readonly slots: readonly { readonly address: Address; readonly slot: Hex }[]
    /** Of pools, of which more may be known than their adapters say. */
    readonly topics: readonly string[]
  }): Promise<void> {
    const { keys } = this.block.ahead
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
    const reading = forkClient(this.place.archiveUrl)
      .request('forkroute_readAhead', [asked], this.signal)
      .catch((error: unknown) => {
        for (const key of fresh) keys.delete(key)
        if (this.signal.aborted) throw error
      })
    for (const key of fresh) keys.set(key, reading)
    await Promise.all([reading, ...[...before].map((one) => one.catch(() => undefined))])
  }

  /** Has the archive answer for accounts of which nothing can be on the chain, without asking a node. */
  async assumeEmpty(accounts: readonly Address[]): Promise<void> {
    await forkClient(this.place.archiveUrl).request(
      'forkroute_assumeEmpty',
      [accounts],
      this.signal,
    )
  }

  /** Has the archive remember what it was asked for although all known of these pools was read ahead. */
  learnLeftovers(pools: readonly { readonly topic: string; readonly address: Address }[]): void {
    forkClient(this.place.archiveUrl)
      .request('forkroute_learnLeftovers', [pools])
      .catch(() => undefined)
  }

  /**
   * Events of a contract in blocks up to the pinned one, in their order; null where the nodes give none.
   * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
   */
  async logs(question: {
    readonly address: Address
    readonly topics: readonly (Hex | null)[]
    readonly from: bigint
    readonly to: bigint
  }): Promise<readonly EventLog[] | null> {
    const { from, to, ...filter } = question
    const asked = { ...filter, from: numberToHex(from), to: numberToHex(to) }
    const found = await forkClient(this.place.archiveUrl).request<
      readonly (Omit<EventLog, 'blockNumber'> & { blockNumber: Hex })[] | null
    >(...(['forkroute_logs', [asked], this.signal] as const))
    return found?.map((log) => ({ ...log, blockNumber: BigInt(log.blockNumber) })) ?? null
  }

  /** Wei at the block. */
  async nativeBalance(owner: Address): Promise<bigint> {
    return BigInt(await this.#account('eth_getBalance', owner))
  }

  /** Transactions that the account has sent. */
  async nonce(owner: Address): Promise<number> {
    return Number(await this.#account('eth_getTransactionCount', owner))
  }

  /** A call that only a node itself can answer, such as one to an address without real code; null when it does not. */
  async callNode(to: Address, data: Hex): Promise<Hex | null> {
    const call = [{ to, data }, numberToHex(this.pin.number)]
    try {
      return await forkClient(this.place.archiveUrl).request<Hex>('eth_call', call, this.signal)
    } catch (error) {
      if (error instanceof JsonRpcError) return null
      throw error
    }
  }

  async hasCode(address: Address): Promise<boolean> {
    return (await this.codeOf(address)) !== '0x'
  }

  /** On the chain: without what forks have placed. */
  codeOf(address: Address): Promise<Hex> {
    return this.#account('eth_getCode', address)
  }

  /** Has the forks of this block take a signature for that of `signer`, whatever was signed. */
  async acceptSignature(signature: Hex, signer: Address): Promise<void> {
    const call = { method: 'anvil_impersonateSignature', params: [[signature, signer]] }
    const ask = async (url: string) => {
      const reply = await askFork(url, this.pin, call, this.signal)
      if (!reply.ok) throw reply.error
    }
    await Promise.all((await this.#urls()).map(ask))
  }

  /** Overrides that give `owner` exactly this, raw units; null where no balance slot can be found. */
  async fund(
    token: Address,
    owner: Address,
    funds: { readonly balance: bigint; readonly spender?: Address; readonly allowance?: bigint },
  ): Promise<StateOverrides | null> {
    const { balance, spender, allowance = balance } = funds
    const { archiveUrl } = this.place
    // Their slots are found by tracing them.
    const reads = [encodeRead({ owner }), ...(spender ? [encodeRead({ owner, spender })] : [])]
    foresee(
      archiveUrl,
      this.pin,
      reads.map((data) => ({ to: token, data })),
    )
    return this.block.tokens.funding.fund(
      { urls: await this.#urls(), pin: this.pin },
      {
        token,
        owner,
        amount: balance,
        ...(spender && { allowance: { spender, amount: allowance } }),
      },
    )
  }

  /** Calls after which `owner` has the amount, sent by the first holder that can; null when no holder can. */
  fundFromHolder(
    token: Address,
    owner: Address,
    amount: bigint,
    spender: Address | null,
    holders: readonly Address[],
  ): Promise<readonly PrecedingCall[] | null> {
    const key = [token, owner, spender, amount, ...holders].join(':')
    const known = this.#lent.get(key)
    if (known) return known
    const request = {
      token,
      owner,
      amount,
      holders,
      ...(spender && { allowance: { spender, amount } }),
    }
    const options = { signal: this.signal, budget: this.#gas }
    const found = this.#fork().then((fork) => fundFromHolder(fork, request, options))
    this.#lent.set(key, found)
    return found
  }

  async #fork(): Promise<SimulationFork> {
    return { urls: await this.#urls(), pin: this.pin, chain: this.#rules() }
  }

  async #urls(): Promise<readonly string[]> {
    return (await this.place.forks).forkUrls
  }

  #rules(): ChainRules {
    return { ...this.block.chain, priorityFeePerGas: this.tip }
  }

  async #account(
    method: 'eth_getBalance' | 'eth_getCode' | 'eth_getTransactionCount',
    address: Address,
  ): Promise<Hex> {
    const archive = forkClient(this.place.archiveUrl)
    try {
      const block = numberToHex(this.pin.number)
      return await archive.request<Hex>(method, [address, block], this.signal)
    } catch (cause) {
      if (!(cause instanceof JsonRpcError)) throw cause
      throw unreadable(`The account ${address}`, { address })
    }
  }

  /**
   * What lets an account run a delegate's order: as EIP-7702 accounts do, so that their gas is exact (being paid in the
   * native token costs them more than code of their own). Our contracts are on the forks: the pool places them where
   * they are absent.
   */
  codeOverrides(strategy: RoutingStrategy, from: Address): StateOverrides {
    if (!isDelegate(strategy)) return {}
    return { [from]: { code: concatHex(['0xef0100', executorContracts.Delegate.address]) } }
  }
}

function latestStart(deadline: number): number {
  return deadline - Math.min(mostFinalMs, (deadline - performance.now()) * finalPart)
}
