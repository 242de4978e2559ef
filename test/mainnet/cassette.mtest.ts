/** Routes on recorded Ethereum mainnet, kept in a cassette and answered again when the node is gone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planRequests, readRequests } from '../../src/cassette/requests-file.js'
import { summarise } from '../../src/cassette/summary.js'
import { openCatalog } from '../../src/catalog/store.js'
import { verify } from '../../src/cli/replay.js'
import { loadConfig } from '../../src/config/config.js'
import { openLocalService } from '../../src/service/local-service.js'
import { createLogger } from '../../src/telemetry/log.js'
import { recordedPools, startRecordedNode } from '../support/recorded-mainnet.js'
import { describeRecorded } from './describe-recorded.js'

const requestsFile = new URL('../../examples/cassettes/mainnet.yaml', import.meta.url).pathname
/** Of the file's 40: both blocks, tokens of all kinds. */
const every = 5

describeRecorded('a cassette of recorded mainnet', () => {
  const logger = createLogger('silent')
  let folder: string
  let file: string
  let statuses: readonly (readonly [status: number, recording: number | null])[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forkroute-mainnet-cassette-'))
    file = join(folder, 'mainnet.cassette')
    const dataDir = join(folder, 'data')
    const catalog = openCatalog(dataDir)
    catalog.importPools(1, recordedPools())
    catalog.close()
    const node = await startRecordedNode()
    const config = loadConfig({ DATA_DIR: dataDir, RPC_URL_1: node.url })
    const service = await openLocalService(config, { logger, mode: { kind: 'record', file } })
    try {
      const planned = await planRequests(readRequests(requestsFile), async (_chain, tag) =>
        tag.kind === 'number' ? tag.number : 0n,
      )
      expect(planned).toHaveLength(40)
      const answers = planned
        .filter((_one, index) => index % every === 0)
        .map((one) => service.ask(one))
      statuses = (await Promise.all(answers)).map(({ status, recording }) => [status, recording])
    } finally {
      await service.close()
      await node.stop()
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('all are recorded, and code that they share is held once', () => {
    expect(statuses.map(([status]) => status)).toEqual(statuses.map(() => 200))
    expect(statuses.every(([, recording]) => recording !== null)).toBe(true)
    const { requests, bytes, chains } = summarise(file)
    expect(requests).toHaveLength(8)
    expect(chains).toMatchObject([{ firstBlock: 24_628_607, lastBlock: 24_628_608 }])
    // Code is most of it, and shared by all: of a few routes each bears more.
    expect(bytes).toBeLessThan(40 * 150_000)
  })

  test('without the node the answers are the same bytes', async () => {
    const result = await verify(file, null, () => undefined)
    expect(result).toEqual({ verified: 8, damaged: [], mismatches: [] })
  })
})
