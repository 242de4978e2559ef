/** Many values by one call: what becomes of them at nodes that make something else of calls with overrides. */
import { describe, expect, test } from 'vitest'
import type { Address, BlockPin, Hex } from '../../../src/domain/primitives.js'
import { type ItemKey, storageKey } from '../../../src/rpc/node/state-item.js'
import { createUpstream } from '../../../src/rpc/node/upstream.js'
import { startAnvil } from '../../support/anvil.js'
import {
  anvil,
  fill,
  hex,
  keys,
  largest,
  open,
  pinOf,
  pins,
  plainValues,
  plainValuesOf,
  readAll,
  storing,
  upstreamOver,
  withAccounts,
  word,
} from '../../support/nodes/accounts-chain.js'
import {
  type Behaviour,
  count,
  isWithOverrides,
  type NodeCall,
  startFaultyNode,
} from '../../support/nodes/rpc-node.js'

withAccounts()

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

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

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
    const [old, fresh] = [pins[0] as BlockPin, pins[1] as BlockPin]
    expect(await readAll(upstream, fresh)).toEqual(await plainValues(fresh))
    // Of an older block the single reads are of another one, for all that can be told.
    const values = await plainValues(old)
    const answers = await readAll(upstream, old)
    const refused = answers.filter(({ ok }) => !ok)
    expect(refused.length).toBeGreaterThan(keys.length / 2)
    expect(answers.filter((one, index) => one.ok && !isEqual(one, values[index]))).toEqual([])
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
    expect(node.requests.flat().length).toBeLessThan(keys.length)
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
    const { hedges } = upstream.counters
    expect(await readAll(upstream, before, many)).toEqual(await plainValues(before, many))
    // What is late on a busy machine is asked for twice.
    const copies = upstream.counters.hedges - hedges
    expect(count(node, 'eth_getStorageAt')).toBeLessThanOrEqual(2 * (1 + copies))
    expect(node.requests.flat().length).toBeLessThanOrEqual(34 + 2 * copies)
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
      const { hedges } = upstream.counters
      expect(await readAll(upstream, pin, many)).toEqual(await plainValuesOf(small, pin, many))
      const copies = upstream.counters.hedges - hedges
      expect(count(node, 'eth_getStorageAt')).toBeLessThanOrEqual(2 * (1 + copies))
      expect(node.requests.flat().length).toBeLessThan(40 + 2 * copies)
    } finally {
      await small.stop()
    }
  })

  test('says twice that it has not found an old block, and then has it: later calls are as large as before', async () => {
    const pin = pins[0] as BlockPin
    const { upstream, node } = await upstreamOver(null)
    const slotsFrom = (first: number) =>
      Array.from({ length: 3_000 }, (_, n) => storageKey(storing, hex(first + n)))
    const callsToRead = async (wanted: readonly ItemKey[]) => {
      node.requests.length = 0
      await readAll(upstream, pin, wanted)
      return count(node, 'eth_call')
    }
    // The first ones are read again beside a value that is not zero.
    await callsToRead(slotsFrom(0))
    const usual = await callsToRead(slotsFrom(4_000))
    let left = 2
    node.behave = () => ({
      edit: (call, reply) =>
        isBulk(call) && left-- > 0 ? { id: call.id, ...refusal('header not found') } : reply,
    })
    const few = slotsFrom(8_000).slice(0, 20)
    expect(await readAll(upstream, pin, few)).toEqual(await plainValues(pin, few))
    expect(left).toBeLessThan(0)
    expect(await callsToRead(slotsFrom(12_000))).toBe(usual)
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

function mapped<T>(all: Record<Address, T>, change: (one: T) => object): Record<Address, object> {
  return Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]))
}
