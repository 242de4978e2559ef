/**
 * Reads the state that the candidates will use in bulk, since a fork would read it slot by slot: at each block once for
 * a pool and those who trade there. Affects only when state is read, never the answer.
 */
import type { RouteRequest } from '../../domain/engine.js'
import { type Address, isNative } from '../../domain/primitives.js'
import { runnerAddress } from '../../executor/compile.js'
import { executorContracts } from '../../executor/deployments.js'
import { slotsFor } from '../../forks/tokens/token-access.js'
import { poolKey } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import { pairsOf } from '../market/pairs.js'
import { swapsOf } from '../search/flow.js'
import type { Built } from './built.js'

/** Starts to learn the storage of tokens on paths of the request while their pools are being read. */
export function learnTokens(task: Task, { inputs, tokensOut }: RouteRequest): void {
  if (task.settings.cassette === 'replay') return
  const tokensIn = inputs.map(({ token }) => token)
  const tokens = new Set(pairsOf(task.chain, tokensIn, tokensOut).flat())
  for (const token of tokens) void task.simulator.accessOf(token)
}

/**
 * Reads pools, tokens, and the slots of both that the transactions use. Does nothing where all of them were read.
 *
 * @returns a function to call after the transactions have run: what was missing is then read ahead the next time.
 */
export async function readAhead(
  task: Task,
  request: RouteRequest,
  built: readonly Built[],
): Promise<() => void> {
  if (task.settings.cassette === 'replay') return () => undefined
  const helpers: Record<string, { readonly address: Address }> = executorContracts
  const runner = runnerAddress(request.strategy, request.fromAddress)
  // Plain swaps pass through the contract that is called.
  const called = built.flatMap(({ order, tx }) => [order.receiver, tx.to])
  const common = [...new Set([request.fromAddress, runner, ...called])]
  const { pools: read } = task.facts.ahead
  const traders = common.join()
  const pools = new Map(
    built
      .flatMap(({ candidate }) => swapsOf(candidate))
      .map((swap) => [`${poolKey(swap.loaded.pool)} ${traders}`, swap] as const)
      .filter(([name]) => !read.has(name)),
  )
  if (pools.size === 0) return () => undefined
  /** Addresses that hold a token on some path. */
  const holders = new Map<Address, Set<Address>>()
  const accounts = new Set<Address>([...common, task.pin.miner])
  const slots: { address: Address; slot: `0x${string}` }[] = []
  for (const { adapter, loaded } of pools.values()) {
    const { pool, state } = loaded
    accounts.add(pool.address)
    for (const slot of adapter.swaps.swapSlots?.(pool, state) ?? []) {
      slots.push({ address: pool.address, slot })
    }
    const own = (adapter.swaps.helperContracts ?? []).flatMap(
      (name) => helpers[name]?.address ?? [],
    )
    for (const token of pool.tokens) {
      if (isNative(token)) continue
      const parties = holders.get(token) ?? new Set(common)
      for (const party of [pool.address, ...own]) parties.add(party)
      holders.set(token, parties)
    }
  }
  await Promise.all(
    [...holders].map(async ([token, parties]) => {
      accounts.add(token)
      const access = await task.simulator.accessOf(token)
      if (!access) return
      for (const contract of access.contracts) accounts.add(contract)
      const pairs = [...parties].map((party) => [runner, party] as const)
      slots.push(...slotsFor(access, parties, pairs))
    }),
  )
  const swapped = [...pools.values()].map(({ loaded: { pool } }) => ({
    topic: `pool:${pool.id}`,
    address: pool.address,
  }))
  const topics = swapped.map(({ topic }) => topic)
  await task.archive.readAhead({ accounts: [...accounts], slots, topics })
  for (const name of pools.keys()) read.set(name, true)
  return () => task.archive.learnLeftovers(swapped)
}
