/** What a node tells of calls and of pools by one call: the values of single reads, or nothing. */
import { describe, expect, test } from 'vitest'
import type { Address, BlockPin, Hex } from '../../../src/domain/primitives.js'
import type { StateReader } from '../../../src/domain/state.js'
import {
  type ConcentratedSource,
  loadConcentrated,
  tickPlacesOf,
} from '../../../src/protocols/shared/concentrated/load.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { mappingSlot, toWord } from '../../../src/protocols/shared/storage-slots.js'
import { fromStored, type ItemKey, storageKey } from '../../../src/rpc/node/state-item.js'
import {
  address,
  anvil,
  contracts,
  pinOf,
  plainValues,
  storing,
  upstreamOver,
  withAccounts,
} from '../../support/nodes/accounts-chain.js'
import type { Behaviour } from '../../support/nodes/rpc-node.js'

withAccounts()

const manager = address(300)

interface Scene {
  readonly address: Address
  readonly base: bigint
  readonly spacing: number
  readonly tick: number
  readonly ticks: readonly number[]
  readonly isNetInSecondWord?: boolean
}

/** Below zero, at a border of words, with a tick in each of the words, and two pools in one account. */
const scenes: readonly Scene[] = [
  {
    address: address(301),
    base: 0n,
    spacing: 10,
    tick: -1,
    ticks: [-7_680, -2_560, -10, 0, 2_550],
  },
  {
    address: address(302),
    base: 0n,
    spacing: 200,
    tick: 51_200,
    ticks: [-51_200, 51_200, 102_200],
  },
  { address: address(303), base: 0n, spacing: 60, tick: -15_361, ticks: [-15_360, -15_420] },
  { address: address(304), base: 0n, spacing: 1, tick: 3, ticks: [], isNetInSecondWord: true },
  {
    address: address(305),
    base: 0n,
    spacing: 50,
    tick: 0,
    ticks: [0, 50],
    isNetInSecondWord: true,
  },
  { address: manager, base: 2n ** 200n, spacing: 60, tick: 100, ticks: [60, 120, 180] },
  { address: manager, base: 2n ** 201n, spacing: 10, tick: -100, ticks: [-110] },
]

function sourceOf({ address, base, spacing, isNetInSecondWord }: Scene): ConcentratedSource {
  const slots = { slot0: base, liquidity: base + 3n, ticks: base + 4n, tickBitmap: base + 5n }
  return {
    address,
    slots,
    tickSpacing: spacing,
    feePips: () => [500n, 500n] as const,
    ...(isNetInSecondWord && { isNetInSecondWord }),
  }
}

async function place(scene: Scene): Promise<void> {
  const { slots } = sourceOf(scene)
  const set = (slot: bigint, value: bigint) =>
    anvil.rpc('anvil_setStorageAt', [scene.address, toWord(slot), toWord(value)])
  // A pool's own code must not run.
  await anvil.rpc('anvil_setCode', [scene.address, '0x60006000fd'])
  const packed = BigInt.asUintN(24, BigInt(scene.tick)) << 160n
  await set(slots.slot0, packed | sqrtPriceAtTick(scene.tick))
  await set(slots.liquidity, 77n)
  const words = new Map<number, bigint>()
  for (const tick of scene.ticks) {
    const position = tick / scene.spacing
    const word = position >> 8
    words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(position - word * 256)))
    const record = mappingSlot(BigInt(tick), slots.ticks)
    await set(record, (5n << 128n) | 6n)
    await set(record + 1n, 7n)
  }
  for (const [word, bits] of words) await set(mappingSlot(BigInt(word), slots.tickBitmap), bits)
}

async function placed(): Promise<BlockPin> {
  for (const scene of scenes) await place(scene)
  await anvil.rpc('anvil_mine', ['0x1'])
  return pinOf(anvil, 'latest')
}

/** Counts what is not among the values. */
function readerOf(values: ReadonlyMap<ItemKey, Hex>, block: BlockPin) {
  let missing = 0
  const reader: StateReader = {
    block,
    storage: async (reads) =>
      reads.map(({ address, slot }) => {
        const key = storageKey(address, slot)
        const value = values.get(key)
        if (value === undefined) missing += 1
        return { ok: true, value: fromStored(key, value ?? '0x0') }
      }),
    call: async () => [],
  }
  return { reader, missing: () => missing }
}

describe('pools with ticks', () => {
  test('all that their load reads comes by one call, with the values of single reads', async () => {
    const pin = await placed()
    const { upstream } = await upstreamOver(null)
    const nobody = { ...scenes[0], address: address(399) } as Scene
    const asked = [nobody, ...scenes].map((scene) => tickPlacesOf(sourceOf(scene)))
    const found = await upstream.ticks(asked, pin)
    if (!found.ok) throw new Error(found.message)
    const keys = [...found.value.keys()]
    expect(keys.some((key) => key.includes(address(399).slice(2)))).toBe(false)
    const single = await plainValues(pin, keys)
    expect(single).toEqual([...found.value.values()].map((value) => ({ ok: true, value })))
    const { reader, missing } = readerOf(found.value, pin)
    const loads = await loadConcentrated(reader, scenes.map(sourceOf))
    expect(loads.map((load) => load.ok && load.state.tick)).toEqual(scenes.map(({ tick }) => tick))
    expect(loads.flatMap((load) => (load.ok ? load.state.ticks : []))).not.toEqual([])
    expect(missing()).toBe(0)
  })
})

describe('calls', () => {
  const calls = [storing, ...contracts.slice(0, 3), address(398)].map((to) => ({
    to,
    data: toWord(9n),
  }))

  test('what they touch comes with the values of single reads, their sender left out', async () => {
    const pin = await pinOf(anvil, 'latest')
    const { upstream } = await upstreamOver(null)
    expect(upstream.tellsPrestates()).toBe(true)
    const found = await upstream.prestate(calls, pin, address(397))
    if (!found.ok) throw new Error(found.message)
    const keys = [...found.value.keys()]
    expect(keys).toContain(storageKey(storing, '0x0'))
    expect(keys.some((key) => key.includes(address(397).slice(2)))).toBe(false)
    for (const { to } of calls) expect(keys).toContain(`c${to.slice(2)}`)
    const single = await plainValues(pin, keys)
    expect(single).toEqual([...found.value.values()].map((value) => ({ ok: true, value })))
  })

  test.each<[string, Behaviour]>([
    [
      'of another block',
      () => ({
        rewrite: (call) =>
          call.method === 'debug_traceCall'
            ? { ...call, params: [call.params[0], '0x4', call.params[2]] }
            : call,
      }),
    ],
    [
      'of calls that were not made',
      () => ({
        rewrite: (call) =>
          call.method === 'debug_traceCall'
            ? { ...call, params: [...call.params.slice(0, 2), { tracer: 'prestateTracer' }] }
            : call,
      }),
    ],
    [
      'of another form',
      () => ({
        edit: (call, reply) =>
          call.method === 'debug_traceCall' ? { ...reply, result: { gas: 1 } } : reply,
      }),
    ],
  ])(
    'an answer %s brings nothing, and the node counts as one that tells nothing',
    async (_what, behave) => {
      const pin = await pinOf(anvil, 'latest')
      const { upstream } = await upstreamOver(behave)
      expect(upstream.tellsPrestates()).toBe(false)
      expect(await upstream.prestate(calls, pin, undefined)).toMatchObject({ ok: false })
    },
  )
})
