/** A chain with accounts of every kind at some blocks, and what a node gives of them value by value. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Address, BlockPin, Hex } from '../../../src/domain/primitives.js'
import { toPin } from '../../../src/rpc/node/header.js'
import {
  balanceKey,
  codeKey,
  type ItemKey,
  nonceKey,
  storageKey,
} from '../../../src/rpc/node/state-item.js'
import { createUpstream, type Upstream } from '../../../src/rpc/node/upstream.js'
import { startAnvil, type TestAnvil } from '../anvil.js'
import {
  type Behaviour,
  count,
  type FaultyNode,
  startFaultyNode,
  withoutOverrides,
} from './rpc-node.js'

export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
export const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
export const address = (n: number): Address =>
  `0x${(0xabcd0000n + BigInt(n)).toString(16).padStart(40, '1')}`
export const largest = 2n ** 256n - 1n

/** Stores the first word of the input in slot 0, which is 0 for a call without input. */
const storingCode = '0x5f355f5500'
export const contracts = Array.from({ length: 20 }, (_, n) => address(n))
export const storing = address(100)
/** Without code, but with storage of their own. */
const codeless = address(101)
const delegated = address(102)
const nobody = address(103)
const sender = address(104)
const factory = address(105)
const precompile: Address = '0x0000000000000000000000000000000000000004'
const zero: Address = '0x0000000000000000000000000000000000000000'
/** Small slots, hashed ones, the last one, and one whose digits begin with zeros. */
export const slots = [0n, 1n, 255n, 256n, 2n ** 64n, largest / 3n, largest - 5n, largest]
export const everyone = [
  ...contracts,
  ...[storing, codeless, delegated, nobody, sender, factory, precompile, zero],
]
export const keys: readonly ItemKey[] = everyone.flatMap((account) => [
  balanceKey(account),
  nonceKey(account),
  codeKey(account),
  ...slots.map((slot) => storageKey(account, hex(slot))),
])

export let anvil: TestAnvil
export let pins: readonly BlockPin[]
/** Closed after each test. */
export const open: { close(): Promise<void> }[] = []

export async function fill(chain: TestAnvil): Promise<void> {
  const set = (account: Address, slot: bigint, value: bigint) =>
    chain.rpc('anvil_setStorageAt', [account, word(slot), word(value)])
  for (const [n, account] of contracts.entries()) {
    // The last are clones: the same code.
    await chain.rpc('anvil_setCode', [account, hex(0x600000 + Math.min(n, 15))])
    await chain.rpc('anvil_setNonce', [account, hex(1 + (n % 3))])
    for (const [index, slot] of slots.entries()) {
      if ((n + index) % 3 === 0)
        await set(account, slot, n === 0 ? largest : (slot + BigInt(n + 1)) % largest)
    }
  }
  await chain.rpc('anvil_setCode', [storing, storingCode])
  for (const slot of slots) await set(storing, slot, 7n)
  await set(codeless, 1n, 9n)
  await chain.rpc('anvil_setCode', [delegated, `0xef0100${address(0).slice(2)}`])
  await chain.rpc('anvil_setNonce', [delegated, '0x51'])
  await set(delegated, 256n, 3n)
  await chain.rpc('anvil_setCode', [factory, '0x6001'])
  await chain.rpc('anvil_setNonce', [factory, hex(471_234)])
  await chain.rpc('anvil_setBalance', [sender, hex(10n ** 20n)])
  await chain.rpc('anvil_setBalance', [precompile, '0x1'])
  await chain.rpc('anvil_impersonateAccount', [sender])
}

export async function pinOf(chain: TestAnvil, block: string): Promise<BlockPin> {
  const pin = toPin(77, await chain.rpc('eth_getBlockByNumber', [block, false]))
  if (!pin) throw new Error('no block')
  return pin
}

export async function mine(value: bigint): Promise<void> {
  const call = { from: sender, to: storing, data: word(value), value: '0x1', gas: '0x186a0' }
  await anvil.rpc('eth_sendTransaction', [call])
  await anvil.rpc('evm_mine')
}

/** Call in a file. */
export function withAccounts(): void {
  beforeAll(async () => {
    anvil = await startAnvil(['--chain-id', '77', '--no-mining'])
    await fill(anvil)
    await anvil.rpc('anvil_mine', ['0x1'])
    for (const value of [0n, largest, 5n]) await mine(value)
    pins = await Promise.all(['0x1', '0x2', '0x3', '0x4'].map((block) => pinOf(anvil, block)))
  })
  afterAll(() => anvil.stop())
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()))
  })
}

export async function upstreamOver(
  behave: Behaviour | null,
  url = anvil.url,
  timeoutMs = 10_000,
): Promise<{ readonly upstream: Upstream; readonly node: FaultyNode }> {
  const node = await startFaultyNode(url, behave ? { behave } : {})
  const upstream = createUpstream({ chainId: 77, urls: [node.url], timeoutMs })
  open.push(upstream, node)
  await upstream.latestOf(0)
  node.requests.length = 0
  return { upstream, node }
}

export const readAll = (upstream: Upstream, pin: BlockPin, wanted = keys) =>
  Promise.all(wanted.map((key) => upstream.state(key, pin)))

const known = new Map<string, ReturnType<typeof readAll>>()

/** The values of a node that takes no overrides. */
export function plainValues(pin: BlockPin, wanted = keys): ReturnType<typeof readAll> {
  const id = `${pin.hash} ${wanted.length} ${wanted[0]}`
  const values = known.get(id) ?? readPlainly(pin, wanted)
  known.set(id, values)
  return values
}

async function readPlainly(pin: BlockPin, wanted: readonly ItemKey[]) {
  const { upstream, node } = await upstreamOver(withoutOverrides)
  const values = await readAll(upstream, pin, wanted)
  expect(values.every(({ ok }) => ok)).toBe(true)
  expect(count(node, 'eth_call')).toBe(0)
  // More where answers were late: those are asked for twice.
  expect(node.requests.flat().length).toBeGreaterThanOrEqual(wanted.length)
  return values
}

export async function plainValuesOf(chain: TestAnvil, pin: BlockPin, wanted: readonly ItemKey[]) {
  const { upstream } = await upstreamOver(withoutOverrides, chain.url)
  return readAll(upstream, pin, wanted)
}
