/** Anvil processes of the fork pool: shared, counted, bounded, and given from block to block. */

import { getPriority } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import {
  type Address,
  type BlockPin,
  bigintToString,
  type Hex,
} from '../../../src/domain/primitives.js'
import type { ForkPool, ForkPoolOptions } from '../../../src/forks/pool.js'
import { simulate } from '../../../src/forks/simulate.js'
import { backgroundPriority } from '../../../src/platform/priority.js'
import { startArchive } from '../../../src/rpc/archive/archive.js'
import { startFaultyNode } from '../../support/nodes/rpc-node.js'
import { ask, blockOf, exists, until, withForkPoolContext } from './pool-context.js'

const context = withForkPoolContext()
const pinAt = (index: number) => context().pinAt(index)
const makePool = (options: Partial<ForkPoolOptions> = {}) => context().makePool(options)

// BASEFEE, COINBASE, PREVRANDAO, NUMBER, TIMESTAMP, GASLIMIT, BLOBBASEFEE, the last two hashes, and slot 0.
const operations = ['48', '41', '44', '43', '42', '45', '4a', '6001430340', '6002430340', '5f54']
const stores = operations.map((code, i) => `${code}61${(32 * i).toString(16).padStart(4, '0')}52`)
const size = (32 * operations.length).toString(16).padStart(4, '0')
/** Returns all that a contract can tell of the block. */
const tellerCode: Hex = `0x${stores.join('')}61${size}5ff3`
const teller: Address = '0x00000000000000000000000000000000beef0041'

/** What contracts see on the fork, in calls and in simulations. */
async function told(url: string, pin: BlockPin): Promise<string> {
  const block = `0x${pin.number.toString(16)}`
  const from = context().testChain.deployer
  const request = { from, to: teller, data: '0x', value: 0n, overrides: {} } as const
  return JSON.stringify(
    [
      await ask(url, 'eth_call', [{ to: teller }, block]),
      await ask(url, 'eth_call', [{ to: teller }, block, {}, { time: '0x7fffffff' }]),
      await simulate({ urls: [url], pin, chain: ethereum }, [request]),
    ],
    bigintToString,
  )
}

