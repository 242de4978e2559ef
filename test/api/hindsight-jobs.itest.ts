/** Jobs of hindsight over real HTTP and SQLite, with a small engine behind them; what is mined does not matter here. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unknownBlock } from '../../src/domain/common-errors.js'
import { hindsightBlockOf } from '../support/backtest/hindsight-blocks.js'
import { openStream } from '../support/event-stream.js'
import { blockNumber, openTestApi, type TestApi } from './test-api.js'

const first = blockNumber - 29
const range = { fromBlock: first, toBlock: blockNumber }
const perBlock = hindsightBlockOf(1n).transactions.length

let api: TestApi & { close(): Promise<void> }
beforeAll(async () => {
  api = await openTestApi(
    {},
    {
      hindsight: async ({ of }) => {
        if (of.kind === 'transaction') throw new Error('No job asks for one transaction.')
        const { transactions } = hindsightBlockOf(of.from)
        return { transactions, warnings: [`Block ${of.from} is made up.`] }
      },
    },
  )
})
afterAll(() => api.close())

async function create(body: object) {
  const { status, text, body: answer } = await api.post('/hindsight', body)
  expect(status, text).toBe(200)
  return answer
}

/** How many blocks were done when the job was over, and its state. */
async function follow(id: string) {
  const stream = await openStream(`${api.url}/api/v1/backtests/${id}/events`)
  for (;;) {
    const { state, blocksDone } = (await stream.next()).body
    if (!['finished', 'cancelled', 'failed'].includes(state)) continue
    await stream.end()
    return { state, blocksDone }
  }
}

const results = (id: string, query: string) => api.get(`/backtests/${id}/results?${query}`)

describe('POST /hindsight', () => {
  test('20 blocks are answered at once; 21 are a job, which is in the list of jobs', async () => {
    const { transactions, job: none } = await create({ fromBlock: first, toBlock: first + 19 })
    expect(transactions).toHaveLength(perBlock)
    expect(none).toBeUndefined()
    const answer = await create({ fromBlock: first, toBlock: first + 20 })
    expect(Object.keys(answer)).toEqual(['transactions', 'job'])
    expect(answer).toMatchObject({
      transactions: [],
      job: { kind: 'hindsight', chainId: 1, blocksTotal: 21, problem: null },
    })
    const { id } = answer.job
    expect(await follow(id)).toEqual({ state: 'finished', blocksDone: 21 })
    const { plan, ...entry } = (await api.get(`/backtests/${id}`)).body
    expect((await api.get('/backtests')).body).toEqual([entry])
    expect(plan).toEqual({
      kind: 'hindsight',
      name: `hindsight of blocks ${first} to ${first + 20}`,
      chainId: 1,
      range: { from: String(first), to: String(first + 20) },
    })
  })

  test('a few blocks are a job where that is asked for', async () => {
    const { job } = await create({ fromBlock: first, job: true, since: 5 })
    expect(await follow(job.id)).toEqual({ state: 'finished', blocksDone: 1 })
    const { body } = await api.get(`/backtests/${job.id}`)
    expect(body.plan).toMatchObject({ since: 5 })
  })

  test.each([
    [{ hash: `0x${'ab'.repeat(32)}`, job: true }, 'job must not be given together with hash'],
    [{ fromBlock: 5, toBlock: 4, job: true }, 'toBlock must not be before fromBlock'],
    [{ fromBlock: 1, toBlock: 10_001 }, 'toBlock must be at most 9999 after fromBlock'],
    [{ fromBlock: first, job: 'yes' }, 'job must be true or false'],
    [{ toBlock: 5, job: true }, 'hash or fromBlock is required'],
  ])('%o is refused', async (body, message) => {
    const reply = await api.post('/hindsight', body)
    expect(reply).toMatchObject({ status: 400, body: { message } })
  })

  test('a last block that is not there yet is refused before there is a job', async () => {
    const before = (await api.get('/backtests')).body.length
    const missing = await openTestApi(
      {},
      {
        block: async (chainId, at) => {
          throw unknownBlock({ chainId, number: BigInt(at) }, 'is not there yet')
        },
      },
    )
    const reply = await missing.post('/hindsight', range)
    await missing.close()
    expect(reply.body).toMatchObject({ code: 'UNKNOWN_BLOCK' })
    expect((await api.get('/backtests')).body).toHaveLength(before)
  })
})

describe('results', () => {
  let id: string
  beforeAll(async () => {
    id = (await create(range)).job.id
    await follow(id)
  })

  test('are pages of blocks whose transactions are those of the answer at once', async () => {
    const { body: page } = await results(id, 'limit=2')
    const [block] = page.blocks
    const { transactions, warnings } = await create({ fromBlock: first })
    expect(page.blocks).toHaveLength(2)
    expect(page.next).toBe(first + 2)
    expect(block).toMatchObject({ blockNumber: first, rows: [], warnings })
    expect(block.transactions).toEqual(transactions)
  })

  test('are lines of JSON and CSV, a line per transaction, and Parquet', async () => {
    const lines = (await results(id, 'format=jsonl')).text.trim().split('\n')
    expect(lines).toHaveLength(30 * perBlock)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      blockNumber: first,
      transactionIndex: 0,
      atItsPlace: { result: 'won' },
    })
    const csv = (await results(id, 'format=csv')).text.trim().split('\r\n')
    expect(csv).toHaveLength(30 * perBlock + 1)
    expect(csv[0]).toContain('at_its_place_net_bps')
    expect((await results(id, 'format=parquet&table=transactions')).text.slice(0, 4)).toBe('PAR1')
  })

  test('have a summary', async () => {
    const { status, body: summary } = await api.get(`/backtests/${id}/summary`)
    expect(status).toBe(200)
    expect(summary).toMatchObject({
      plan: { kind: 'hindsight' },
      blocks: 30,
      transactions: 30 * perBlock,
      reverted: 30,
      all: { swaps: 180, won: 60, tied: 30, lost: 30, unvalued: 30, withoutOurs: 30 },
      sandwiches: { swaps: 30 },
    })
  })

  test.each([
    ['format=sqlite', 'format must not be sqlite: the job is hindsight, not a backtest'],
    ['format=csv&table=routes', 'table must be transactions: the job is hindsight'],
  ])('%s is refused', async (query, message) => {
    expect(await results(id, query)).toMatchObject({ status: 400, body: { message } })
  })
})
