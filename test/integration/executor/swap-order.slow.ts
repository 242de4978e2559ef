/** The packed order as TypeScript reads it and as the contract's own library does: the same on any bytes. */
import fc from 'fast-check'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ForkrouteError } from '../../../src/domain/errors.js'
import { type PackedSwap, packSwap, readSwap } from '../../../src/executor/swap-order.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { packedSwaps, swapCallData } from '../../support/packed-swaps.js'
import { compileMocks, deploy } from './executor-contracts.js'

const families = ['v2', 'v2-measured', 'v3', 'v4'] as const
const perCall = 500
const seed = 20_240_613

interface Reading {
  readonly ok: boolean
  readonly head: {
    readonly flags: bigint
    readonly deadline: bigint
    readonly amountIn: bigint
    readonly minimum: bigint
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly accountId: Hex
    readonly referralCode: Hex
    readonly receiver: Address
    readonly feeReceiver: Address
    readonly fee: bigint
  }
  readonly hops: readonly {
    readonly family: bigint
    readonly zeroForOne: boolean
    readonly isLast: boolean
    readonly share: bigint
    readonly target: Address
    readonly tokenIn: Address
    readonly tokenOut: Address
    readonly fee: number
    readonly tickSpacing: number
  }[]
}

const { OrderReader } = compileMocks()
let anvil: TestAnvil
let reader: Address

beforeAll(async () => {
  anvil = await startAnvil(['--gas-limit', '100000000000'])
  const [from] = await anvil.rpc<Address[]>('eth_accounts')
  if (!from) throw new Error('Anvil has no account')
  reader = await deploy(anvil, from, OrderReader)
})
afterAll(() => anvil.stop())

/** What the contract reads of each order; null: it refuses. */
async function readOnChain(orders: readonly Hex[]): Promise<(PackedSwap | null)[]> {
  const abi = OrderReader?.abi ?? []
  const readings: (PackedSwap | null)[] = []
  for (let from = 0; from < orders.length; from += perCall) {
    const args = [orders.slice(from, from + perCall)]
    const data = encodeFunctionData({ abi, functionName: 'readAll', args })
    const result = await anvil.rpc<Hex>('eth_call', [
      { to: reader, data, gas: '0x174876e800' },
      'latest',
    ])
    const decoded = decodeFunctionResult({ abi, functionName: 'readAll', data: result })
    readings.push(...(decoded as Reading[]).map(toSwap))
  }
  return readings
}

function toSwap({ ok, head, hops }: Reading): PackedSwap | null {
  if (!ok) return null
  const has = (flag: bigint) => (head.flags & flag) !== 0n
  return {
    deadline: has(1n) ? head.deadline : null,
    amountIn: has(2n) || has(64n) ? null : head.amountIn,
    minimum: head.minimum,
    tokenIn: lower(head.tokenIn),
    tokenOut: lower(head.tokenOut),
    wraps: has(2n),
    unwraps: has(4n),
    tags: has(8n) ? { accountId: head.accountId, referralCode: head.referralCode } : null,
    receiver: has(16n) ? lower(head.receiver) : null,
    fee: has(32n) ? { receiver: lower(head.feeReceiver), amount: head.fee } : null,
    hops: hops.map(({ family, share, ...hop }) => ({
      ...hop,
      family: families[Number(family)] ?? 'v2',
      share: Number(share),
      target: lower(hop.target),
      tokenIn: lower(hop.tokenIn),
      tokenOut: lower(hop.tokenOut),
    })),
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}

function readHere(data: Hex): PackedSwap | null {
  try {
    return readSwap(data)
  } catch (error) {
    if (error instanceof ForkrouteError) return null
    throw error
  }
}

describe('readSwap against SwapOrders.sol', () => {
  test(`4000 well-formed orders are read as they were packed (seed ${seed})`, async () => {
    const swaps = fc.sample(packedSwaps, { numRuns: 4_000, seed })
    expect(await readOnChain(swaps.map(packSwap))).toEqual(swaps)
  })

  test(`8000 orders cut, lengthened, changed or made up are read or refused alike (seed ${seed})`, async () => {
    const orders = fc.sample(swapCallData, { numRuns: 8_000, seed })
    const onChain = await readOnChain(orders)
    expect(onChain).toEqual(orders.map(readHere))
    const accepted = onChain.filter((reading) => reading !== null).length
    expect(accepted).toBeGreaterThan(1_000)
    expect(accepted).toBeLessThan(7_000)
  })

  test('an order with any one of its bits flipped is read or refused alike', async () => {
    const long = packedSwaps.filter(({ hops }) => hops.length > 4 && hops.length < 8)
    const orders = fc.sample(long, { numRuns: 3, seed }).flatMap((swap) => {
      const data = packSwap(swap)
      const bits = (data.length - 10) * 4
      return Array.from({ length: bits }, (_, bit) => flip(data, bit))
    })
    expect(await readOnChain(orders)).toEqual(orders.map(readHere))
  })
})

/** @param bit - counted from behind the selector. */
function flip(data: Hex, bit: number): Hex {
  const digit = 10 + (bit >> 2)
  const flipped = Number.parseInt(data[digit] ?? '0', 16) ^ (1 << (bit & 3))
  return `${data.slice(0, digit)}${flipped.toString(16)}${data.slice(digit + 1)}` as Hex
}
