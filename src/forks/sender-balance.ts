/**
 * Native balances of senders at the pinned block, so that a simulation can add what its gas costs
 * to exactly what the sender has. Read once per block and sender, remembered in the thread.
 */
import { LRUCache } from 'lru-cache'
import { stateKey } from '../domain/changes/what-if.js'
import type { Address, BlockPin } from '../domain/primitives.js'
import type { SimulationRequest } from '../domain/state.js'
import { askFork } from './faults.js'

/** Wei, or why it cannot be read. */
export type SenderBalance =
  | { readonly ok: true; readonly wei: bigint }
  | { readonly ok: false; readonly message: string }

/** Senders of a simulation, preceding calls included. */
export function sendersOf(request: SimulationRequest): Address[] {
  return [...new Set([request.from, ...(request.before ?? []).map(({ from }) => from)])]
}

/** Forks of one block, among which the reads are spread. */
interface BalanceSource {
  readonly urls: readonly string[]
  readonly pin: BlockPin
}

/** The balances that a thread has read. */
class SenderBalances {
  readonly #known = new LRUCache<string, SenderBalance>({ max: 10_000 })

  async of(
    { urls, pin }: BalanceSource,
    senders: Iterable<Address>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, SenderBalance>> {
    const entries = await Promise.all(
      [...senders].map(async (sender, index) => {
        const key = `${stateKey(pin)}:${sender}`
        const url = urls[index % urls.length]
        if (!url) throw new RangeError('A simulation needs at least one fork.')
        const balance = this.#known.get(key) ?? (await readBalance(url, pin, sender, signal))
        if (balance.ok) this.#known.set(key, balance)
        return [sender, balance] as const
      }),
    )
    return new Map(entries)
  }
}

/** One for each thread, as this module is. */
const balances = new SenderBalances()

/** Balances of all senders that the requests do not override themselves. */
export async function senderBalances(
  fork: BalanceSource,
  requests: readonly SimulationRequest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, SenderBalance>> {
  const wanted = new Set<Address>()
  for (const request of requests) {
    for (const sender of sendersOf(request)) {
      if (request.overrides[sender]?.balance === undefined) wanted.add(sender)
    }
  }
  return balances.of(fork, wanted, signal)
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
