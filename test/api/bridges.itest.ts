import { describe, expect, test } from 'vitest'
import type { BridgeCheck, BridgeHop } from '../../src/domain/bridges/check.js'
import type { Engine } from '../../src/domain/engine.js'
import { ForkrouteError } from '../../src/domain/errors.js'
import { type Address, nativeToken } from '../../src/domain/primitives.js'
import { openStream } from '../support/event-stream.js'
import { pinOf } from '../support/pin.js'
import { answerTo, bearer, dai, sender, startTestApi, usdc, weth } from './test-api.js'

const hash = `0x${'aB'.repeat(32)}`
const lower = hash.toLowerCase() as `0x${string}`
const check = `/across/bridge/check?chainId=1&txHash=${hash}`

function hop(change: Partial<BridgeHop> = {}): BridgeHop {
  return {
    bridge: 'across',
    id: '7',
    status: 'delivered',
    destinationChainId: 8453,
    token: usdc,
    amount: 2n ** 70n,
    receiver: dai,
    hasMessage: true,
    checkedAt: 90,
    source: { chainId: 1, transactionHash: lower, blockNumber: 5, timestamp: 1_000 },
    destination: {
      chainId: 8453,
      blockNumber: 88,
      timestamp: 1_007,
      transactionHash: `0x${'cd'.repeat(32)}`,
    },
    ...change,
  }
}

