/**
 * How much of a token pools take before a swap needs state that is not there: a pool of which a part can be read serves
 * that part. Found by simulating swaps in one pool alone.
 */
import { compareAmounts, larger } from '../../../domain/lists.js'
import { nativeToken, type TokenAmount } from '../../../domain/primitives.js'
import { poolKey } from '../../../protocols/pool.js'
import { quietly } from '../../../telemetry/quietly.js'
import type { Task } from '../../block/task.js'
import { boundedPool, directionKey } from '../../market/bounded.js'
import type { MarketPool } from '../../market/market-view.js'
import { type Flow, hopSwap, runFlow } from '../../search/flow.js'
import { type Hop, hopGas, hopKey } from '../../search/hop.js'
import { type Attempt, build, toSimulation, withoutFee } from '../built.js'
import { lendersOff } from '../lenders.js'
import type { PreparedRoute } from '../prepare.js'
import { unreadableBest } from '../retry-without-pools.js'
import { fundSender, stateWithLoans } from '../sender-state.js'

type Swap = Extract<Hop, { readonly kind: 'swap' }>

/** A swap of a candidate. */
interface Use {
  readonly hop: Swap
  /** Raw units of tokenIn. */
  readonly amountIn: bigint
}

/** What is known of a pool in one direction, raw units of tokenIn. */
interface Range {
  readonly hop: Swap
  /** It was simulated with this. */
  readonly readable: bigint
  /** With this it needs state that is not there; null: with nothing that was tried. */
  readonly unreadable: bigint | null
}

/** Of a pool that takes less than this part of what a candidate wanted, nothing is used. */
const leastPart = 4_096n
/** Amounts between what can be read and what cannot that are tried at once, and how often. */
const amountsTried = 5
const rounds = 2
/** The end of what is known of a pool is located to this part. */
const endPart = 4_096n

export class ReadableAmounts {
  readonly #ranges = new Map<string, Range>()

  constructor(
    private readonly task: Task,
    private readonly args: Pick<PreparedRoute, 'all' | 'request' | 'accountId'>,
  ) {}

  /** Whether a candidate wants more of some pool than can be read. */
  isBeyond(attempt: Attempt): boolean {
    if (!this.#ranges.size) return false
    return usesOf(attempt).some(({ hop, amountIn }) => {
      const bound = this.#boundOf(hopKey(hop))
      return bound !== null && amountIn > bound
    })
  }

  /** The pools that take no more than a part, by what they are without a bound. */
  bounded(): ReadonlyMap<MarketPool, MarketPool> {
    const bounds = new Map<string, Map<string, bigint>>()
    for (const [key, { hop }] of this.#ranges) {
      const bound = this.#boundOf(key)
      if (bound === null) continue
      const name = poolKey(hop.market.loaded.pool)
      bounds.set(name, (bounds.get(name) ?? new Map()).set(directionKey(hop), bound))
    }
    return new Map(
      this.args.all.pools.flatMap((pool) => {
        const own = bounds.get(poolKey(pool.loaded.pool))
        return own ? [[pool, boundedPool(pool, own)]] : []
      }),
    )
  }

  /**
   * Finds out how much the pools take of candidates that met missing state, and promised more than every one that worked.
   * What the others took can be read.
   * @returns whether that is less than what was known.
   */
  async learn(attempts: readonly Attempt[]): Promise<boolean> {
    if (this.task.settings.boundsPools === false) return false
    const failed = unreadableBest(attempts).filter((attempt) => !this.isBeyond(attempt))
    if (!failed.length) return false
    const worked = attempts.filter(({ result }) => result?.status === 'success')
    const known = mostOf(worked.flatMap(usesOf))
    const open = [...mostOf(failed.flatMap(usesOf)).values()].filter(({ hop, amountIn }) => {
      const range = this.#ranges.get(hopKey(hop))
      return amountIn > larger(range?.readable ?? 0n, known.get(hopKey(hop))?.amountIn ?? 0n)
    })
    const wanted = open.map(({ hop, amountIn }) => {
      const readable = known.get(hopKey(hop))?.amountIn ?? 0n
      return { hop, readable, unreadable: null, tries: firstTries(hop, amountIn) }
    })
    let ranges: readonly Range[] = await this.#narrowed(wanted)
    for (let round = 0; round < rounds && !this.task.clock.isLate(); round++) {
      ranges = await this.#narrowed(ranges.map((range) => ({ ...range, tries: triesIn(range) })))
    }
    for (const range of ranges) this.#ranges.set(hopKey(range.hop), range)
    return ranges.some(({ unreadable }) => unreadable !== null)
  }

  #boundOf(key: string): bigint | null {
    const range = this.#ranges.get(key)
    return range && range.unreadable !== null ? range.readable : null
  }

