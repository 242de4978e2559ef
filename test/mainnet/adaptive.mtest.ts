/** `proof=adaptive` on recorded Ethereum mainnet, where much state is missing: the answers of the proof of all candidates. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/store.js'
import { nativeToken } from '../../src/domain/primitives.js'
import {
  type RecordedNode,
  recordedPools,
  recordedSwaps,
  startRecordedNode,
} from '../support/recorded-mainnet.js'
import { agreement, pricedTokens } from '../support/routing/adaptive-agreement.js'
import { startService, type TestService } from '../support/service/service.js'
import { describeRecorded } from './describe-recorded.js'

describeRecorded('adaptive proof on recorded mainnet', () => {
  const pools = recordedPools()
  let node: RecordedNode
  let service: TestService
  let dataDir: string

  beforeAll(async () => {
    node = await startRecordedNode()
    dataDir = await mkdtemp(join(tmpdir(), 'forkroute-mainnet-'))
    const catalog = openCatalog(dataDir)
    catalog.importPools(1, pools)
    catalog.close()
    const bounds = { RATE_LIMIT_PER_MINUTE: '1000000' }
    service = await startService({ RPC_URL_1: node.url, DATA_DIR: dataDir, ...bounds })
  })
  afterAll(async () => {
    await service?.stop()
    await node?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('over 800 requests between all tokens of recorded pools', async () => {
    const blockNumber = BigInt(recordedSwaps().stateBlock)
    const addresses = [...new Set([nativeToken, ...pools.flatMap(({ tokens }) => tokens)])]
    const tokens = await pricedTokens(service, addresses.slice(0, 100), blockNumber)
    const found = await agreement(service, tokens, { count: 800, seed: 18n, blockNumber })
    console.log(
      `${found.answered} answers, ${found.same} the same: ${JSON.stringify(found.simulated)}`,
    )
    for (const one of found.differences) console.log(one)
    expect(found.exceptions).toEqual([])
    expect(found.answered).toBeGreaterThan(200)
  }, 600_000)
})
