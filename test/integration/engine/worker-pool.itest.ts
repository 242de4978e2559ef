/** Routing threads that end in the middle of their work: a real one, for want of real memory. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import type { Address } from '../../../src/domain/primitives.js'
import { createWorkerPool, type WorkerPool } from '../../../src/engine/worker-pool.js'
import { plainSettings } from '../../support/engine.js'
import { storageReader } from '../../support/storage-reader.js'

const address: Address = '0x00000000000000000000000000000000beef0001'
const pin = { ...storageReader({}).block, chainId: 1 }

let dataDir: string
let archive: ReturnType<typeof createServer>
let place: { pin: typeof pin; archiveUrl: string; forkUrls: string[] }
let workers: WorkerPool
/** Requests to the archive that wait; answered by `answer`. */
const waiting: (() => void)[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-workers-'))
  openCatalog(dataDir).close()
  archive = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { id } = JSON.parse(body)
    waiting.push(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x60' })))
    archive.emit('asked')
  }).listen(0, '127.0.0.1')
  await once(archive, 'listening')
  const archiveUrl = `http://127.0.0.1:${(archive.address() as AddressInfo).port}`
  place = { pin, archiveUrl, forkUrls: [archiveUrl] }
  workers = createWorkerPool({
    threads: 2,
    maxHeapMb: 64,
    settings: { ...plainSettings, dataDir },
    onError: () => undefined,
  })
})

afterAll(async () => {
  await workers?.close()
  archive?.closeAllConnections()
  archive?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const small = () =>
  workers.run(
    { kind: 'isDeployed', args: { address }, place, isBackground: false },
    new AbortController().signal,
  )

/** More than the heap of a thread holds. */
const huge = () => {
  const addresses = Array.from(
    { length: 1_000_000 },
    (_, index): Address => `0x${index.toString(16).padStart(40, '0')}`,
  )
  return workers.run(
    { kind: 'prices', args: { addresses }, place, isBackground: false },
    new AbortController().signal,
  )
}

describe('createWorkerPool', () => {
  test('a thread that runs out of memory fails its own tasks with THREAD_LOST, and no other', async () => {
    const asked = once(archive, 'asked')
    const beside = small()
    await asked
    const lost = { code: 'THREAD_LOST', status: 503 }
    await expect(huge()).rejects.toMatchObject(lost)
    waiting.shift()?.()
    expect(await beside).toMatchObject({ ok: true, value: true })
    archive.on('asked', () => waiting.shift()?.())
    const after = await Promise.all(Array.from({ length: 16 }, small))
    for (const reply of after) expect(reply).toMatchObject({ ok: true, value: true })
  })
})
