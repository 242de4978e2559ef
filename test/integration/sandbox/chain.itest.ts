import { setImmediate } from 'node:timers/promises'
import { encodeFunctionData, hexToNumber, numberToHex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { poolStateSlot } from '../../../src/protocols/uniswap-v4/discover.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount, sandboxAccounts } from '../../../src/sandbox/accounts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken, sandboxTokens } from '../../../src/sandbox/tokens.js'
import { withSandbox } from '../../support/sandbox.js'

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
  'function liquidity() view returns (uint128)',
  'function getPair(address a, address b) view returns (address)',
  'function getPool(address a, address b, uint24 fee) view returns (address)',
  'function getPoolTokens(bytes32 id) view returns (address[], uint256[], uint256)',
  'function balances(int128 i) view returns (uint256)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
])

type Call = Parameters<typeof encodeFunctionData<typeof abi>>[0]

const alice = sandboxAccount('alice').address
const carol = sandboxAccount('carol').address
const dave = sandboxAccount('dave').address
const context = withSandbox()

function encode(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi, functionName, args } as unknown as Call)
}

function read(to: Address, functionName: string, args: readonly unknown[] = [], block = 'latest') {
  return context().client.request<Hex>('eth_call', [
    { to, data: encode(functionName, args) },
    block,
  ])
}

async function readNumber(to: Address, functionName: string, args: readonly unknown[] = []) {
  return BigInt((await read(to, functionName, args)).slice(0, 66))
}

async function send(from: Address, to: Address, functionName: string, args: readonly unknown[]) {
  const { client } = context()
  const data = encode(functionName, args)
  // Answers with the receipt, when the transaction is mined.
  const receipt = await client.request<{ status: Hex }>('eth_sendTransactionSync', [
    { from, to, data, gas: '0x2dc6c0' },
  ])
  return receipt.status === '0x1'
}

interface Header {
  readonly number: Hex
  readonly hash: Hex
  readonly timestamp: Hex
}

const header = (tag: string) =>
  context().client.request<Header>('eth_getBlockByNumber', [tag, false])

