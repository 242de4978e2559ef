/** An amount that goes beyond the ticks around the price, on the sandbox: more of them are read, and the answer follows. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { LocalRequest } from '../../../src/domain/recording.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type LocalService, openLocalService } from '../../../src/service/local-service.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { executeOnFork } from '../../support/execute.js'
import { withSandbox } from '../../support/sandbox.js'

const [link, snt, usdc] = ['LINK', 'SNT', 'USDC'].map((symbol) => sandboxToken(symbol).address)
/** Holds nothing: the execution funds exactly what the simulation did. */
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const amountIn = 600_000n * 10n ** 18n
const large: LocalRequest = {
  path: '/shortcuts/route',
  query: {
    fromAddress: stranger,
    executionMode: 'backend',
    tokenIn: `${link}`,
    amountIn: `${amountIn}`,
    tokenOut: `${snt}`,
  },
}
const usual = {
  ...large,
  query: { ...large.query, amountIn: `${10n ** 18n}`, tokenOut: `${usdc}` },
}

const context = withSandbox()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-wider-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Recording {
  readonly file: string
  readonly texts: readonly string[]
}

async function using<T>(service: LocalService, use: (service: LocalService) => Promise<T>) {
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}

/** The requests in their order by a fresh service that records them. */
async function record(
  name: string,
  requests: readonly LocalRequest[],
  widensPools: boolean,
): Promise<Recording> {
  const file = join(folder, name)
  const config = loadConfig({ DATA_DIR: join(folder, 'data'), RPC_URL_1: context().sandbox.url })
  const mode = { kind: 'record', file } as const
  const service = await openLocalService(
    { ...config, widensPools },
    { logger: createLogger('silent'), mode },
  )
  return using(service, async () => {
    const texts: string[] = []
    for (const request of requests) texts.push((await service.ask(request)).text)
    return { file, texts }
  })
}

/** The answer of the recording, of a fresh service without a node. */
async function replay({ file }: Recording, request: LocalRequest): Promise<string> {
  const config = loadConfig({ DATA_DIR: join(folder, 'data') })
  const mode = { kind: 'replay', file } as const
  const service = await openLocalService(config, { logger: createLogger('silent'), mode })
  return using(service, async () => (await service.ask(request)).text)
}

/** How many cells of the chain's state the recording holds. */
function cellsOf({ file }: Recording): number {
  const db = openSqlite(file)
  try {
    return Number(db.prepare('SELECT count(*) FROM cells').pluck().get())
  } finally {
    db.close()
  }
}

test('a usual amount reads nothing more', async () => {
  const [wide, narrow] = [
    await record('usual.cassette', [usual], true),
    await record('usual-narrow.cassette', [usual], false),
  ]
  expect(wide.texts).toEqual(narrow.texts)
  expect(cellsOf(wide)).toBe(cellsOf(narrow))
})

test('it gives more, delivers what it promises, and is the same in any service; usual amounts stay as they are', async () => {
  const wide = await record('wide.cassette', [large, usual, large], true)
  const narrow = await record('narrow.cassette', [usual, large], false)
  const [first = '', small, again] = wide.texts
  const [smallBefore, before = ''] = narrow.texts
  expect(again).toBe(first)
  expect(small).toBe(smallBefore)
  expect(await replay(wide, large)).toBe(first)
  // An earlier recording holds no more than this, and is replayed as it was.
  expect(await replay(narrow, large)).toBe(before)
  const [answer, answerBefore] = [JSON.parse(first), JSON.parse(before)]
  const gained = BigInt(answer.amountOut) - BigInt(answerBefore.amountOut)
  expect(gained * 1_000n).toBeGreaterThan(BigInt(answerBefore.amountOut))
  const { deltas, status } = await executeOnFork({
    nodeUrl: context().sandbox.url,
    blockNumber: answer.createdAt,
    tx: answer.tx,
    watch: [{ token: snt as Address, owner: stranger }],
    fund: [{ token: link as Address, amount: amountIn }],
    approve: contractAddress('Router'),
  })
  expect([status, deltas]).toEqual(['success', [BigInt(answer.amountOut)]])
})
