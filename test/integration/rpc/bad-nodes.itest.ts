/** Reads through nodes that fail, limit, lag or lack something: each value right, none missing, few requests in vain. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address, BlockPin } from '../../../src/domain/primitives.js'
import { storageKey } from '../../../src/rpc/node/state-item.js'
import { createUpstream, type Upstream } from '../../../src/rpc/node/upstream.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  type BadNode,
  type Badness,
  failureWays,
  startBadNode,
} from '../../support/nodes/bad-node.js'
import { readPin } from '../../support/pin.js'

/** As low as precompiles, so its code is never replaced: it is read value by value. */
const account: Address = '0x0000000000000000000000000000000000000b0b'
/** With the same storage. */
const readInBulk: Address = '0x0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b'
const chainId = 77
const blocks = 6
const slots = 120

let anvil: TestAnvil
const pins: BlockPin[] = []
const open: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', String(chainId), '--no-mining'])
  for (let block = 1; block <= blocks; block += 1) {
    for (let slot = 0; slot < slots; slot += 3) {
      const word = `0x${(block * 1_000 + slot).toString(16).padStart(64, '0')}`
      for (const one of [account, readInBulk]) {
        await anvil.rpc('anvil_setStorageAt', [one, `0x${slot.toString(16)}`, word])
      }
    }
    await anvil.rpc('evm_mine', [])
    pins.push({ ...(await readPin(anvil.url)), chainId })
    // Anvil sets storage in the state of the newest block.
    if (block < blocks) await anvil.rpc('evm_mine', [])
  }
})
afterAll(() => anvil?.stop())
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop()
})

async function upstreamOf(...nodes: readonly Badness[]): Promise<[Upstream, BadNode[]]> {
  const proxies: BadNode[] = []
  for (const [index, badness] of nodes.entries()) {
    const proxy = await startBadNode(anvil.url, badness, 5 + index)
    open.push(proxy)
    proxies.push(proxy)
  }
  return [upstreamOver(proxies), proxies]
}

function upstreamOver(proxies: readonly BadNode[], anchor?: Address): Upstream {
  const urls = proxies.map(({ url }) => url)
  const upstream = createUpstream({ chainId, urls, timeoutMs: 4_000, ...(anchor && { anchor }) })
  open.push({ stop: () => upstream.close() })
  return upstream
}

/** Reads every slot of every block, three blocks at a time, and compares. */
async function readAll(upstream: Upstream, of = account): Promise<void> {
  const queue = [...pins.entries()]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, pin] = next
      const keys = Array.from({ length: slots }, (_, slot) =>
        storageKey(of, `0x${slot.toString(16)}`),
      )
      const [block, ...answers] = await Promise.all([
        upstream.block(pin.number),
        ...keys.map((key) => upstream.state(key, pin)),
      ])
      expect(block).toMatchObject({ ok: true, value: { pin: { hash: pin.hash } } })
      const expected = keys.map((_, slot) => {
        const word = slot % 3 === 0 ? (index + 1) * 1_000 + slot : 0
        return { ok: true, value: `0x${word.toString(16)}` }
      })
      expect(answers).toEqual(expected)
    }
  }
  await Promise.all([work(), work(), work()])
}

async function requestsOfHealthy(): Promise<number> {
  const [upstream, [node]] = await upstreamOf({})
  await readAll(upstream)
  return node?.counts.requests ?? 0
}

describe('requests that fail', () => {
  // Ways that make one wait are among those of the next test.
  const quick = failureWays.filter((way) => !['limited', 'late', 'silent'].includes(way))
  test.each(quick)('%s, one of four: every value is right', async (way) => {
    const [upstream] = await upstreamOf({ share: 0.25, ways: [way] })
    while (!(await upstream.latestOf(0)));
    await readAll(upstream)
  })

  test('in all ways, a fifth of them: few more requests than of a healthy node', async () => {
    const healthy = await requestsOfHealthy()
    const [upstream, [node]] = await upstreamOf({ share: 0.2 })
    while (!(await upstream.latestOf(0)));
    await readAll(upstream)
    expect(node?.counts.requests).toBeLessThan(3 * healthy)
  })
})

describe('answers without end', () => {
  const slot = storageKey(account, '0x3')
  const methods = ['eth_getStorageAt', 'eth_getBlockByHash']

  test('are left after what a value may take, and the node is named', async () => {
    const [upstream, [node]] = await upstreamOf({})
    const [pin] = pins as [BlockPin]
    await upstream.state(storageKey(account, '0x0'), pin)
    if (node) node.badness = { endless: methods }
    const held = process.memoryUsage().arrayBuffers
    const reads = [upstream.state(slot, pin), upstream.block(pin.hash)]
    for (const read of reads) {
      await expect(read).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
        message: expect.stringMatching(/node 1 of chain 77: The node sent more than \d+ bytes/),
      })
    }
    expect(process.memoryUsage().arrayBuffers - held).toBeLessThan(64 * 2 ** 20)
    // What two sockets hold is sent in vain.
    const { requests = 0, endlessBytes = 0 } = node?.counts ?? {}
    expect(endlessBytes).toBeGreaterThan(0)
    expect(endlessBytes / requests).toBeLessThan(8 * 2 ** 20)
  })

  test('of one of two nodes: the other one answers', async () => {
    const [upstream] = await upstreamOf({ endless: methods }, {})
    await readAll(upstream)
  })
})

