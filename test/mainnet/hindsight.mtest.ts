/** Hindsight of a whole block of recorded mainnet: what is read equals the events of the block, and ours is solved. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/store.js'
import {
  type RecordedNode,
  recordedPools,
  recordedSwaps,
  startRecordedNode,
} from '../support/recorded-mainnet.js'
import { startService, type TestService } from '../support/service/service.js'
import { describeRecorded } from './describe-recorded.js'

const document = new URL('../../docs/how-to/hindsight.md', import.meta.url)
// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
type Found = any

describeRecorded('hindsight of recorded mainnet', () => {
  const { stateBlock, swaps: rows } = recordedSwaps()
  let node: RecordedNode
  let service: TestService
  let dataDir: string
  let told: Found[]

  beforeAll(async () => {
    // A whole block may take longer than the five minutes that `fetch` waits for an answer.
    setGlobalDispatcher(new Agent({ headersTimeout: 0 }))
    node = await startRecordedNode()
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-mainnet-'))
    const catalog = openCatalog(dataDir)
    catalog.importPools(1, recordedPools())
    catalog.close()
    const env = { RPC_URL_1: node.url, DATA_DIR: dataDir }
    service = await startService({ ...env, REQUEST_TIMEOUT_MS: '600000' })
    const answer = await hindsight(stateBlock + 1)
    expect(answer.status, answer.text).toBe(200)
    // The node has no receipts: the fork left the gas and the events that the header tells of.
    expect(answer.body.warnings).toBeUndefined()
    told = answer.body.transactions
  }, 900_000)
  afterAll(async () => {
    await service?.stop()
    await node?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const hindsight = (fromBlock: number) =>
    service.post('/api/v1/hindsight', { chainId: 1, fromBlock })

  test('each swap that is read has the amounts of its event', () => {
    // The events of a pool with hooks are not among those recorded.
    const swaps = told.filter(({ swap, hash }) => swap && rows.some(({ tx }) => tx === hash))
    expect(swaps).toHaveLength(35)
    for (const { hash, swap } of swaps) {
      const own = rows.filter(({ tx }) => tx === hash)
      expect([swap.amountIn, swap.amountOut], hash).toEqual([
        own[0]?.amountIn,
        own.at(-1)?.amountOut,
      ])
    }
  })

  test('ours is carried out at the place of each, and the document has the figures', async () => {
    const swaps = told.filter(({ swap }) => swap)
    const count = (result: string) =>
      swaps.filter(({ atItsPlace }) => atItsPlace.result === result).length
    const [won, tied, lost] = ['won', 'tied', 'lost'].map(count) as [number, number, number]
    expect(won + tied + lost).toBe(swaps.length)
    const bps = swaps.map(({ atItsPlace }) => Number(atItsPlace.netBps)).sort((a, b) => a - b)
    const median = bps[Math.floor(bps.length / 2)]
    const figures =
      `${told.length} transactions, of which ${swaps.length} are read as swaps. ` +
      `Ours won ${won}, tied ${tied} and lost ${lost} of them, and the median is ${median} bps.`
    const text = (await readFile(document, 'utf8')).replaceAll('\n', ' ')
    expect(text).toContain(figures)
  })

  test('pairs of Uniswap V2 are named by their address, since they cannot name their factory; pairs of its forks are not', () => {
    const pairs = rows.filter(({ venue }) => venue.startsWith('uniswap-v2'))
    const expected = pairs.map(({ pool, venue }) => [pool, venue === 'uniswap-v2' ? venue : null])
    const touched = told.flatMap(({ through }): Found[] => through)
    const names = pairs.map(({ pool }) => {
      const found = touched.find(({ address }) => address === pool)
      return [pool, found?.protocol]
    })
    expect(names).toEqual(expected)
    expect(names.filter(([, name]) => name)).not.toHaveLength(0)
  })

  test('a block before which no state is recorded is refused, and says so', async () => {
    const refused = await hindsight(stateBlock)
    expect(refused).toMatchObject({ status: 503, body: { code: 'STATE_UNAVAILABLE' } })
    expect(refused.body.message).toContain(
      `The transactions of block ${stateBlock} cannot be run again: no node gives the state of the block before.`,
    )
  })
})
