/** Many values by one call: the same as value by value, whatever the node makes of calls with overrides. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
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
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  type Behaviour,
  count,
  type FaultyNode,
  isWithOverrides,
  type NodeCall,
  startFaultyNode,
  withoutOverrides,
} from '../../support/nodes/rpc-node.js'

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const address = (n: number): Address =>
  `0x${(0xabcd0000n + BigInt(n)).toString(16).padStart(40, '1')}`
const largest = 2n ** 256n - 1n

/** Stores the first word of the input in slot 0, which is 0 for a call without input. */
const storingCode = '0x5f355f5500'
const contracts = Array.from({ length: 20 }, (_, n) => address(n))
const storing = address(100)
/** Without code, but with storage of their own. */
const codeless = address(101)
const delegated = address(102)
const nobody = address(103)
const sender = address(104)
const factory = address(105)
const precompile: Address = '0x0000000000000000000000000000000000000004'
const zero: Address = '0x0000000000000000000000000000000000000000'
/** Small slots, hashed ones, the last one, and one whose digits begin with zeros. */
const slots = [0n, 1n, 255n, 256n, 2n ** 64n, largest / 3n, largest - 5n, largest]
const everyone = [
  ...contracts,
  ...[storing, codeless, delegated, nobody, sender, factory, precompile, zero],
]
const keys: readonly ItemKey[] = everyone.flatMap((account) => [
  balanceKey(account),
  nonceKey(account),
  codeKey(account),
  ...slots.map((slot) => storageKey(account, hex(slot))),
])

let anvil: TestAnvil
let pins: readonly BlockPin[]
const open: { close(): Promise<void> }[] = []

