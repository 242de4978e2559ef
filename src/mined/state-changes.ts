/** What transactions changed in the state, as overrides that put the chain behind them. Pure. */

import type { ChangedAccount, ChangedAccounts } from '../domain/changes/what-if.js'
import { type Address, type Hex, toAddress } from '../domain/primitives.js'

interface TracedAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<Hex, Hex>>
}

/** What the prestateTracer answers in its diff mode: `post` has what differs from `pre`, without slots that became zero. */
export interface StateDifference {
  readonly pre: Readonly<Record<Hex, TracedAccount>>
  readonly post: Readonly<Record<Hex, TracedAccount>>
}

/** How a node is asked for it. */
export const differenceTracer = {
  tracer: 'prestateTracer',
  tracerConfig: { diffMode: true },
} as const

const zeroWord: Hex = `0x${'0'.repeat(64)}`
/** An account that was destroyed: nothing of it is left. */
const destroyed: ChangedAccount = { balance: 0n, nonce: 0, code: '0x', state: {} }

/** @param differences - in the order of the transactions. */
export function changedAccounts(differences: readonly StateDifference[]): ChangedAccounts {
  const changes = new Map<Address, ChangedAccount>()
  for (const { pre, post } of differences) {
    for (const address of new Set([...keysOf(pre), ...keysOf(post)])) {
      const name = toAddress(address)
      const after = post[address]
      const changed = after ? merged(changes.get(name), pre[address], after) : destroyed
      if (Object.keys(changed).length > 0) changes.set(name, changed)
    }
  }
  return Object.fromEntries(changes)
}

function merged(
  earlier: ChangedAccount = {},
  { storage: slotsBefore = {} }: TracedAccount = {},
  { balance, nonce, code, storage = {} }: TracedAccount,
): ChangedAccount {
  const emptied = keysOf(slotsBefore).map((slot) => [slot, zeroWord] as const)
  const words = { ...Object.fromEntries(emptied), ...storage }
  // Slots of an account whose whole storage is stated go there, too.
  const where = earlier.state ? 'state' : 'stateDiff'
  return {
    ...earlier,
    ...(balance !== undefined && { balance: BigInt(balance) }),
    ...(nonce !== undefined && { nonce: Number(nonce) }),
    ...(code !== undefined && { code }),
    ...(Object.keys(words).length > 0 && { [where]: { ...earlier[where], ...words } }),
  }
}

function keysOf(record: object): Hex[] {
  return Object.keys(record) as Hex[]
}