describe('GET /{bridge}/bridge/check', () => {
  test('asks for the bridge, the chain and the hash in lower case; pending has nothing more', async () => {
    const api = await startTestApi()
    const { status, body } = await api.get(check)
    expect(status).toBe(200)
    expect(body).toEqual({ sourceChainId: 1, sourceTxHash: lower, status: 'pending' })
    await api.get(`/layerzero/bridge/check?txHash=${hash}`)
    expect(api.asked.checks).toEqual([
      { bridge: 'across', chainId: 1, transactionHash: lower },
      { bridge: 'layerzero', chainId: 1, transactionHash: lower },
    ])
  })

  test('one delivery: its fields, and the events of both sides', async () => {
    const of = { chainId: 1, transactionHash: lower, status: 'delivered' as const }
    const api = await startTestApi({}, { bridgeCheck: async () => ({ ...of, hops: [hop()] }) })
    const { body } = await api.get(check)
    expect(body).toEqual({
      sourceChainId: 1,
      sourceTxHash: lower,
      destinationChainId: 8453,
      destinationTxHash: `0x${'cd'.repeat(32)}`,
      status: 'delivered',
      sourceEvent: {
        bridge: 'across',
        id: '7',
        blockNumber: 5,
        timestamp: 1_000,
        token: usdc,
        amount: (2n ** 70n).toString(),
        receiver: dai,
        hasMessage: true,
      },
      destinationEvent: { blockNumber: 88, timestamp: 1_007 },
      destinationBlockNumber: 90,
    })
  })

  test('several deliveries are hops; what they have in common stands above', async () => {
    const waiting = hop({ id: '8', status: 'inflight', destination: null, error: 'It waits.' })
    const far = hop({ id: '9', status: 'unknown', destinationChainId: null, checkedAt: null })
    const of = { chainId: 1, transactionHash: lower, status: 'inflight' as const }
    let hops = [hop(), waiting]
    const api = await startTestApi(
      {},
      { bridgeCheck: async () => ({ ...of, hops, error: 'It waits.' }) },
    )
    const { body } = await api.get(check)
    expect(body).toMatchObject({ status: 'inflight', destinationChainId: 8453, error: 'It waits.' })
    expect(body.hops.map((one: { status: string }) => one.status)).toEqual([
      'delivered',
      'inflight',
    ])
    expect(body.hops[1]).not.toHaveProperty('destinationTxHash')
    hops = [hop(), far]
    const apart = await api.get(check)
    expect(apart.body).not.toHaveProperty('destinationChainId')
    expect(apart.body.hops[1]).not.toHaveProperty('destinationBlockNumber')
  })

  test.each([
    ['/hop/bridge/check', [/^bridge must be one of across, stargate/, /^txHash is required/]],
    ['/across/bridge/check?txHash=0x12', [/^txHash must be the hash of a transaction/]],
    [`/across/bridge/check?chainId=x&txHash=${hash}`, [/^chainId must be an integer/]],
    [`/across/bridge/check?chainId=5&txHash=${hash}`, [/^chainId 5 is not configured/]],
  ])('%s is a 400', async (path, messages) => {
    const { status, body } = await (await startTestApi()).get(path)
    expect(status).toBe(400)
    const found = [body.message].flat()
    expect(found).toHaveLength(messages.length)
    for (const [index, message] of messages.entries()) expect(found[index]).toMatch(message)
  })

  test('what the engine refuses is the answer', async () => {
    const api = await startTestApi(
      {},
      {
        bridgeCheck: async () => {
          throw new ForkrouteError('NOT_FOUND', 'The bridge ccip is not installed here.')
        },
      },
    )
    const { status, body } = await api.get(`/ccip/bridge/check?txHash=${hash}`)
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('GET /{bridge}/bridge/events', () => {
  const eventsPath = `/api/v1/across/bridge/events?chainId=1&txHash=${hash}`
  const of = { chainId: 1, transactionHash: lower }
  const waiting = hop({ status: 'inflight', destination: null })

  /** An engine that gives one state, or error, after the other; each head is a new one. */
  function engineWith(states: readonly (BridgeCheck | ForkrouteError)[]) {
    const left = [...states]
    const heads: number[] = []
    const change: Partial<Engine> = {
      async bridgeCheck() {
        const next = left.shift()
        if (!next) throw new Error('asked too often')
        if (next instanceof ForkrouteError) throw next
        return next
      },
      async headAfter(chainId) {
        heads.push(chainId)
        return pinOf(chainId, heads.length)
      },
    }
    return { change, heads, left }
  }

  test('each change is an event with its time, what stays the same is none, and the last state ends it', async () => {
    const engine = engineWith([
      { ...of, status: 'pending', hops: [] },
      { ...of, status: 'inflight', hops: [waiting] },
      { ...of, status: 'inflight', hops: [{ ...waiting, checkedAt: 91 }] },
      new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.'),
      { ...of, status: 'delivered', hops: [hop()] },
    ])
    const api = await startTestApi({}, engine.change)
    const stream = await openStream(`${api.url}${eventsPath}`)
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
    const before = Math.floor(Date.now() / 1_000) - 60
    const pending = await stream.next()
    expect(pending).toMatchObject({ event: 'transfer', id: 'pending' })
    expect(pending.body).toEqual({
      sourceChainId: 1,
      sourceTxHash: lower,
      status: 'pending',
      seenAt: expect.any(Number),
    })
    expect(pending.body.seenAt).toBeGreaterThan(before)
    const inflight = await stream.next()
    expect(inflight.body).toMatchObject({ status: 'inflight', destinationBlockNumber: 90 })
    expect(await stream.next()).toMatchObject({
      event: 'error',
      body: { code: 'UPSTREAM_UNAVAILABLE' },
    })
    const delivered = await stream.next()
    expect(delivered).toMatchObject({ event: 'transfer', id: 'delivered' })
    expect(delivered.body.destinationEvent).toEqual({ blockNumber: 88, timestamp: 1_007 })
    expect(await stream.next()).toEqual({
      event: 'end',
      id: 'settled',
      body: { reason: 'settled' },
    })
    await stream.end()
    // Blocks of the source until it is mined, of the destination from then on.
    expect(engine.heads).toEqual([1, 8453, 8453, 8453])
    expect(engine.left).toEqual([])
  })

  test('what cannot be read at the beginning is the answer', async () => {
    const none = new ForkrouteError('NOT_FOUND', 'No node knows it.')
    const api = await startTestApi({}, engineWith([none]).change)
    const { status, body } = await api.get(eventsPath.replace('/api/v1', ''))
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })

  test('one that lasts as long as it may says so', async () => {
    const engine = engineWith([{ ...of, status: 'pending', hops: [] }])
    const api = await startTestApi(
      { MAX_STREAM_SECONDS: '1' },
      {
        ...engine.change,
        headAfter: (_chainId, _after, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      },
    )
    const stream = await openStream(`${api.url}${eventsPath}`)
    expect((await stream.next()).event).toBe('transfer')
    expect(await stream.next()).toEqual({ event: 'end', id: 'time', body: { reason: 'time' } })
    await stream.end()
  })

  test('a transfer that has ended is one event', async () => {
    const reverted = { ...of, status: 'failed' as const, hops: [], error: 'It reverted.' }
    const engine = engineWith([reverted])
    const api = await startTestApi({}, engine.change)
    const stream = await openStream(`${api.url}${eventsPath}`)
    expect((await stream.next()).body).toMatchObject({ status: 'failed', error: 'It reverted.' })
    await stream.end()
    expect(engine.heads).toEqual([])
  })
})

describe('GET /bridge/events', () => {
  const eventsPath = `/api/v1/bridge/events?address=${sender}`
  const hashes = ['11', '22'].map((byte) => `0x${byte.repeat(32)}` as const)
  const [first, second] = hashes as [`0x${string}`, `0x${string}`]
  const searched = [{ chainId: 1, fromBlock: 3, toBlock: 90 }]
  const sent = { chainId: 1, blockNumber: 80, timestamp: 1_000, bridges: ['across'] }

  test('what is found and where, then the states of each until all have ended', async () => {
    const states: Record<string, (BridgeCheck['status'] | ForkrouteError)[]> = {
      [first]: ['inflight', new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node.'), 'delivered'],
      [second]: ['delivered'],
    }
    let blocks = 0
    const api = await startTestApi(
      {},
      {
        bridgeTransfers: async () => ({
          searched,
          unsearched: [{ chainId: 8453, message: 'Base gives no events.' }],
          count: 3,
          transfers: hashes.map((transactionHash) => ({ ...sent, transactionHash })),
        }),
        async bridgeCheck({ bridge, chainId, transactionHash }) {
          expect(bridge).toBeNull()
          const status = states[transactionHash]?.shift()
          if (!status) throw new Error('asked too often')
          if (status instanceof ForkrouteError) throw status
          const hops = status === 'inflight' ? [hop({ status, destination: null })] : [hop()]
          return { chainId, transactionHash, status, hops }
        },
        async headAfter(chainId) {
          blocks += 1
          expect(chainId).toBe(8453)
          return pinOf(chainId, blocks)
        },
      },
    )
    const stream = await openStream(`${api.url}${eventsPath}`)
    expect(await stream.next()).toEqual({
      event: 'transfers',
      id: '3',
      body: {
        searched,
        unsearched: [{ chainId: 8453, error: 'Base gives no events.' }],
        count: 3,
        transfers: hashes.map((sourceTxHash) => ({
          sourceChainId: 1,
          sourceTxHash,
          blockNumber: 80,
          timestamp: 1_000,
          bridges: ['across'],
        })),
      },
    })
    const told = []
    for (let count = 0; count < 4; count += 1) {
      const { event, body } = await stream.next()
      told.push([event, body.sourceTxHash, body.status ?? body.code])
    }
    expect(told).toEqual([
      ['transfer', first, 'inflight'],
      ['transfer', second, 'delivered'],
      ['error', undefined, 'UPSTREAM_UNAVAILABLE'],
      ['transfer', first, 'delivered'],
    ])
    expect((await stream.next()).body).toEqual({ reason: 'settled' })
    await stream.end()
  })

  test('without events of any chain, and without an address, it is an error', async () => {
    const none = new ForkrouteError('STATE_UNAVAILABLE', 'The nodes give no events.')
    const api = await startTestApi({}, { bridgeTransfers: () => Promise.reject(none) })
    const { status, body } = await api.get(eventsPath.replace('/api/v1', ''))
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'STATE_UNAVAILABLE' })
    expect((await api.get('/bridge/events')).status).toBe(400)
  })
})

describe('GET /layerzero/pool and /stargate/pool', () => {
  test('pools with their other ends, or null', async () => {
    const api = await startTestApi()
    for (const name of ['layerzero', 'stargate']) {
      const { body } = await api.get(`/${name}/pool?chainId=1&token=${usdc}`)
      expect(body).toEqual([
        {
          pool: weth,
          chainId: 1,
          destinationChainId: 8453,
          token: usdc,
          decimals: 6,
          destinationData: { pool: dai, token: usdc, decimals: 18 },
        },
      ])
      expect((await api.get(`/${name}/pool?token=${dai}`)).text).toBe('null')
      expect((await api.get(`/${name}/pool`)).status).toBe(400)
      expect((await api.get(`/${name}/pool?token=${usdc}&chainId=7`)).body.code).toBe(
        'UNKNOWN_CHAIN',
      )
    }
  })
})

test('what clients ask of bridges that are not installed, or not on a chain, is null', async () => {
  const api = await startTestApi()
  for (const path of ['/ccip/router', '/cctp/bridge/tokenmessengerv2']) {
    expect((await api.get(`${path}?chainId=8453`)).text).toBe('null')
    expect((await api.get(`${path}?chainId=7`)).body.code).toBe('UNKNOWN_CHAIN')
  }
  const { body } = await api.get('/cctp/bridge/tokenmessengerv2?chainId=1')
  expect(body).toEqual({ address: weth })
})

describe('GET /cctp/bridge/claim', () => {
  test('a claim is the transaction on the destination, its value as a text', async () => {
    const tx = { chainId: 8453, to: dai as Address, data: '0x57ecfd28' as const, value: 0n }
    const api = await startTestApi(
      {},
      { cctpClaim: async () => ({ claimable: true, destinationChainId: 8453, tx }) },
    )
    const { body } = await api.get(`/cctp/bridge/claim?chainId=1&txHash=${hash}`)
    expect(body).toEqual({
      claimable: true,
      destinationChainId: 8453,
      tx: { ...tx, value: '0' },
    })
  })

  test('what cannot be claimed has the reason, and asks by hash and chain', async () => {
    const api = await startTestApi()
    const { body } = await api.get(`/cctp/bridge/claim?chainId=1&txHash=${hash}`)
    expect(body).toEqual({ claimable: false, reason: 'It is not attested yet.' })
    expect(api.asked.checks).toEqual([{ bridge: 'cctp', chainId: 1, transactionHash: lower }])
    expect((await api.get('/cctp/bridge/claim')).status).toBe(400)
  })
})

test('names of bridges may have any letter case', async () => {
  const api = await startTestApi()
  const query = `fromAddress=${sender}&tokenIn=${usdc}&tokenOut=${usdc}&amountIn=1000`
  const reply = await api.get(
    `/shortcuts/route?${query}&destinationChainId=8453&ignoreBridges=Stargate,CCIP&bridge=Canonical`,
  )
  expect(reply.status, reply.text).toBe(200)
  expect(api.asked.routes[0]?.crosschain).toMatchObject({
    ignoreBridges: ['stargate', 'ccip'],
    bridge: 'canonical',
  })
})

describe('POST /api/experimental/multichain/shortcut/route', () => {
  const path = '/api/experimental/multichain/shortcut/route'
  const body = {
    amountIn: '1000',
    slippage: '30',
    fromAddress: sender,
    in: { sourceChainId: 1, token: usdc },
    out: { destinationChainId: 8453, token: nativeToken.toUpperCase().replace('0X', '0x') },
  }

  test('is a route with all modes; tx.value is hexadecimal, and nothing else is answered', async () => {
    const api = await startTestApi()
    const reply = await api.post(path, body)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toEqual({
      createdAt: 23_000_000,
      tx: { from: sender, chainId: 1, value: '0x5', to: dai, data: '0x1234' },
    })
    expect(api.asked.routes).toEqual([
      expect.objectContaining({
        chainId: 1,
        fromAddress: sender,
        strategy: 'router',
        executionMode: 'user',
        inputs: [{ token: usdc, amount: 1_000n }],
        tokensOut: [nativeToken],
        limit: { kind: 'slippage', centiBps: 3_000n },
        crosschain: { destinationChainId: 8453, mode: 'full', ignoreBridges: [] },
      }),
    ])
  })

  test('ids as texts, no slippage and the same chain: a plain route', async () => {
    const api = await startTestApi()
    const { slippage: _, ...rest } = body
    const same = {
      ...rest,
      in: { sourceChainId: '1', token: usdc },
      out: { destinationChainId: '1', token: dai },
    }
    expect((await api.post(path, same)).status).toBe(200)
    expect(api.asked.routes[0]).not.toHaveProperty('crosschain')
    expect(api.asked.routes[0]?.limit).toEqual({ kind: 'slippage', centiBps: 5_000n })
  })

  test('a large value keeps every digit', async () => {
    const value = 2n ** 80n + 1n
    const api = await startTestApi(
      {},
      {
        route: async (request) => {
          const answer = answerTo(request)
          return { ...answer, tx: { ...answer.tx, value } }
        },
      },
    )
    expect((await api.post(path, body)).body.tx.value).toBe('0x100000000000000000001')
  })

  test('every wrong field is listed at once', async () => {
    const api = await startTestApi()
    const { status, body: refusal } = await api.post(path, {
      amountIn: '0',
      slippage: 'x',
      in: { sourceChainId: 0, token: '0x12' },
      out: 5,
    })
    expect(status).toBe(400)
    const messages = [refusal.message].flat().join('\n')
    for (const name of [
      'amountIn',
      'slippage',
      'in.sourceChainId',
      'in.token',
      'out',
      'fromAddress',
    ]) {
      expect(messages).toContain(name)
    }
    const { body: same } = await api.post(path, {
      ...body,
      out: { destinationChainId: 1, token: usdc },
    })
    expect(same.message).toBe('out.token must differ from in.token on the same chain')
  })

  test('needs a key, has no short form, and takes POST alone', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    expect((await api.post(path, body)).status).toBe(401)
    const { key } = api.keys.createKey({ name: 'test' })
    expect((await api.post(path, body, bearer(key))).status).toBe(200)
    expect((await api.get(path, bearer(key))).status).toBe(405)
    const short = '/v1/multichain/shortcut/route'
    expect((await api.post(short, body, bearer(key))).status).toBe(404)
  })
})
