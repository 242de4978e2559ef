/** What the service tells of itself, and that no secret of it is among that. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { DoctorCheck, Setting, SystemState } from '../../../src/api/records/operation-records.js'
import { openIndexStore } from '../../../src/pool-index/store.js'
import { bearer, documented, startTestApi } from '../test-api.js'

const secret = 'secret-of-node'
/** Uniswap V2's factory. */
const pairs = '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'

test('/system tells what was learnt of each node, and names none', async () => {
  const api = await startTestApi(
    {},
    {
      readiness: () => ({
        ready: true,
        chains: [
          {
            chainId: 1,
            ready: true,
            blockNumber: 23_000_000,
            ageSeconds: 4,
            capabilities: {},
            problem: `https://node.example/${secret} is late`,
          },
        ],
      }),
    },
  )
  const body = await documented(api, '/system', SystemState)
  expect(body).toMatchObject({
    processes: 1,
    threads: { count: 2, tasks: 0, waiting: 0 },
    forks: { count: 2, blocks: 1, residentBytes: 1_024 },
    cache: { items: 2, diskBytes: 4_096, served: 3 },
  })
  expect(body.chains).toEqual([
    {
      chainId: 1,
      name: 'Ethereum',
      ready: true,
      blockNumber: 23_000_000,
      ageSeconds: 4,
      isSandbox: false,
      problem: 'https://… is late',
      nodes: [
        {
          number: 1,
          usable: true,
          isSetAside: false,
          problem: 'https://… answered 429',
          abilities: expect.objectContaining({ ethCall: true, proofs: false, batch: true }),
          archiveDepth: 128,
          mostCalls: 50,
          mostRequests: null,
          latencyMs: 3.5,
          requests: 11,
          limited: 2,
        },
      ],
      reads: { memory: 9, disk: 8, code: 7, empty: 6, proven: 5, node: 4, unreadable: 0 },
    },
  ])
  expect((await api.get('/system')).text).not.toMatch(/secret|node\.example/)
})

test('/system tells the declared venues, and how many pools their factories have in the index', async () => {
  const api = await startTestApi({ VENUES: 'examples/venues/uniswap-v2-factory.yaml' })
  const venue = {
    name: 'all-pairs',
    chainId: 1,
    trust: 'none',
    pools: 0,
    factory: pairs,
    indexedPools: 0,
  }
  expect((await documented(api, '/system', SystemState)).venues).toEqual([venue])
  const address = `0x${'7'.repeat(40)}` as const
  const parameters = { venue: 'all-pairs', factory: 'declared:all-pairs:1', constants: [] }
  const pool = {
    protocol: 'declared',
    id: address,
    address,
    tokens: [],
    parameters,
    block: 1n,
    gate: null,
  }
  const store = openIndexStore(api.config.dataDir)
  store.add({ chainId: 1, sources: [], from: 0n, to: 3n, pools: [pool], checkpoints: [] })
  store.close()
  expect((await documented(api, '/system', SystemState)).venues).toEqual([
    { ...venue, indexedPools: 1 },
  ])
})

test('/configuration and /doctor tell what is in force and what is unfit, and no URL of a node', async () => {
  // A node that refuses, with its own address in what it says.
  const node = createServer((req, res) => {
    res.writeHead(500).end(`no such thing at http://127.0.0.1${req.url}`)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void node.close())
  await once(node, 'listening')
  const { port } = node.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v2/${secret}`
  const api = await startTestApi({
    AUTH_MODE: 'key',
    RPC_URL_1: `${url},http://user:${secret}@127.0.0.1:1/`,
    MAX_HOPS: '2',
    TOKEN_LISTS: `https://lists.example/?key=${secret}`,
  })
  const headers = bearer(api.keys.createKey({ name: 'a', isAdmin: true }).key)
  const { body, text } = await api.get('/configuration', headers)
  expect(Setting.array().parse(body)).toEqual(body)
  const named = (name: string) => body.find((one: { name: string }) => one.name === name)
  expect(named('RPC_URL_1')).toEqual({
    name: 'RPC_URL_1',
    value: null,
    isSecret: true,
    isChanged: true,
    description: 'Nodes of the chain: 2.',
  })
  expect(named('MAX_HOPS')).toMatchObject({ value: '2', isChanged: true, isSecret: false })
  expect(named('CANDIDATES')).toMatchObject({ value: '24', isChanged: false })
  expect(named('TOKEN_LISTS')).toMatchObject({ value: 'https://…' })
  expect(named('REDIS_URL')).toMatchObject({ value: null, isSecret: true, isChanged: false })

  const doctor = await api.get('/doctor', headers)
  expect(doctor.status, doctor.text).toBe(200)
  expect(DoctorCheck.array().parse(doctor.body)).toEqual(doctor.body)
  const checked = (check: string) =>
    doctor.body.find((one: { check: string }) => one.check === check)
  expect(checked('Node.js')).toMatchObject({ ok: true })
  expect(checked('RPC_URL_1 (1 of 2)')).toMatchObject({ ok: false })
  for (const told of [text, doctor.text, api.log()]) {
    expect(told).not.toContain(secret)
    expect(told).not.toContain(`:${port}`)
  }
})