  async #narrowed(
    ranges: readonly (Range & { readonly tries: readonly bigint[] })[],
  ): Promise<Range[]> {
    const uses = ranges.flatMap(({ hop, tries }) => tries.map((amountIn) => ({ hop, amountIn })))
    const found = await this.#areReadable(uses)
    let next = 0
    return ranges.map(({ tries, ...range }) => {
      let { readable, unreadable } = range
      for (const amount of tries) {
        const isReadable = found[next++]
        if (isReadable === undefined || isReadable === null || amount <= readable) continue
        if (unreadable !== null && amount >= unreadable) continue
        if (isReadable) readable = amount
        else unreadable = amount
      }
      return { ...range, readable, unreadable }
    })
  }

  /** For each whether a swap in the pool alone needs nothing that is missing; null where that cannot be told. */
  async #areReadable(uses: readonly Use[]): Promise<(boolean | null)[]> {
    if (!uses.length) return []
    const { task, args } = this
    const built = await Promise.all(
      uses.map((use) =>
        quietly(
          this.#built(use),
          'A pool that cannot be tried alone, such as by a token that cannot be given to the sender, is left out as before.',
        ),
      ),
    )
    const asked = built.flatMap((one) => one ?? [])
    const results = await task.clock.stage('simulate', () =>
      task.simulator.simulateUntilDeadline(asked.map((one) => toSimulation(one, args.request))),
    )
    const byBuilt = new Map(asked.map((one, index) => [one, results[index] ?? null]))
    return built.map((one) => {
      const result = one && byBuilt.get(one)
      return result ? result.status !== 'unreadable' : null
    })
  }

  async #built({ hop, amountIn }: Use) {
    const { task, args } = this
    const { strategy, fromAddress } = args.request
    const inputs: TokenAmount[] = [{ token: hop.tokenIn, amount: amountIn }]
    const sender = { strategy, fromAddress, isChecked: false }
    const flow: Flow = {
      edges: [{ hop, spends: 10_000 }],
      amountOut: hopSwap(hop, new Map(), amountIn).amountOut,
      exact: false,
      gas: hopGas(hop),
      isSplit: false,
      key: hopKey(hop),
    }
    const funded = await fundSender(task, sender, inputs)
    const lenders = funded.unfunded.length ? lendersOff(flow, args.all.pools) : []
    const state = await stateWithLoans(task, funded, lenders)
    const request = { ...args.request, inputs, tokensOut: [hop.tokenOut] }
    const { accountId } = args
    const terms = { request, inputs, accountId, receiverHasCode: false, dataFee: null }
    return state && build(task, terms, flow, state)
  }
}

function usesOf({ built: { candidate, taken, order } }: Attempt): Use[] {
  const uses: Use[] = []
  const tokenOut = order.outputs[0]?.token ?? nativeToken
  runFlow(candidate.edges, taken.map(withoutFee), tokenOut, (hop, amountIn) => {
    if (hop.kind === 'swap' && amountIn > 0n) uses.push({ hop, amountIn })
  })
  return uses
}

/** The largest use of each pool and direction. */
function mostOf(uses: readonly Use[]): ReadonlyMap<string, Use> {
  const most = new Map<string, Use>()
  for (const use of uses) {
    const key = hopKey(use.hop)
    if (use.amountIn > (most.get(key)?.amountIn ?? 0n)) most.set(key, use)
  }
  return most
}

/** Ascending: little, what math knows to the unit, and what a candidate wanted. */
function firstTries(hop: Swap, amountIn: bigint): bigint[] {
  const tries = [amountIn / leastPart + 1n, exactUntil(hop, amountIn), amountIn]
  return [...new Set(tries)]
    .filter((amount) => amount > 0n && amount <= amountIn)
    .sort(compareAmounts)
}

/** Ascending, evenly over the orders of magnitude; none where nothing can be read, or all that math knows. */
function triesIn({ hop, readable, unreadable }: Range): bigint[] {
  if (unreadable === null || readable === 0n || readable === exactUntil(hop, unreadable)) return []
  const factor = (Number(unreadable) / Number(readable)) ** (1 / (amountsTried + 1))
  return Array.from({ length: amountsTried }, (_, step) =>
    BigInt(Math.floor(Number(readable) * factor ** (step + 1))),
  ).filter((amount) => amount > readable && amount < unreadable)
}

/** About the largest amount below this one that native math knows to the unit. */
function exactUntil(hop: Swap, below: bigint): bigint {
  let [low, high] = [0n, below]
  while (high - low > below / endPart + 1n) {
    const middle = (low + high) / 2n
    const { amountOut, exact } = hopSwap(hop, new Map(), middle)
    if (exact && amountOut > 0n) low = middle
    else high = middle
  }
  return low
}
