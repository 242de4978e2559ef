/**
 * Native balances of senders at the pinned block, so that a simulation can add what its gas costs
 * to exactly what the sender has. Read once per block and sender, remembered in the thread.
 */
import { LRUCache } from 'lru-cache'
import type { Address, BlockPin } from '../domain/primitives.js'
import type { SimulationRequest } from '../domain/state.js'
import { stateKey } from '../domain/what-if.js'
import { askFork } from './faults.js'

/** Wei, or why it cannot be read. */
export type SenderBalance =
  | { readonly ok: true; readonly wei: bigint }
  | { readonly ok: false; readonly message: string }

const known = new LRUCache<string, SenderBalance>({ max: 10_000 })

/** Senders of a simulation, preceding calls included. */
export function sendersOf(request: SimulationRequest): Address[] {
  return [...new Set([request.from, ...(request.before ?? []).map(({ from }) => from)])]
}

/** Balances of all senders that the requests do not override themselves. */
export async function senderBalances(
  fork: { readonly urls: readonly string[]; readonly pin: BlockPin },
  requests: readonly SimulationRequest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, SenderBalance>> {
  const wanted = new Set<Address>()
  for (const request of requests) {
    for (const sender of sendersOf(request)) {
      if (request.overrides[sender]?.balance === undefined) wanted.add(sender)
    }
  }
  const entries = await Promise.all(
    [...wanted].map(async (sender, index) => {
      const key = `${stateKey(fork.pin)}:${sender}`
      const url = fork.urls[index % fork.urls.length]
      if (!url) throw new RangeError('A simulation needs at least one fork.')
      const balance = known.get(key) ?? (await readBalance(url, fork.pin, sender, signal))
      if (balance.ok) known.set(key, balance)
      return [sender, balance] as const
    }),
  )
  return new Map(entries)
}

async function readBalance(
  url: string,
  pin: BlockPin,
  address: Address,
  signal: AbortSignal,
): Promise<SenderBalance> {
  const params = [address, `0x${pin.number.toString(16)}`]
  const reply = await askFork(url, pin, { method: 'eth_getBalance', params }, signal)
  return reply.ok
    ? { ok: true, wei: BigInt(reply.value as string) }
    : { ok: false, message: reply.error.message }
}
