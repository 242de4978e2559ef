/** LayerZero's options of type 3 as their executor reads them. Pure. */
import { type Hex, size, slice } from 'viem'
import { type Address, toAddress } from '../../domain/primitives.js'

export interface Bought {
  readonly gas: bigint
  /** Wei. */
  readonly value: bigint
}

export interface ExecutorOptions {
  readonly receive: Bought
  /** Ether for accounts of the destination. */
  readonly drops: readonly { readonly to: Address; readonly amount: bigint }[]
  /** Keyed by the index of the compose message. */
  readonly composes: ReadonlyMap<number, Bought>
}

const executorWorker = 1

/** Options of one kind add up. What is for others than the executor is left out. */
export function executorOptions(options: Hex): ExecutorOptions {
  let receive: Bought = { gas: 0n, value: 0n }
  const drops: { to: Address; amount: bigint }[] = []
  const composes = new Map<number, Bought>()
  for (let place = 2; place < size(options); ) {
    const length = Number(slice(options, place + 1, place + 3))
    const option = slice(options, place + 3, place + 3 + length)
    if (Number(slice(options, place, place + 1)) === executorWorker) {
      const kind = Number(slice(option, 0, 1))
      if (kind === 1) receive = sum(receive, bought(slice(option, 1)))
      if (kind === 2) {
        drops.push({ amount: BigInt(slice(option, 1, 17)), to: toAddress(slice(option, 29, 49)) })
      }
      if (kind === 3) {
        const index = Number(slice(option, 1, 3))
        const before = composes.get(index) ?? { gas: 0n, value: 0n }
        composes.set(index, sum(before, bought(slice(option, 3))))
      }
    }
    place += 3 + length
  }
  return { receive, drops, composes }
}

/** Gas 16 bytes, value 16 or none. */
function bought(amounts: Hex): Bought {
  const value = size(amounts) > 16 ? BigInt(slice(amounts, 16)) : 0n
  return { gas: BigInt(slice(amounts, 0, 16)), value }
}

function sum(a: Bought, b: Bought): Bought {
  return { gas: a.gas + b.gas, value: a.value + b.value }
}