async function fill(chain: TestAnvil): Promise<void> {
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

async function pinOf(chain: TestAnvil, block: string): Promise<BlockPin> {
  const pin = toPin(77, await chain.rpc('eth_getBlockByNumber', [block, false]))
  if (!pin) throw new Error('no block')
  return pin
}

async function mine(value: bigint): Promise<void> {
  const call = { from: sender, to: storing, data: word(value), value: '0x1', gas: '0x186a0' }
  await anvil.rpc('eth_sendTransaction', [call])
  await anvil.rpc('evm_mine')
}

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

async function upstreamOver(
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

const readAll = (upstream: Upstream, pin: BlockPin, wanted = keys) =>
  Promise.all(wanted.map((key) => upstream.state(key, pin)))

const known = new Map<string, ReturnType<typeof readAll>>()

/** The values of a node that takes no overrides. */
function plainValues(pin: BlockPin, wanted = keys): ReturnType<typeof readAll> {
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
  expect(node.requests.flat()).toHaveLength(wanted.length)
  return values
}

describe('values in bulk', () => {
  test('of accounts of every kind, at several blocks up and down: those of single reads', async () => {
    const { upstream, node } = await upstreamOver(null)
    const calls: number[] = []
    for (const at of [3, 0, 1, 2, 3, 0]) {
      const pin = pins[at] as BlockPin
      node.requests.length = 0
      expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
      calls.push(node.requests.flat().length)
    }
    // Code and unusual nonces are read once; slots and nonces of precompiles and of the zero account are read singly.
    const single = 2 * (slots.length + 1)
    expect(calls[0]).toBeLessThanOrEqual(single + 2 * everyone.length + 8)
    for (const later of calls.slice(1)) expect(later).toBeLessThanOrEqual(single + 8)
    expect(keys).toHaveLength(308)
  })

  test('a block named by its number alone, and two blocks at once', async () => {
    const { upstream } = await upstreamOver(null)
    const [first, second] = [pins[1] as BlockPin, pins[2] as BlockPin]
    const byNumber = Promise.all(keys.map((key) => upstream.finalState(key, first.number)))
    const both = await Promise.all([byNumber, readAll(upstream, second)])
    expect(both).toEqual([await plainValues(first), await plainValues(second)])
  })

  test('a code, a nonce and a balance that change between two blocks', async () => {
    const changed = address(7)
    const wanted = contracts.flatMap((one) => [codeKey(one), nonceKey(one), balanceKey(one)])
    const { upstream } = await upstreamOver(null)
    const before = await anvil.rpc('evm_snapshot')
    try {
      const first = pins[3] as BlockPin
      expect(await readAll(upstream, first, wanted)).toEqual(await plainValues(first, wanted))
      await anvil.rpc('anvil_setCode', [changed, '0x60606060'])
      await anvil.rpc('anvil_setNonce', [changed, '0x999'])
      await anvil.rpc('anvil_setBalance', [changed, word(largest)])
      await anvil.rpc('anvil_setCode', [address(8), '0x'])
      await anvil.rpc('evm_mine')
      const next = await pinOf(anvil, 'latest')
      expect(await readAll(upstream, next, wanted)).toEqual(await plainValues(next, wanted))
    } finally {
      await anvil.rpc('evm_revert', [before])
    }
  })

  test('thousands of slots of one account', async () => {
    const { upstream, node } = await upstreamOver(null)
    const pin = pins[3] as BlockPin
    const many = Array.from({ length: 3_000 }, (_, n) => storageKey(storing, hex(n)))
    expect(await readAll(upstream, pin, many)).toEqual(await plainValues(pin, many))
    expect(node.requests.flat().length).toBeLessThanOrEqual(10)
  })
})

/** Answers to calls that read in bulk, as this node gives them. */
const answering = (change: (result: Hex, call: NodeCall) => object): Behaviour => {
  return () => ({
    edit: (call, reply) =>
      isBulk(call) && typeof reply.result === 'string'
        ? { jsonrpc: '2.0', id: call.id, ...change(reply.result as Hex, call) }
        : reply,
  })
}

/** Unlike the call that finds out whether the node takes overrides, it names who calls. */
const isBulk = (call: NodeCall): boolean =>
  isWithOverrides(call) && 'from' in (call.params[0] as object)

const overridesOf = (call: NodeCall) => call.params[2] as Record<Address, { code: Hex }>

function overriding(
  change: (overrides: Record<Address, { code: Hex }>) => Record<Address, object>,
): Behaviour {
  return () => ({
    rewrite: (call) =>
      isBulk(call)
        ? { ...call, params: [call.params[0], call.params[1], change(overridesOf(call))] }
        : call,
  })
}

const atBlock = (call: NodeCall, block: string): NodeCall => ({
  ...call,
  params: [call.params[0], block, call.params[2]],
})

const refusal = (message: string) => ({ error: { code: -32000, message } })

describe('a node that', () => {
  test.each<[string, Behaviour]>([
    ['gives nothing for an answer', answering(() => ({ result: '0x' }))],
    ['answers null', answering(() => ({ result: null }))],
    ['answers zeros', answering((result) => ({ result: result.replace(/[1-9a-f]/g, '0') }))],
    ['answers a word less', answering((result) => ({ result: result.slice(0, -64) }))],
    ['answers a word more', answering((result) => ({ result: `${result}${'0'.repeat(64)}` }))],
    ['gives the first word only', answering((result) => ({ result: result.slice(0, 66) }))],
    ['answers half of the digits', answering((result) => ({ result: result.slice(0, -32) }))],
    ['refuses', answering(() => refusal('state override is not supported here'))],
    ['fails within', answering(() => ({ error: { code: -32603, message: 'internal error' } }))],
    ['allows little gas', answering(() => refusal('out of gas: gas required exceeds: 100000'))],
    ['ignores the overrides', overriding(() => ({}))],
    [
      'applies only the first override',
      overriding((all) => Object.fromEntries(Object.entries(all).slice(0, 1))),
    ],
    [
      'empties the storage of accounts whose code it replaces',
      overriding((all) => mapped(all, (one) => ({ ...one, state: {} }))),
    ],
    [
      'makes the accounts new whose code it replaces',
      overriding((all) =>
        mapped(all, (one) => ({ ...one, state: {}, nonce: '0x0', balance: '0x0' })),
      ),
    ],
    [
      'forgets the nonces of accounts whose code it replaces',
      overriding((all) => mapped(all, (one) => ({ ...one, nonce: '0x0' }))),
    ],
    [
      'forgets the balances of accounts whose code it replaces',
      overriding((all) => mapped(all, (one) => ({ ...one, balance: '0x0' }))),
    ],
  ])('%s: the values are read one by one', async (_what, behave) => {
    // The other way round, the first slots are zero.
    for (const wanted of [keys, keys.toReversed()]) {
      const { upstream } = await upstreamOver(behave)
      for (const pin of [pins[1], pins[3]] as BlockPin[]) {
        expect(await readAll(upstream, pin, wanted)).toEqual(await plainValues(pin, wanted))
      }
    }
  })

  test('refuses calls at old blocks only: these are read one by one, after two calls for each kind, and the others in bulk', async () => {
    const [old, older, newest] = [pins[1], pins[0], pins[3]] as BlockPin[]
    const { upstream, node } = await upstreamOver((calls) => ({
      edit: (call, reply) => {
        const isNew = JSON.stringify(call.params[1] ?? null).includes(newest?.hash ?? '')
        return calls.length > 0 && isBulk(call) && !isNew
          ? { id: call.id, ...refusal('missing trie node: overrides of historical state') }
          : reply
      },
    }))
    expect(await readAll(upstream, newest as BlockPin)).toEqual(
      await plainValues(newest as BlockPin),
    )
    expect(await readAll(upstream, old as BlockPin)).toEqual(await plainValues(old as BlockPin))
    node.requests.length = 0
    expect(await readAll(upstream, older as BlockPin)).toEqual(await plainValues(older as BlockPin))
    expect(count(node, 'eth_call')).toBe(0)
    expect(upstream.readsInBulk(older?.number ?? 0n)).toBe(false)
    node.requests.length = 0
    expect(await readAll(upstream, newest as BlockPin)).toEqual(
      await plainValues(newest as BlockPin),
    )
    expect(node.requests.flat().length).toBeLessThan(40)
  })

  test.each<[string, (call: NodeCall) => NodeCall]>([
    ['runs calls in its newest block, whichever is asked for', (call) => atBlock(call, 'latest')],
    ['runs calls in a later block', (call) => atBlock(call, hex((pins[2] as BlockPin).number))],
  ])('%s: none of it is taken', async (_what, change) => {
    const { upstream } = await upstreamOver(() => ({
      rewrite: (call) => (isBulk(call) ? change(call) : call),
    }))
    for (const pin of [pins[0], pins[1]] as const) {
      expect(await readAll(upstream, pin as BlockPin)).toEqual(await plainValues(pin as BlockPin))
    }
  })

  test('gives values of another block under the number of the one that was asked for: read singly from the first that differs', async () => {
    const { upstream, node } = await upstreamOver(null)
    for (const pin of [pins[1], pins[2]] as const) {
      expect(await readAll(upstream, pin as BlockPin)).toEqual(await plainValues(pin as BlockPin))
    }
    const [newest, other] = [pins[3] as BlockPin, pins[1] as BlockPin]
    const values = new Map<string, Hex>()
    node.behave = async (calls) => {
      for (const call of calls.filter(isBulk)) {
        const reply = (await anvil.rpc('eth_call', [
          call.params[0],
          hex(other.number),
          call.params[2],
        ])) as Hex
        // All but the number of the block and the gas.
        values.set(JSON.stringify(call.params), reply.slice(0, -128) as Hex)
      }
      return {
        edit: (call, reply) => {
          const stale = values.get(JSON.stringify(call.params))
          return stale ? { ...reply, result: `${stale}${String(reply.result).slice(-128)}` } : reply
        },
      }
    }
    expect(await readAll(upstream, newest)).toEqual(await plainValues(newest))
    expect(upstream.readsInBulk(newest.number)).toBe(false)
  })

  test('does not have the block yet: it is not asked for every value, and not doubted', async () => {
    const { upstream, node } = await upstreamOver(null)
    const pin = pins[3] as BlockPin
    await readAll(upstream, pins[2] as BlockPin)
    node.requests.length = 0
    const missing = { number: pin.number + 200n, hash: word(0xabcn) }
    const answers = await readAll(upstream, missing as BlockPin)
    expect(answers.every(({ ok }) => !ok)).toBe(true)
    expect(node.requests.flat().length).toBeLessThan(80)
    expect(upstream.readsInBulk(missing.number)).toBe(true)
  })

  test('leaves out the override of one account: that one is read singly, and what it ran there changes no other value', async () => {
    const pin = pins[3] as BlockPin
    const { upstream, node } = await upstreamOver(
      overriding(({ [storing]: _left, ...others }) => others),
    )
    expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
    node.requests.length = 0
    expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
    expect(node.requests.flat().length).toBeLessThan(40)
  })

  test.each<[string, Behaviour]>([
    [
      'limits the size of answers',
      answering((result) =>
        result.length > 8_000 ? refusal('response is too large') : { result },
      ),
    ],
    [
      'limits the size of overrides',
      answering((result, call) =>
        JSON.stringify(call.params).length > 20_000 ? refusal('request too large') : { result },
      ),
    ],
  ])('%s: smaller calls, which it is asked for from then on', async (_what, behave) => {
    const pin = pins[3] as BlockPin
    const { upstream, node } = await upstreamOver(behave)
    const many = Array.from({ length: 1_500 }, (_, n) =>
      storageKey(storing, word(largest - BigInt(n))),
    )
    expect(await readAll(upstream, pin, many)).toEqual(await plainValues(pin, many))
    expect(node.requests.flat().length).toBeLessThan(60)
    const before = pins[2] as BlockPin
    node.requests.length = 0
    expect(await readAll(upstream, before, many)).toEqual(await plainValues(before, many))
    expect(count(node, 'eth_getStorageAt')).toBeLessThanOrEqual(2)
    expect(node.requests.flat().length).toBeLessThanOrEqual(34)
  })

  test('limits the gas of a call without a word: smaller calls', async () => {
    // A reader that runs out of gas fails by itself, and the call around it may still succeed.
    const small = await startAnvil(['--chain-id', '77', '--no-mining', '--gas-limit', '900000'])
    try {
      await fill(small)
      await small.rpc('anvil_mine', ['0x1'])
      const pin = await pinOf(small, '0x1')
      const many = Array.from({ length: 1_200 }, (_, n) => storageKey(storing, hex(n)))
      const { upstream, node } = await upstreamOver(null, small.url)
      expect(await readAll(upstream, pin, [...keys, ...many])).toEqual(
        await plainValuesOf(small, pin, [...keys, ...many]),
      )
      node.requests.length = 0
      expect(await readAll(upstream, pin, many)).toEqual(await plainValuesOf(small, pin, many))
      expect(count(node, 'eth_getStorageAt')).toBeLessThanOrEqual(2)
      expect(node.requests.flat().length).toBeLessThan(40)
    } finally {
      await small.stop()
    }
  })

  test('answers calls in bulk with 413 or not at all: everything is read in time', async () => {
    const pin = pins[3] as BlockPin
    for (const fault of [{ status: 413 }, { status: 504 }, 'hang'] as const) {
      const { upstream } = await upstreamOver(
        (calls) => (calls.some(isBulk) ? fault : null),
        anvil.url,
        1_500,
      )
      expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
    }
  })

  test('is not alone: what the one refuses in bulk it gives singly, and the other is not needed', async () => {
    const pin = pins[3] as BlockPin
    const [a, b] = await Promise.all([startFaultyNode(anvil.url), startFaultyNode(anvil.url)])
    const upstream = createUpstream({ chainId: 77, urls: [a.url, b.url] })
    open.push(upstream, a, b)
    await Promise.all([upstream.latestOf(0), upstream.latestOf(1)])
    a.behave = answering(() => refusal('no'))
    b.requests.length = 0
    expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
    expect(b.requests).toEqual([])
  })
})

describe('a reorg', () => {
  const byNumberOnly: Behaviour = () => ({
    edit: (call, reply) =>
      JSON.stringify(call.params).includes('blockHash') && call.method !== 'eth_getLogs'
        ? { jsonrpc: '2.0', id: call.id, error: { code: -32602, message: 'invalid argument' } }
        : reply,
  })

  test.each<[string, Behaviour | null]>([
    ['by hash', null],
    ['by number', byNumberOnly],
  ])('between two reads %s: none of the values is of the other branch', async (_how, behave) => {
    const before = await anvil.rpc('evm_snapshot')
    const { upstream } = await upstreamOver(behave)
    await mine(11n)
    const gone = await pinOf(anvil, 'latest')
    expect(await readAll(upstream, gone)).toEqual(await plainValues(gone))
    await anvil.rpc('evm_revert', [before])
    const again = await anvil.rpc('evm_snapshot')
    try {
      await anvil.rpc('evm_increaseTime', [100])
      await mine(12n)
      const there = await pinOf(anvil, 'latest')
      expect(there.number).toBe(gone.number)
      const answers = await readAll(upstream, gone)
      expect(answers.filter(({ ok }) => ok)).toEqual([])
      expect(await readAll(upstream, there)).toEqual(await plainValues(there))
    } finally {
      await anvil.rpc('evm_revert', [again])
    }
  })
})

function mapped<T>(all: Record<Address, T>, change: (one: T) => object): Record<Address, object> {
  return Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]))
}

async function plainValuesOf(chain: TestAnvil, pin: BlockPin, wanted: readonly ItemKey[]) {
  const { upstream } = await upstreamOver(withoutOverrides, chain.url)
  return readAll(upstream, pin, wanted)
}