describe('limits', () => {
  test.each([
    [{ maxBatch: 50 }, 50],
    [{ maxBatch: 10 }, 10],
    [{ maxBatch: 1 }, 1],
    [{ maxBodyBytes: 4_096 }, 30],
  ])('%o is learnt, and known', async (badness, most) => {
    const [upstream, [node]] = await upstreamOf(badness)
    await readAll(upstream)
    const { requests, calls } = node?.counts ?? { requests: 0, calls: 0 }
    expect(upstream.nodes()[0]?.limits.batch).toBeLessThanOrEqual(most)
    await readAll(upstream)
    // Nothing is refused twice.
    const [askedAgain, calledAgain] = [
      (node?.counts.requests ?? 0) - requests,
      (node?.counts.calls ?? 0) - calls,
    ]
    expect(calledAgain / askedAgain).toBeLessThanOrEqual(most)
  })

  test('so many calls a second: all come, later', async () => {
    const [upstream] = await upstreamOf({ callsPerSecond: 400 })
    await readAll(upstream)
    expect(upstream.nodes()[0]?.limits.requests).not.toBeNull()
  })
})

describe('one of two nodes', () => {
  test.each([
    ['is dead', { isDead: true }],
    ['hangs', { hangs: true }],
    ['takes one request a second', { requestsPerSecond: 1 }],
  ] as const)('%s: the other one answers', async (_name, badness) => {
    const [upstream, [, well]] = await upstreamOf(badness, {})
    await readAll(upstream)
    expect(well?.counts.calls).toBeGreaterThan(blocks * slots * 0.8)
  })
})

describe('nodes behind a balancer', () => {
  const untilSeen = async (upstream: Upstream) => {
    while ((await upstream.latestOf(0))?.pin.hash !== pins.at(-1)?.hash);
  }

  test('the newest blocks are read, though one of three answers has not come so far, and still in bulk', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const node = await startBadNode(anvil.url, { lag: 2 }, seed)
      open.push(node)
      const upstream = upstreamOver([node])
      await untilSeen(upstream)
      node.counts.calls = 0
      await readAll(upstream, readInBulk)
      expect(node.counts.calls).toBeLessThan((blocks * slots) / 2)
      expect(upstream.readsInBulk(pins.at(-1)?.number ?? 0n)).toBe(true)
    }
  })

  test('without block hashes, too', async () => {
    const [upstream] = await upstreamOf({ lag: 2, lacks: ['blockHash'] })
    await untilSeen(upstream)
    await readAll(upstream)
  })
})

describe('blocks whose state the node has pruned', () => {
  const contract: Address = '0x00000000000000000000000000000000000c0de0'

  async function prunedNode(oldState: 'zeros' | 'newest'): Promise<[Upstream, BadNode]> {
    await anvil.rpc('anvil_setCode', [contract, '0x00'])
    // A pruned node keeps 128 blocks.
    await anvil.rpc('anvil_mine', ['0x90'])
    const proxy = await startBadNode(anvil.url, { oldState }, 5)
    open.push(proxy)
    const upstream = upstreamOver([proxy], contract)
    while (!(await upstream.latestOf(0)));
    return [upstream, proxy]
  }

  test('zeros are refused, and once the node is known for it few requests go in vain', async () => {
    const [upstream, proxy] = await prunedNode('zeros')
    const before = proxy.counts.requests
    for (const pin of pins.toReversed()) {
      for (const of of [account, readInBulk]) {
        const answers = await Promise.all(
          Array.from({ length: slots }, (_, slot) =>
            upstream.state(storageKey(of, `0x${slot.toString(16)}`), pin),
          ),
        )
        expect(answers.filter(({ ok }) => ok)).toEqual([])
      }
    }
    expect(proxy.counts.requests - before).toBeLessThan(6 * blocks)
  })

  test('the state of another block is refused, and says nothing about how much a call may read', async () => {
    const [upstream, proxy] = await prunedNode('newest')
    const read = (pin: BlockPin) =>
      Promise.allSettled(
        Array.from({ length: 2_500 }, (_, slot) =>
          upstream.state(storageKey(readInBulk, `0x${slot.toString(16)}`), pin),
        ),
      )
    const isRead = (answer: Awaited<ReturnType<typeof read>>[number]) =>
      answer.status === 'fulfilled' && answer.value.ok
    const one = await upstream.state(storageKey(account, '0x0'), pins[0] as BlockPin)
    expect(one).toMatchObject({ ok: false })
    proxy.badness = { oldState: 'newest', share: 0.4, ways: ['dropped'] }
    const refused = await Promise.all(pins.slice(0, 3).map(read))
    expect(refused.flat().filter(isRead)).toEqual([])
    proxy.badness = {}
    const before = proxy.counts.requests
    const { hedges } = upstream.counters
    const answers = await read({ ...(await readPin(anvil.url)), chainId })
    expect(answers.every(isRead)).toBe(true)
    // A late answer is asked for again, which says nothing of the size of calls.
    const copies = upstream.counters.hedges - hedges
    expect(proxy.counts.requests - before - copies).toBeLessThan(10)
    const again = await upstream.state(storageKey(account, '0x0'), pins[0] as BlockPin)
    expect(again).toEqual({ ok: true, value: '0x3e8' })
  })
})
