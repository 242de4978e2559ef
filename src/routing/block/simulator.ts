/** Simulations of one task on the forks of its block, and what they are prepared with: funds, access of tokens, signatures. */
import { contractErrorsAbi } from '../../bridges/registry.js'
import { untilAborted } from '../../domain/abort.js'
import type { ChainRules } from '../../domain/chain-rules.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type {
  PrecedingCall,
  SimulationRequest,
  SimulationResult,
  StateOverrides,
} from '../../domain/state.js'
import type { BlockSource } from '../../forks/block-source.js'
import { askFork } from '../../forks/faults.js'
import { foresee } from '../../forks/foresee.js'
import { createGasBudget } from '../../forks/gas-budget.js'
import { type SimulationFork, simulate } from '../../forks/simulate.js'
import { fundFromHolder } from '../../forks/tokens/holder-funding.js'
import { encodeRead } from '../../forks/tokens/slot-field.js'
import type { Access } from '../../forks/tokens/slot-rules.js'
import { type Traced, traceSimulation } from '../../forks/trace.js'
import type { BlockFacts } from './block-facts.js'
import type { Clock } from './clock.js'
import type { TaskReport } from './task-report.js'

/** Sends transactions to be simulated; results in the order asked. */
export type Simulate = (requests: readonly SimulationRequest[]) => Promise<SimulationResult[]>

/** Candidates per round when a deadline may cut the work short. */
const deadlineRound = 8

export interface SimulatorParts {
  readonly source: BlockSource
  readonly rules: ChainRules
  readonly facts: BlockFacts
  readonly clock: Clock
  readonly report: TaskReport
  /** Simulates in place of this one, which is part of a batch; null: simulates by itself. */
  readonly batch: Simulate | null
}

export class Simulator {
  readonly #parts: SimulatorParts
  readonly #signal: AbortSignal
  #gas = createGasBudget()
  readonly #lent = new Map<string, Promise<readonly PrecedingCall[] | null>>()

  constructor(parts: SimulatorParts) {
    this.#parts = parts
    this.#signal = parts.clock.signal
  }

  /** So many requests are simulated as this one, each with its part of the gas that their simulations may use. */
  share(requests: number): void {
    this.#gas = createGasBudget(requests)
  }

  /**
   * @param options.warms - false: these transactions leave much state of the block unread; default true.
   * @param options.signal - besides that of the task.
   */
  async simulate(
    requests: readonly SimulationRequest[],
    options: { readonly warms?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<SimulationResult[]> {
    const { batch, source, facts, report } = this.#parts
    if (batch) return batch(requests)
    const { isFilled = false } = await source.forks
    const results = await simulate(await this.#fork(), requests, {
      signal: options.signal ? AbortSignal.any([this.#signal, options.signal]) : this.#signal,
      warm: facts.warm || isFilled,
      errorsAbi: contractErrorsAbi,
      budget: this.#gas,
    })
    for (const { status } of results) report.simulations[status]++
    facts.warm ||= options.warms ?? true
    return results
  }

  /** Simulates like `simulate`, best candidates first; null for those that the deadline left out. */
  async simulateUntilDeadline(
    requests: readonly SimulationRequest[],
  ): Promise<(SimulationResult | null)[]> {
    const { clock } = this.#parts
    if (clock.leftMs() === null) return this.simulate(requests)
    const results: (SimulationResult | null)[] = requests.map(() => null)
    for (let start = 0; start < requests.length; start += deadlineRound) {
      const round = await this.#unlessLate(requests.slice(start, start + deadlineRound))
      if (!round) break
      for (const [index, result] of round.entries()) results[start + index] = result
    }
    return results
  }

  /** Null where the results do not come before the deadline. */
  async #unlessLate(requests: readonly SimulationRequest[]): Promise<SimulationResult[] | null> {
    const { clock, report } = this.#parts
    const left = clock.leftMs() ?? 0
    if (left <= 0) return null
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), left)
    try {
      const { signal } = stop
      return await untilAborted(this.simulate(requests, { signal }), signal)
    } catch (error) {
      if (!stop.signal.aborted || this.#signal.aborted) throw error
      report.isCut = true
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  /** The calls that it makes as it is simulated; null where that cannot be told. */
  async trace(request: SimulationRequest): Promise<Traced | null> {
    return traceSimulation(await this.#fork(), request, this.#signal)
  }

  /** Which state transfers, balances and allowances of the token use; null where that is unknown. */
  accessOf(token: Address): Promise<Access | null> {
    const { source, facts } = this.#parts
    const { archiveUrl, pin } = source
    return facts.tokens.access.of({ urls: () => this.#urls(), archiveUrl, pin }, token)
  }

  /** Has the forks of this block take a signature for that of `signer`, whatever was signed. */
  async acceptSignature(signature: Hex, signer: Address): Promise<void> {
    const call = { method: 'anvil_impersonateSignature', params: [[signature, signer]] }
    const ask = async (url: string) => {
      const reply = await askFork(url, this.#parts.source.pin, call, this.#signal)
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
    const { source, facts } = this.#parts
    // Their slots are found by tracing them.
    const reads = [encodeRead({ owner }), ...(spender ? [encodeRead({ owner, spender })] : [])]
    foresee(
      source,
      reads.map((data) => ({ to: token, data })),
    )
    return facts.tokens.funding.fund(
      { urls: await this.#urls(), pin: source.pin },
      {
        token,
        owner,
        amount: balance,
        ...(spender && { allowance: { spender, amount: allowance } }),
      },
    )
  }

  /** Calls after which `owner` has the amount, sent by the first holder that can; null when no holder can. */
  fundFromHolder(loan: {
    readonly token: Address
    readonly owner: Address
    /** Raw units. */
    readonly amount: bigint
    /** Who may spend it then; null: nobody. */
    readonly spender: Address | null
    readonly holders: readonly Address[]
  }): Promise<readonly PrecedingCall[] | null> {
    const { token, owner, amount, spender, holders } = loan
    const key = [token, owner, spender, amount, ...holders].join(':')
    const cached = this.#lent.get(key)
    if (cached) return cached
    const request = {
      token,
      owner,
      amount,
      holders,
      ...(spender && { allowance: { spender, amount } }),
    }
    const options = { signal: this.#signal, budget: this.#gas }
    const found = this.#fork().then((fork) => fundFromHolder(fork, request, options))
    this.#lent.set(key, found)
    return found
  }

  async #fork(): Promise<SimulationFork> {
    const { source, rules } = this.#parts
    return { urls: await this.#urls(), pin: source.pin, chain: rules }
  }

  async #urls(): Promise<readonly string[]> {
    return (await this.#parts.source.forks).forkUrls
  }
}
