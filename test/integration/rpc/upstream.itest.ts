import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address, BlockPin } from '../../../src/domain/primitives.js'
import { toPin } from '../../../src/rpc/node/header.js'
import { balanceKey, codeKey, storageKey } from '../../../src/rpc/node/state-item.js'
import {
  createUpstream,
  type Upstream,
  type UpstreamOptions,
} from '../../../src/rpc/node/upstream.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  type Behaviour,
  count,
  type FaultyNode,
  faultFor,
  secretKey,
  startFaultyNode,
  withoutOverrides,
} from '../../support/nodes/rpc-node.js'

const alice: Address = '0x00000000000000000000000000000000000a11ce'
const bob: Address = '0x0000000000000000000000000000000000000b0b'

let anvil: TestAnvil
let pin: BlockPin
const open: { close(): Promise<void> }[] = []
const logs: string[] = []

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', '77', '--no-mining'])
  await anvil.rpc('anvil_setBalance', [alice, '0x7b'])
  await anvil.rpc('anvil_setCode', [bob, '0x6001'])
  await anvil.rpc('anvil_setStorageAt', [bob, '0x0', `0x${'2a'.padStart(64, '0')}`])
  await anvil.rpc('anvil_mine', ['0x3'])
  const block = toPin(77, await anvil.rpc('eth_getBlockByNumber', ['latest', false]))
  if (!block) throw new Error('no block')
  pin = block
})

afterAll(() => anvil.stop())

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
  expect(logs.join('\n')).not.toContain(secretKey)
  logs.length = 0
})

async function node(behave?: Behaviour): Promise<FaultyNode> {
  const started = await startFaultyNode(anvil.url, behave ? { behave } : {})
  open.push(started)
  return started
}

function upstreamOf(
  nodes: readonly { url: string }[],
  more: Partial<UpstreamOptions> = {},
): Upstream {
  const upstream = createUpstream({
    chainId: 77,
    urls: nodes.map(({ url }) => url),
    onLog: (_level, message) => logs.push(message),
    ...more,
  })
  open.unshift(upstream)
  return upstream
}

const value = (text: string) => ({ ok: true, value: text })