describe('ForkPool', () => {
  test('forks give way to what answers requests', async () => {
    const pool = makePool({ forksPerBlock: 2 })
    await pool.warm(pinAt(0))
    const { pids } = pool.stats()
    expect(pids.map((pid) => getPriority(pid))).toEqual([backgroundPriority, backgroundPriority])
  })

  test('many acquires of a new block start its forks once, and share them', async () => {
    const pool = makePool()
    const leases = await Promise.all(Array.from({ length: 20 }, () => pool.acquire(pinAt(0))))
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 2, leases: 20, restarts: 0 })
    expect(new Set(leases.flatMap(({ urls }) => urls)).size).toBe(2)
    for (const url of leases[0]?.urls ?? []) expect(await blockOf(url)).toBe(pinAt(0).number)
  })

  test('a block that was not warmed has as many forks as leases at a time, up to the bound', async () => {
    const pool = makePool()
    const first = await pool.acquire(pinAt(0))
    expect(first.urls).toHaveLength(1)
    const [second, third] = await Promise.all([pool.acquire(pinAt(0)), pool.acquire(pinAt(0))])
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 2, leases: 3 })
    for (const lease of [first, second, third]) expect(lease.urls).toHaveLength(2)
  })

  test('a lease released twice counts once, and forks outlive it', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    const [first, second] = await Promise.all([pool.acquire(pinAt(0)), pool.acquire(pinAt(0))])
    first.release()
    first.release()
    expect(pool.stats()).toMatchObject({ leases: 1, forks: 1 })
    second.release()
    expect(pool.stats()).toMatchObject({ leases: 0, forks: 1 })
  })

  test('a warmed block needs no start at its first lease', async () => {
    const pool = makePool({ forksPerBlock: 1 })
    await pool.warm(pinAt(1))
    const { pids } = pool.stats()
    const lease = await pool.acquire(pinAt(1))
    expect(pool.stats().pids).toEqual(pids)
    expect(lease.pin).toBe(pinAt(1))
  })

  test('over the bound, the block used longest ago ends first, never a leased one', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    const old = await pool.acquire(pinAt(0))
    const [oldPid = 0] = pool.stats().pids
    const middle = await pool.acquire(pinAt(1))
    const middlePid = pool.stats().pids[1] ?? 0
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 2 })
    middle.release()
    await pool.warm(pinAt(2))
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 2 })
    await until(() => !exists(middlePid))
    expect(exists(oldPid)).toBe(true)
    old.release()
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 1 })
    await until(() => !exists(oldPid))
  })

  test('the block that was warmed last stays, however many others pass', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    await pool.warm(pinAt(2))
    const [head = 0] = pool.stats().pids
    for (const index of [0, 1, 0]) {
      const lease = await pool.acquire(pinAt(index))
      lease.release()
      expect(exists(head)).toBe(true)
      expect(pool.stats()).toMatchObject({ blocks: 2 })
    }
    await pool.warm(pinAt(1))
    expect(pool.stats()).toMatchObject({ blocks: 1, forks: 1 })
  })

  test('while leased blocks hold as many forks as the chain may have, a new one has a single fork', async () => {
    const pool = makePool({ forksPerBlock: 2, maxForks: 6 })
    const leases = []
    for (const index of [0, 1]) {
      await pool.warm(pinAt(index))
      leases.push(await pool.acquire(pinAt(index)))
    }
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 4 })
    let isThereRoom = false
    const room = pool.room(pinAt(0).chainId, AbortSignal.timeout(60_000)).then(() => {
      isThereRoom = true
    })
    await pool.warm(pinAt(2))
    const head = await Promise.all([1, 2, 3].map(() => pool.acquire(pinAt(2))))
    expect(pool.stats()).toMatchObject({ blocks: 3, forks: 5 })
    expect(head[0]?.urls).toHaveLength(1)
    expect(isThereRoom).toBe(false)
    for (const lease of leases) lease.release()
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 3 })
    await room
    await pool.acquire(pinAt(2))
    expect(head[0]?.urls).toHaveLength(2)
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 4 })
  })

  test('blocks that nobody holds keep their forks only as far as the chain may have them', async () => {
    const pool = makePool({ forksPerBlock: 2, maxForks: 6 })
    for (const index of [0, 1, 2]) {
      await pool.warm(pinAt(index))
      expect(pool.stats().forks).toBeLessThanOrEqual(4)
    }
    expect(pool.stats()).toMatchObject({ blocks: 2, forks: 4 })
  })

  test('a process serves one block after another, and nothing tells it from a fresh one', async () => {
    const written: Address = '0x00000000000000000000000000000000beef0042'
    const contracts = { [teller]: tellerCode }
    const reported = async (url: string, pin: BlockPin) => [
      await told(url, pin),
      await ask(url, 'eth_getBlockByNumber', ['latest', false]),
      await ask(url, 'eth_getCode', [written, 'latest']),
    ]
    const expected: unknown[] = []
    for (const pin of [pinAt(0), pinAt(1), pinAt(2)]) {
      const fresh = makePool({ forksPerBlock: 1, contracts })
      const { urls } = await fresh.acquire(pin)
      expected.push(await reported(urls[0] ?? '', pin))
      await fresh.close()
    }
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1, contracts })
    const seen: (readonly number[])[] = []
    for (const index of [2, 0, 1, 2, 0, 1]) {
      const lease = await pool.acquire(pinAt(index))
      const [url = ''] = lease.urls
      expect(await reported(url, pinAt(index))).toEqual(expected[index])
      await ask(url, 'anvil_setCode', [written, '0x6001'])
      seen.push(pool.stats().pids)
      lease.release(true)
    }
    expect(new Set(seen.flat()).size).toBe(1)
  })

  test('a process that moves on keeps accounts, and nothing tells it from a fresh one', async () => {
    const { testChain } = context()
    const { deployer } = testChain
    const ledger = await testChain.deploy('Ledger')
    const pins: BlockPin[] = []
    for (const amount of [5n, 6n, 7n]) {
      await testChain.send(ledger, 'Ledger', 'set', [deployer, amount])
      pins.push(await testChain.pin())
      await testChain.mine()
    }
    const chainId = pins[0]?.chainId ?? 0
    const archive = await startArchive({
      dataDir: null,
      chains: [{ chainId, urls: [testChain.node.url] }],
    })
    onTestFinished(() => archive.close())
    const options = { forksPerBlock: 1, maxBlocks: 1, contracts: { [teller]: tellerCode } }
    const moving = makePool({
      ...options,
      archiveUrl: archive.forkUrl,
      standby: () => archive.standby(),
    })
    const data = testChain.encode('Ledger', 'balances', [deployer])
    const reported = async (pool: ForkPool, pin: BlockPin) => {
      const lease = await pool.acquire(pin)
      const [url = ''] = lease.urls
      const seen = [
        await told(url, pin),
        await ask(url, 'eth_call', [{ to: ledger, data }, `0x${pin.number.toString(16)}`]),
        await ask(url, 'eth_getBalance', [deployer, 'latest']),
        await ask(url, 'eth_getTransactionCount', [deployer, 'latest']),
        await ask(url, 'eth_getCode', [ledger, 'latest']),
      ]
      const { forkConfig } = JSON.parse(JSON.stringify(await ask(url, 'anvil_nodeInfo')))
      lease.release(true)
      return { seen, forkedAt: BigInt(forkConfig.forkBlockNumber), pids: pool.stats().pids }
    }
    const [first, second, third] = pins as [BlockPin, BlockPin, BlockPin]
    const moves = []
    for (const pin of [second, third, first, second, third]) {
      const fresh = await reported(makePool(options), pin)
      const moved = await reported(moving, pin)
      expect(moved.seen).toEqual(fresh.seen)
      moves.push(moved)
    }
    expect(moves.map(({ forkedAt }) => forkedAt)).toEqual([
      ...[second.number, second.number],
      // To an earlier block only a reset leads.
      ...[first.number, first.number, first.number],
    ])
    expect(new Set(moves.flatMap(({ pids }) => pids)).size).toBe(1)
  })

  test('a process that cannot be told what it needs to move on serves its block, and is reset', async () => {
    const { testChain } = context()
    const { node } = testChain
    const chains = [{ chainId: pinAt(0).chainId, urls: [node.url] }]
    const archive = await startArchive({ dataDir: null, chains })
    onTestFinished(() => archive.close())
    // The node knows nothing of what only an archive answers.
    const archiveUrl = () => node.url
    const standby = () => archive.standby()
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1, archiveUrl, standby })
    const pids = []
    for (const index of [0, 1, 2]) {
      const lease = await pool.acquire(pinAt(index))
      expect(await blockOf(`${lease.urls[0]}`)).toBe(pinAt(index).number)
      pids.push(...pool.stats().pids)
      lease.release(true)
    }
    expect(new Set(pids).size).toBe(1)
  })

  test('a block whose state no node has is refused as such', async () => {
    const node = await startFaultyNode(context().testChain.node.url, {
      behave: () => ({
        edit({ id, method }, reply) {
          const error = { code: -32000, message: 'header not found' }
          return method === 'eth_getAccountInfo' ? { id, error } : reply
        },
      }),
    })
    onTestFinished(() => node.close())
    const pool = makePool({ archiveUrl: () => node.url, contracts: { [teller]: tellerCode } })
    await expect(pool.acquire(pinAt(0))).rejects.toMatchObject({
      code: 'UNKNOWN_BLOCK',
      message: `The state of block ${pinAt(0).number} is not available: header not found.`,
    })
  })

  test('a process serves blocks of its own rules, and gives way to one of later work', async () => {
    const hardForkOf = ({ number }: BlockPin) =>
      number === pinAt(0).number ? ('shanghai' as const) : ('prague' as const)
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1, hardForkOf })
    const use = async (index: number) => {
      const lease = await pool.acquire(pinAt(index))
      const [url = ''] = lease.urls
      const { hardFork } = JSON.parse(JSON.stringify(await ask(url, 'anvil_nodeInfo')))
      const pid = pool.stats().pids.at(-1) ?? 0
      lease.release(true)
      return { hardFork, pid }
    }
    const old = await use(0)
    const young = await use(1)
    const third = await use(2)
    expect([old, young, third].map(({ hardFork }) => hardFork)).toEqual([
      ...['Cancun', 'Prague', 'Prague'],
    ])
    expect(young.pid).not.toBe(old.pid)
    expect(third.pid).toBe(young.pid)
    await until(() => !exists(old.pid))
  })

  test('a process of which something may still be asked ends with its block', async () => {
    const pool = makePool({ forksPerBlock: 1, maxBlocks: 1 })
    for (const index of [2, 0]) (await pool.acquire(pinAt(index))).release(true)
    const left = await pool.acquire(pinAt(1))
    const [pid = 0] = pool.stats().pids
    expect(exists(pid)).toBe(true)
    left.release()
    await pool.warm(pinAt(2))
    await until(() => !exists(pid))
    expect(pool.stats().pids).not.toContain(pid)
  })

  test('expected contracts stand on every fork; code of the chain itself is left alone', async () => {
    const absent: Address = '0x00000000000000000000000000000000beef0031'
    const present = await context().testChain.deploy('Ledger')
    const pin = await context().testChain.pin()
    // Returns 42.
    const code: Hex = '0x602a60005260206000f3'
    const pool = makePool({ contracts: { [absent]: code, [present]: code } })
    const lease = await pool.acquire(pin)
    const [lost = ''] = lease.urls
    for (const url of await lease.reportLost(lost)) {
      expect(await ask(url, 'eth_getCode', [absent, 'latest'])).toBe(code)
      expect(await ask(url, 'eth_getCode', [present, 'latest'])).not.toBe(code)
    }
    const request = {
      from: context().testChain.deployer,
      to: absent,
      data: '0x',
      value: 0n,
      overrides: {},
    } as const
    const [result] = await simulate({ urls: lease.urls, pin, chain: ethereum }, [request])
    expect(result?.status === 'success' && BigInt(result.returnData)).toBe(42n)
  })
})
