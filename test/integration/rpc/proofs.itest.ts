/** Walking through blocks: what a proof shows unchanged is not read again, and everything else is. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Address, BlockPin, Hex } from '../../../src/domain/primitives.js'
import type { ForkLease } from '../../../src/forks/lease.js'
import { ForkPool } from '../../../src/forks/pool.js'
import { type Archive, startArchive } from '../../../src/rpc/archive/archive.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { createAccountProofs } from '../../../src/sandbox/chain/account-proofs.js'
import { codeHashesOf, createHistory } from '../../../src/sandbox/chain/history.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  type Behaviour,
  count,
  type FaultyNode,
  startFaultyNode,
  withoutOverrides,
} from '../../support/nodes/rpc-node.js'

/** Changed in every second block, and never. Neither leaves an event. */
const restless: Address = '0x0000000000000000000000000000000000b0b0b0'
const still: Address = '0x0000000000000000000000000000000000ca7ca7'
/** Without input returns the word in slot 0, else stores the first word of the input there. */
const cellCode = '0x36600c575f545f5260205ff35b5f355f5500'
const slots = ['0x0', '0x1', '0x2']

let anvil: TestAnvil
let from: Address

beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', '77', '--no-mining'])
  from = (await anvil.rpc<Address[]>('eth_accounts'))[0] ?? '0x'
  for (const address of [restless, still]) {
    await anvil.rpc('anvil_setCode', [address, cellCode])
    for (const slot of slots) await anvil.rpc('anvil_setStorageAt', [address, pad(slot), word(9)])
  }
  for (const value of [null, 5, null, 6]) await mine(value)
})
afterAll(() => anvil?.stop())

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`
const pad = (slot: string) => `0x${slot.slice(2).padStart(64, '0')}`

/** A block; with a value, `restless` keeps it in slot 0 from then on and gets a wei. */
async function mine(value: number | null): Promise<void> {
  if (value !== null) {
    const call = { from, to: restless, data: word(value), value: '0x1', gas: '0x186a0' }
    await anvil.rpc('eth_sendTransaction', [call])
  }
  await anvil.rpc('evm_mine')
}

async function archiveOf(
  behave: Behaviour = withoutOverrides,
): Promise<{ archive: Archive; node: FaultyNode }> {
  const node = await startFaultyNode(anvil.url, { behave })
  const archive = await startArchive({
    dataDir: null,
    chains: [{ chainId: 77, urls: [node.url] }],
    pollIntervalMs: 20,
    logLevel: 'silent',
  })
  onTestFinished(async () => {
    await archive.close()
    await node.close()
  })
  return { archive, node }
}

/** What forks would ask at the block, and how often the node was asked by which method for it. */
async function visit(
  { archive, node }: Awaited<ReturnType<typeof archiveOf>>,
  at: bigint,
): Promise<{ pin: BlockPin; values: unknown; reads: number; proofs: number }> {
  node.requests.length = 0
  const pin = await archive.pin(77, at, { isBackground: true })
  await archive.prefetch(pin)
  const values = await valuesFrom(archive.url(77, at, pin.hash), 'latest')
  const [reads = 0, proofs = 0] = ['eth_getStorageAt', 'eth_getProof'].map((method) =>
    count(node, method),
  )
  return { pin, values, reads, proofs }
}

async function valuesFrom(url: string, block: string): Promise<unknown> {
  const calls = [restless, still].flatMap((address) => [
    ...slots.map((slot) => ({ method: 'eth_getStorageAt', params: [address, pad(slot), block] })),
    { method: 'eth_getBalance', params: [address, block] },
  ])
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const headers = { 'content-type': 'application/json' }
  const replies = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
    result?: unknown
  }[]
  return replies.map(({ result }) => result)
}

const ofNode = (at: bigint) => valuesFrom(anvil.url, `0x${at.toString(16)}`)

test('up, down and again: the values of the node, read only where the storage changed', async () => {
  const context = await archiveOf()
  const first = await visit(context, 1n)
  expect(first).toMatchObject({ reads: 6, proofs: 0, values: await ofNode(1n) })
  const second = await visit(context, 2n)
  // The roots of both blocks are asked for once; only one account differs.
  expect(second).toMatchObject({ reads: 3, proofs: 4, values: await ofNode(2n) })
  expect(await visit(context, 3n)).toMatchObject({ reads: 0, values: await ofNode(3n) })
  expect(await visit(context, 4n)).toMatchObject({ reads: 3, values: await ofNode(4n) })
  expect(await visit(context, 1n)).toMatchObject({ reads: 0, proofs: 0, values: first.values })
  expect(second.values).not.toEqual(first.values)
  expect((await context.archive.stats()).provenHits).toBeGreaterThan(0)
})

/** Which values the contracts give on forks at the blocks, and how many slots these ask the archive for. */
async function workOnForks(
  blocks: readonly bigint[],
  open: (pool: ForkPool, pin: BlockPin) => Promise<ForkLease>,
): Promise<number[]> {
  const context = await archiveOf()
  const proxies = new Map<bigint, FaultyNode>()
  const pool = new ForkPool({
    archiveUrl: ({ number }) => proxies.get(number)?.url ?? '',
    forksPerBlock: 1,
    maxBlocks: 1,
  })
  onTestFinished(async () => {
    await pool.close()
    for (const proxy of proxies.values()) await proxy.close()
  })
  const asked: number[] = []
  for (const at of blocks) {
    const pin = await context.archive.pin(77, at, { isBackground: true })
    await context.archive.prefetch(pin)
    const proxy = proxies.get(at) ?? (await startFaultyNode(context.archive.forkUrl(pin)))
    proxies.set(at, proxy)
    proxy.requests.length = 0
    const lease = await open(pool, pin)
    const fork = createRpcClient(lease.urls[0] ?? '')
    const values = [restless, still].map((to) => fork.request('eth_call', [{ to }, 'latest']))
    const expected = [restless, still].map((to) =>
      anvil.rpc('eth_call', [{ to }, `0x${at.toString(16)}`]),
    )
    expect(await Promise.all(values)).toEqual(await Promise.all(expected))
    asked.push(count(proxy, 'eth_getStorageAt'))
    await fork.close()
    lease.release(true)
  }
  return asked
}

test('a fork is given at once what those of other blocks asked for, each value as it is at its own', async () => {
  const asked = await workOnForks([1n, 2n, 4n], (pool, pin) => pool.acquire(pin))
  expect(asked).toEqual([2, 0, 0])
})

test('so is a fork of a new head', async () => {
  const asked = await workOnForks([1n, 2n, 4n, 1n, 2n], async (pool, pin) => {
    await pool.warm(pin)
    await pool.fill(pin)
    return pool.acquire(pin)
  })
  expect(asked).toEqual([2, 0, 0, 0, 0])
})

test('what a fork is given late is not taken for that of the block to which it moved', async () => {
  const { archive } = await archiveOf()
  const pinAt = async (at: bigint) => {
    const pin = await archive.pin(77, at, { isBackground: true })
    await archive.prefetch(pin)
    return pin
  }
  const [first, second] = [await pinAt(1n), await pinAt(2n)]
  // Answers later than a fork takes to move.
  const slow = await startFaultyNode(archive.forkUrl(first), {
    behave: async ([call]) => {
      if (call?.method === 'forkroute_held') await sleep(300)
      return null
    },
  })
  const pool = new ForkPool({
    archiveUrl: ({ number }) => (number === 1n ? slow.url : archive.forkUrl(second)),
    forksPerBlock: 1,
    maxBlocks: 1,
  })
  onTestFinished(async () => {
    await pool.close()
    await slow.close()
  })
  const valueOn = async ({ urls }: ForkLease) => {
    const fork = createRpcClient(urls[0] ?? '')
    const value = await fork.request('eth_call', [{ to: restless }, 'latest'])
    await fork.close()
    return value
  }
  const at = (block: string) => anvil.rpc('eth_call', [{ to: restless }, block])
  const before = await pool.acquire(first)
  expect(await valueOn(before)).toBe(await at('0x1'))
  const given = pool.fill(first)
  before.release(true)
  const { pids } = pool.stats()
  const after = await pool.acquire(second)
  await given
  expect(pool.stats().pids).toEqual(pids)
  expect(await valueOn(after)).toBe(await at('0x2'))
  expect(await at('0x1')).not.toBe(await at('0x2'))
})

test('a node that takes overrides is asked for no proofs: it gives all values by one call', async () => {
  const context = await archiveOf(() => null)
  for (const at of [1n, 2n, 3n, 1n]) {
    const visited = await visit(context, at)
    expect(visited).toMatchObject({ proofs: 0, values: await ofNode(at) })
    // Two of the values are compared.
    if (at === 2n) expect(visited.reads).toBeLessThanOrEqual(2)
  }
})

test('a node that refuses proofs and overrides is read in batches', async () => {
  const context = await archiveOf()
  context.node.behave = () => ({
    edit: ({ id, method }, reply) =>
      method === 'eth_getProof' ? { id, error: { code: -32601, message: 'not here' } } : reply,
  })
  await visit(context, 1n)
  expect(await visit(context, 2n)).toMatchObject({ reads: 6, values: await ofNode(2n) })
  expect(await visit(context, 3n)).toMatchObject({ reads: 6, proofs: 0, values: await ofNode(3n) })
})

test('a block that took the place of another has its own values', async () => {
  const context = await archiveOf()
  await visit(context, 3n)
  const undo = await anvil.rpc('evm_snapshot')
  await mine(7)
  const old = await visit(context, 5n)
  await anvil.rpc('evm_revert', [undo])
  const replaced = new Promise<void>((resolve) => {
    context.archive.onHead((_pin, { reorgOf }) => {
      if (reorgOf === old.pin.hash) resolve()
    })
  })
  await anvil.rpc('evm_increaseTime', [100])
  for (const value of [8, null]) await mine(value)
  await replaced
  const found = await visit(context, 5n)
  expect(found.pin.hash).not.toBe(old.pin.hash)
  expect(found.values).toEqual(await ofNode(5n))
  expect(found.values).not.toEqual(old.values)
})

test('so has one that was replaced before any poll showed it', async () => {
  const context = await archiveOf()
  await visit(context, 4n)
  let letPollsThrough = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    letPollsThrough = resolve
  })
  context.node.behave = async (calls) => {
    if (calls.some(({ params }) => params[0] === 'latest')) await gate
    return null
  }
  const height = await anvil.rpc<Hex>('eth_blockNumber')
  const next = BigInt(height) + 1n
  const undo = await anvil.rpc('evm_snapshot')
  await mine(9)
  const old = await visit(context, next)
  await anvil.rpc('evm_revert', [undo])
  const replaced = new Promise<void>((resolve) => {
    context.archive.onHead((_pin, { reorgOf }) => {
      if (reorgOf === old.pin.hash) resolve()
    })
  })
  await anvil.rpc('evm_increaseTime', [100])
  for (const value of [10, null]) await mine(value)
  letPollsThrough()
  await replaced
  const found = await visit(context, next)
  expect(found.pin.hash).not.toBe(old.pin.hash)
  expect(found.values).toEqual(await ofNode(next))
})

test('the sandbox proves older blocks itself, in one batch with what its Anvil answers', async () => {
  const sandbox = await startSandbox({})
  onTestFinished(() => sandbox.stop())
  const post = async (calls: readonly (readonly [string, ...unknown[]])[]) => {
    const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(sandbox.url, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { id: number; result: unknown }[]
  }
  const [number] = await post([['eth_blockNumber']])
  const past = `0x${(BigInt(String(number?.result)) - 3n).toString(16)}`
  const trader = '0x14dc79964da2c08b23698b3d3cc7ca32193d9955'
  const replies = await post([
    ['eth_getProof', trader, [], past],
    ['eth_blockNumber'],
    ['eth_getProof', trader, [word(0)], past],
  ])
  expect(replies.map(({ id }) => id)).toEqual([0, 1, 2])
  expect(replies[1]?.result).toBe(number?.result)
  const ofAnvil = replies[2]?.result as object
  expect(replies[0]?.result).toEqual({ ...ofAnvil, accountProof: [], storageProof: [] })
})

test('roots of a history are those that Anvil has of the same storage', async () => {
  const account: Address = '0x00000000000000000000000000000000000000aa'
  const many = Array.from({ length: 40 }, (_, slot) => [word(slot), word(slot * 1_000 + 1)])
  const storage = Object.fromEntries(many)
  const base = { [account]: { nonce: 1, balance: '0x5', code: '0x6001', storage } } as const
  const history = createHistory({
    firstBlock: 1,
    hashes: [100, 101, 102, 103, 104].map(word),
    base,
    codeHashes: codeHashesOf(base),
    changes: [
      { [account]: { balance: '0x6', storage: { [word(3)]: word(1), [word(99)]: word(256) } } },
      // A slot that becomes zero is no longer part of the storage.
      { [account]: { nonce: 2, storage: { [word(7)]: word(0) } } },
      {},
    ],
  })
  const proofs = createAccountProofs(history)
  for (const number of [3, 1, 2]) {
    const same: Address = `0x${'0'.repeat(37)}bb${number}`
    const state = history.accountAt(account, number)
    await anvil.rpc('anvil_setCode', [same, state?.code])
    await anvil.rpc('anvil_setNonce', [same, `0x${state?.nonce.toString(16)}`])
    await anvil.rpc('anvil_setBalance', [same, state?.balance])
    for (const [slot, value] of Object.entries(state?.storage ?? {})) {
      if (value !== word(0)) await anvil.rpc('anvil_setStorageAt', [same, slot, value])
    }
    const ofAnvil = await anvil.rpc<object>('eth_getProof', [same, [], 'latest'])
    expect(await proofs.proofAt(account, number)).toEqual({
      ...ofAnvil,
      address: account,
      accountProof: [],
    })
  }
  expect(proofs.proofAt(account, 4)).toBeNull()
})