/** Until no process has the id. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setImmediate()
  }
}

function pairOf(a: string, b: string): Address {
  const tokens = [sandboxToken(a).address, sandboxToken(b).address].sort()
  const pool = sandboxPools().find(
    (entry) => entry.protocol === 'uniswap-v2' && tokens.join() === entry.tokens.join(),
  )
  if (!pool) throw new Error(`There is no pair ${a}/${b}.`)
  return pool.address
}

describe('sandbox chain', () => {
  test('stands at the same block at every start', async () => {
    const { sandbox } = context()
    const head = await header('latest')
    expect(BigInt(head.number)).toBe(sandbox.blockNumber)
    const startedAt = performance.now()
    const second = await startSandbox()
    console.log(`sandbox start from the cache: ${Math.round(performance.now() - startedAt)} ms`)
    try {
      expect(second.blockNumber).toBe(sandbox.blockNumber)
      const response = await fetch(second.url, {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_getBlockByNumber',
          params: ['latest', false],
        }),
        headers: { 'content-type': 'application/json' },
      })
      const { result } = (await response.json()) as { result: Header }
      expect(result.hash).toBe(head.hash)
    } finally {
      await second.stop()
    }
  })

  test('a chain that is killed is started anew at its head, its older blocks too', async () => {
    const own = await startSandbox()
    const client = createRpcClient(own.url)
    const pair = pairOf('WETH', 'USDC')
    const slot = (block: string) => client.request<Hex>('eth_getStorageAt', [pair, '0x8', block])
    try {
      const before = await Promise.all([slot('latest'), slot('0x64')])
      const { pid } = own
      process.kill(pid, 'SIGKILL')
      await gone(pid)
      expect(await Promise.all([slot('latest'), slot('0x64')])).toEqual(before)
      expect(own.pid).not.toBe(pid)
      expect(BigInt(await client.request<Hex>('eth_blockNumber'))).toBe(own.blockNumber)
    } finally {
      await client.close()
      await own.stop()
    }
    expect(() => process.kill(own.pid, 0)).toThrow('ESRCH')
  })

  test('names the port when it is in use', async () => {
    const { port } = context().sandbox
    const message = `The sandbox cannot listen on port ${port}: it is in use or not allowed.`
    await expect(startSandbox({ port })).rejects.toThrow(message)
  })

  test('has over 300 blocks of history, 12 seconds apart', async () => {
    const last = Number(context().sandbox.blockNumber)
    const calls = Array.from({ length: 301 }, (_, index) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(last - index), false],
    }))
    const headers = (await context().client.batch(calls)).map((result) => {
      if (!result.ok) throw result.error
      return result.value as Header & { transactions: Hex[] }
    })
    const steps = headers.slice(1).map((one, index) => {
      return hexToNumber(headers[index]?.timestamp ?? '0x0') - hexToNumber(one.timestamp)
    })
    expect(new Set(steps)).toEqual(new Set([12]))
    expect(headers.every((one) => one.transactions.length > 0)).toBe(true)
  })

  test('answers with the state of an older block, by number and by hash', async () => {
    const pair = pairOf('WETH', 'USDC')
    const blocks = [80, 140, 200, 280].map((number) => numberToHex(number))
    const reserves = await Promise.all(blocks.map((block) => read(pair, 'getReserves', [], block)))
    reserves.push(await read(pair, 'getReserves'))
    expect(new Set(reserves).size).toBe(5)
    const { hash } = await header(blocks[1] ?? '')
    const byHash = await context().client.request('eth_call', [
      { to: pair, data: encode('getReserves') },
      { blockHash: hash },
    ])
    expect(byHash).toBe(reserves[1])
    const slot = await context().client.request<Hex>('eth_getStorageAt', [pair, '0x8', blocks[1]])
    expect(BigInt(slot) & (2n ** 112n - 1n)).toBe(BigInt((reserves[1] ?? '').slice(0, 66)))
  })

  test('mines what is sent to it, one step of 12 seconds after its head', async () => {
    const before = await header('latest')
    expect(await send(dave, sandboxToken('DAI').address, 'transfer', [carol, 1n])).toBe(true)
    const after = await header('latest')
    expect(hexToNumber(after.number)).toBe(hexToNumber(before.number) + 1)
    expect(hexToNumber(after.timestamp)).toBe(hexToNumber(before.timestamp) + 12)
  })
})

describe('sandbox pools', () => {
  test('are at least 70, found by their factories, with code and liquidity', async () => {
    const pools = sandboxPools()
    expect(pools.length).toBeGreaterThanOrEqual(70)
    expect(new Set(pools.map(({ id }) => id)).size).toBe(pools.length)
    for (const pool of pools) {
      const code = await context().client.request<Hex>('eth_getCode', [pool.address, 'latest'])
      expect(code.length, pool.id).toBeGreaterThan(100)
      expect(await depthOf(pool.id, pool.protocol, pool.address), pool.id).toBeGreaterThan(0n)
      const factory = ethereum.venues[pool.protocol]?.factory
      if (typeof factory !== 'string') continue
      const { fee } = pool.parameters
      const found = await readNumber(
        factory as Address,
        fee === undefined ? 'getPair' : 'getPool',
        fee === undefined ? pool.tokens : [...pool.tokens, fee],
      )
      expect(found, pool.id).toBe(BigInt(pool.address))
    }
  })

  async function depthOf(id: string, protocol: string, address: Address): Promise<bigint> {
    if (protocol === 'uniswap-v3') return readNumber(address, 'liquidity')
    if (protocol === 'curve') return readNumber(address, 'balances', [3])
    if (protocol === 'balancer-v2') return BigInt(await read(address, 'getPoolTokens', [id]))
    if (protocol === 'uniswap-v4') {
      const liquidity = numberToHex(poolStateSlot(id) + 3n, { size: 32 })
      return BigInt(
        await context().client.request<Hex>('eth_getStorageAt', [address, liquidity, 'latest']),
      )
    }
    return readNumber(address, 'getReserves')
  }

  test('lie where they lie on mainnet', () => {
    const ids = sandboxPools().map(({ id }) => id)
    expect(ids).toContain('0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc')
    expect(ids).toContain('0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640')
    expect(ids).toContain('0x06df3b2bbb68adc8b0e302443692037ed9f91b42000000000000000000000005')
  })
})

describe('sandbox tokens', () => {
  test('every one but the honeypot is held by the four users', async () => {
    for (const token of sandboxTokens.filter(({ behaviour }) => behaviour !== 'honeypot')) {
      for (const { address } of sandboxAccounts.slice(0, 4)) {
        const balance = await readNumber(token.address, 'balanceOf', [address])
        expect(balance, `${token.symbol} of ${address}`).toBeGreaterThan(0n)
      }
    }
  })

  test('alice approved the Router without limit, bob up to a limit, carol not at all', async () => {
    const router = contractAddress('Router')
    const code = await context().client.request<Hex>('eth_getCode', [router, 'latest'])
    expect(code.length).toBeGreaterThan(100)
    const allowances = await Promise.all(
      ['alice', 'bob', 'carol'].map((name) =>
        readNumber(sandboxToken('USDC').address, 'allowance', [
          sandboxAccount(name).address,
          router,
        ]),
      ),
    )
    expect(allowances).toEqual([2n ** 256n - 1n, 100_000_000_000n, 0n])
  })

  test('USDT returns nothing and refuses to replace an allowance', async () => {
    const usdt = sandboxToken('USDT').address
    expect(await send(carol, usdt, 'approve', [dave, 5n])).toBe(true)
    expect(await send(carol, usdt, 'approve', [dave, 6n])).toBe(false)
    expect(await send(carol, usdt, 'approve', [dave, 0n])).toBe(true)
    const data = encode('transfer', [dave, 1n])
    const result = await context().client.request('eth_call', [{ from: carol, to: usdt, data }])
    expect(result).toBe('0x')
  })

  test('the honeypot can be bought and not be sold', async () => {
    const honeypot = sandboxToken('HNY').address
    const weth = sandboxToken('WETH').address
    const pair = pairOf('HNY', 'WETH')
    const amountOut = 10n ** 18n
    const outs = honeypot < weth ? [amountOut, 0n] : [0n, amountOut]
    expect(await send(carol, weth, 'transfer', [pair, 10n ** 18n])).toBe(true)
    expect(await send(carol, pair, 'swap', [...outs, carol, '0x'])).toBe(true)
    expect(await readNumber(honeypot, 'balanceOf', [carol])).toBe(amountOut)
    expect(await send(carol, honeypot, 'transfer', [dave, 1n])).toBe(true)
    expect(await send(carol, honeypot, 'transfer', [pair, 1n])).toBe(false)
  })

  test('a fee token takes its fee out of a transfer', async () => {
    const token = sandboxToken('STA').address
    const before = await readNumber(token, 'balanceOf', [dave])
    expect(await send(carol, token, 'transfer', [dave, 10_000n])).toBe(true)
    expect(await readNumber(token, 'balanceOf', [dave])).toBe(before + 9_900n)
  })

  test('the frozen token reverts on every transfer', async () => {
    expect(await send(alice, sandboxToken('FRZN').address, 'transfer', [dave, 1n])).toBe(false)
  })
})

test('price feeds of the sandbox are fresh at its head', async () => {
  const feed = ethereum.chainlinkFeeds.find(({ token }) => token === ethereum.wrappedNative)
  const data = await read(feed?.feed ?? '0x', 'latestRoundData')
  const answer = Number(BigInt(`0x${data.slice(66, 130)}`)) / 1e8
  const updatedAt = hexToNumber(`0x${data.slice(194, 258)}`)
  const { timestamp } = await header('latest')
  expect(answer).toBeGreaterThan(2_800)
  expect(answer).toBeLessThan(3_200)
  expect(hexToNumber(timestamp) - updatedAt).toBeLessThan(feed?.heartbeatSeconds ?? 0)
})

test('a page of a browser cannot send it text that needs no preflight', async () => {
  const { url } = context().sandbox
  const send = (type: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'text/plain;application/json',
  ]) {
    expect((await send(type)).status).toBe(415)
  }
  expect(await (await send('application/json; charset=utf-8')).json()).toMatchObject({
    result: '0x1',
  })
})