describe('createUpstream', () => {
  test('reads balance, code and storage of a block in one HTTP request', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    const before = a.requests.length
    const answers = await Promise.all([
      upstream.state(balanceKey(alice), pin),
      upstream.state(codeKey(bob), pin),
      upstream.state(storageKey(bob, '0x00'), pin),
      upstream.state(storageKey(bob, '0x1'), pin),
    ])
    expect(answers).toEqual([value('0x7b'), value('0x6001'), value('0x2a'), value('0x0')])
    expect(a.requests.length - before).toBe(1)
  })

  test('finds out what the node can do', async () => {
    const upstream = upstreamOf([await node()])
    await upstream.latestOf(0)
    expect(upstream.nodes()[0]).toMatchObject({
      name: 'node 1 of chain 77',
      usable: true,
      problem: null,
      abilities: { ethCall: true, overrides: true, logs: true, batch: true, blockHash: true },
    })
  })

  test('equal reads in flight are one call', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let reached = () => {}
    const arrived = new Promise<void>((resolve) => {
      reached = resolve
    })
    a.behave = async () => {
      reached()
      await gate
      return null
    }
    const before = count(a, 'eth_getBalance')
    const first = upstream.state(balanceKey(alice), pin)
    await arrived
    const later = [1, 2, 3].map(() => upstream.state(balanceKey(alice), pin))
    release()
    expect(await Promise.all([first, ...later])).toEqual(Array(4).fill(value('0x7b')))
    expect(count(a, 'eth_getBalance') - before).toBe(1)
    expect(upstream.counters.coalesced).toBe(3)
  })

  test('a 429 with retry-after 0 is retried at once', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = faultFor('eth_getBalance', 1, { status: 429, headers: { 'retry-after': '0' } })
    expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
    expect(logs.join()).toContain('node 1 of chain 77: limits requests (HTTP 429)')
  })

  const limited: Behaviour = () => ({ status: 429, headers: { 'retry-after': '30' } })

  test('a node that asks for a pause is left alone while another answers', async () => {
    const [a, b] = [await node(), await node()]
    const upstream = upstreamOf([a, b])
    await upstream.latestOf(0)
    a.behave = limited
    const before = a.requests.length
    for (const address of [alice, bob]) await upstream.state(balanceKey(address), pin)
    expect(a.requests.length - before).toBe(1)
    expect(count(b, 'eth_getBalance')).toBeGreaterThanOrEqual(2)
  })

  test('a pause longer than the time for a read ends it: UPSTREAM_UNAVAILABLE', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = limited
    await expect(upstream.state(balanceKey(alice), pin)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('limits requests'),
    })
  })

  test('a rate limit inside a JSON-RPC answer is retried, not taken as unreadable', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = faultFor('eth_getBalance', 2, {
      edit: ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'rate limited' } }),
    })
    expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
  })

  test('a 503 twice, then an answer', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = faultFor('eth_getBalance', 2, { status: 503 })
    expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
    expect(upstream.counters.retries).toBe(2)
  })

  test('a node that hangs is left for the next one', async () => {
    const [a, b] = [await node(), await node()]
    const upstream = upstreamOf([a, b])
    await Promise.all([upstream.latestOf(0), upstream.latestOf(1)])
    a.behave = () => 'hang'
    const before = count(a, 'eth_getBalance')
    for (let read = 0; read < 4; read += 1) {
      expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
    }
    expect(count(b, 'eth_getBalance')).toBeGreaterThanOrEqual(4)
    // After two late answers the other one is asked first.
    expect(count(a, 'eth_getBalance') - before).toBe(2)
    expect(logs.join()).toContain('node 1 of chain 77: its answers are late.')
  })

  test('no node answers: UPSTREAM_UNAVAILABLE that names the nodes and hides their URLs', async () => {
    const a = await node()
    const upstream = upstreamOf([a, { url: `http://user:${secretKey}@127.0.0.1:9/` }])
    await upstream.latestOf(0)
    a.behave = () => ({ status: 500, body: `failed at ${a.url}` })
    const error = await upstream.state(balanceKey(alice), pin).then(
      () => null,
      (reason) => reason,
    )
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { chainId: 77 } })
    expect(error.message).toContain('node 1 of chain 77')
    expect(error.message).toContain('node 2 of chain 77')
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain(secretKey)
    expect(error.message).not.toContain('127.0.0.1')
  })

  test('a node of another chain is set aside and the next one used', async () => {
    const wrong = await node(() => ({
      edit: (call, reply) => (call.method === 'eth_chainId' ? { ...reply, result: '0x1' } : reply),
    }))
    const upstream = upstreamOf([wrong, await node()])
    expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
    expect(count(wrong, 'eth_getBalance')).toBe(0)
    expect(upstream.nodes()[0]).toMatchObject({
      isSetAside: true,
      problem: 'node 1 of chain 77 is set aside: it answers for chain 1, not for chain 77.',
    })
  })

  const lying: Behaviour = () => ({
    edit: (call, reply) =>
      call.method === 'eth_getBlockByNumber'
        ? {
            ...reply,
            result: { ...(reply.result as object), hash: `0x${'ab'.repeat(32)}` },
          }
        : reply,
  })

  test('a node that lies about a hash is set aside and the next one used', async () => {
    const liar = await node()
    const upstream = upstreamOf([liar, await node()])
    await upstream.latestOf(0)
    liar.behave = lying
    const block = await upstream.block(pin.number)
    expect(block).toMatchObject({ ok: true, value: { pin: { hash: pin.hash } } })
    expect(upstream.nodes()[0]?.problem).toMatch(/gives block 3 the hash 0xabab.*header hashes to/)
  })

  test('a lying node alone: UPSTREAM_UNAVAILABLE with the reason', async () => {
    const upstream = upstreamOf([await node(lying)])
    await expect(upstream.block(pin.number)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('header hashes to'),
    })
  })

  test('headers are not hashed for a chain where they hash in another way', async () => {
    const upstream = upstreamOf([await node(lying)], { verifyHeaderHash: false })
    const block = await upstream.block(pin.number)
    expect(block).toMatchObject({ ok: true, value: { pin: { hash: `0x${'ab'.repeat(32)}` } } })
  })

  const refusing = (address: string, message: string): Behaviour => {
    return () => ({
      edit: (call, reply) =>
        JSON.stringify(call.params).includes(address.slice(2)) && call.method === 'eth_getStorageAt'
          ? { jsonrpc: '2.0', id: call.id, error: { code: -32000, message } }
          : reply,
    })
  }

  test('an unreadable item inside a batch fails alone and is not retried', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = refusing(bob, 'missing trie node 1234')
    const before = count(a, 'eth_getStorageAt')
    const answers = await Promise.all([
      upstream.state(balanceKey(alice), pin),
      upstream.state(storageKey(bob, '0x0'), pin),
      upstream.state(codeKey(bob), pin),
    ])
    expect(answers).toEqual([
      value('0x7b'),
      { ok: false, message: 'missing trie node 1234' },
      value('0x6001'),
    ])
    expect(count(a, 'eth_getStorageAt') - before).toBe(1)
  })

  test('state that one node lacks is read from the next', async () => {
    const upstream = upstreamOf([await node(refusing(bob, 'missing trie node')), await node()])
    expect(await upstream.state(storageKey(bob, '0x0'), pin)).toEqual(value('0x2a'))
  })

  test('a malformed value is unreadable, never zero', async () => {
    const a = await node()
    const upstream = upstreamOf([a])
    await upstream.latestOf(0)
    a.behave = () => ({ edit: (_call, reply) => ({ ...reply, result: null }) })
    expect(await upstream.state(storageKey(bob, '0x0'), pin)).toEqual({
      ok: false,
      message: 'the answer of the node is not a value',
    })
  })

  test('a node without batches is read by single calls', async () => {
    const a = await node((_calls, isBatch) =>
      isBatch ? { status: 200, body: { error: { code: -32600, message: 'no batches' } } } : null,
    )
    const upstream = upstreamOf([a])
    const answers = await Promise.all(
      [alice, bob].map((address) => upstream.state(balanceKey(address), pin)),
    )
    expect(answers).toEqual([value('0x7b'), value('0x0')])
    expect(upstream.nodes()[0]?.abilities?.batch).toBe(false)
  })

  test('a batch that is too large for the node is halved', async () => {
    const a = await node((calls, isBatch) =>
      calls.length > 20 ? { status: 413 } : withoutOverrides(calls, isBatch),
    )
    const upstream = upstreamOf([a])
    const slots = Array.from({ length: 100 }, (_, slot) =>
      storageKey(bob, `0x${slot.toString(16)}`),
    )
    const answers = await Promise.all(slots.map((key) => upstream.state(key, pin)))
    expect(answers.map((answer) => answer.ok && answer.value)).toEqual([
      '0x2a',
      ...Array(99).fill('0x0'),
    ])
  })

  const byNumberOnly: Behaviour = () => ({
    edit: (call, reply) =>
      JSON.stringify(call.params).includes('blockHash') && call.method !== 'eth_getLogs'
        ? { jsonrpc: '2.0', id: call.id, error: { code: -32602, message: 'invalid argument' } }
        : reply,
  })

  test('a node that reads by number only never mixes in another fork', async () => {
    const upstream = upstreamOf([await node(byNumberOnly)])
    await upstream.latestOf(0)
    expect(upstream.nodes()[0]?.abilities?.blockHash).toBe(false)
    expect(await upstream.state(balanceKey(alice), pin)).toEqual(value('0x7b'))
    const elsewhere = { number: pin.number, hash: `0x${'cd'.repeat(32)}` as const }
    expect(await upstream.state(balanceKey(alice), elsewhere)).toEqual({
      ok: false,
      message: 'the node has another block 3',
    })
  })

  test('a block that does not exist is an answer, not a failure', async () => {
    const upstream = upstreamOf([await node()])
    expect(await upstream.block(99n)).toEqual({ ok: false, message: 'no such block' })
  })
})
