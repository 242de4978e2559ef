/**
 * Gas of a mined transaction by the rules before London, from the text of the EIPs. Anvil charges storage writes, and
 * refunds them, by London's numbers whatever rules it was started with; all else in its traces follows its rules.
 *
 * @see EIP-2200 (Istanbul), EIP-2929 (Berlin), EIP-3529 (London, which ended the high refunds)
 */
import { hexToBigInt, numberToHex } from 'viem'
import type { Hex } from '../../../src/domain/primitives.js'
import type { TestAnvil } from '../anvil.js'

interface Step {
  readonly op: string
  readonly depth: number
  readonly gas: number
  readonly gasCost: number
  /** The last item is the top. */
  readonly stack: readonly Hex[]
}

/** Costs of a write: of one that changes nothing or is not the slot's first, of a first one, and of a cold slot. */
const writes = {
  istanbul: { warm: 800, reset: 5_000, cold: 0 },
  berlin: { warm: 100, reset: 2_900, cold: 2_100 },
} as const
const clearRefund = 15_000

export async function gasBeforeLondon(
  anvil: TestAnvil,
  hash: Hex,
  rules: keyof typeof writes,
): Promise<bigint> {
  const tx = await anvil.rpc<{ gas: Hex; to: Hex; blockNumber: Hex }>('eth_getTransactionByHash', [
    hash,
  ])
  const { structLogs } = await anvil.rpc<{ structLogs: Step[] }>('debug_traceTransaction', [hash])
  const before = numberToHex(hexToBigInt(tx.blockNumber) - 1n)
  const last = structLogs.at(-1)
  if (!last) throw new Error('the transaction runs no code')
  let used = Number(tx.gas) - (last.gas - last.gasCost)
  let refund = 0
  const { warm, reset, cold } = writes[rules]
  /** Whose storage the code at each depth writes. */
  const owners: Hex[] = []
  const seen = new Map<string, { readonly original: bigint; current: bigint; wasRead: boolean }>()
  const slotOf = async (owner: Hex, slot: Hex) => {
    const key = `${owner}:${hexToBigInt(slot)}`
    const known = seen.get(key)
    if (known) return known
    const word = await anvil.rpc<Hex>('eth_getStorageAt', [
      owner,
      numberToHex(hexToBigInt(slot), { size: 32 }),
      before,
    ])
    const fresh = { original: hexToBigInt(word), current: hexToBigInt(word), wasRead: false }
    seen.set(key, fresh)
    return fresh
  }
  for (const [index, { op, depth, stack, gasCost }] of structLogs.entries()) {
    const owner = owners[depth] ?? tx.to
    const [top = '0x0', second = '0x0'] = stack.toReversed()
    if (op === 'SLOAD') (await slotOf(owner, top)).wasRead = true
    if (op === 'SSTORE') {
      const slot = await slotOf(owner, top)
      const { original, current } = slot
      const value = hexToBigInt(second)
      const first = original === 0n ? 20_000 : reset
      const cost = value === current || original !== current ? warm : first
      used += cost + (slot.wasRead ? 0 : cold) - gasCost
      if (value !== current) {
        if (original !== 0n && current === 0n) refund -= clearRefund
        if (original !== 0n && value === 0n) refund += clearRefund
        if (original !== current && original === value) {
          refund += (original === 0n ? 20_000 : reset) - warm
        }
      }
      Object.assign(slot, { current: value, wasRead: true })
    }
    if ((structLogs[index + 1]?.depth ?? 0) > depth) {
      const callee: Hex = `0x${second.slice(2).padStart(64, '0').slice(24)}`
      owners[depth + 1] = op === 'DELEGATECALL' || op === 'CALLCODE' ? owner : callee
    }
  }
  return BigInt(used - Math.min(refund, Math.floor(used / 2)))
}
