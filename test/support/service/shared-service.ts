/**
 * What the files of one worker share that only ask and read: a sandbox chain, and the service on it. Started by the
 * first that wants it, ended with the worker. Who changes the chain, counts or kills things, or needs another
 * configuration starts one of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { poolJudgesOf } from '../judges.js'
import { startReadOnlyNode } from '../nodes/read-only-node.js'
import { type Answer, startService, type TestService } from './service.js'

export interface SharedService extends Pick<TestService, 'accountId' | 'get' | 'send'> {
  /** Of its chain, which can only be read there. */
  readonly nodeUrl: string
  /** What is asked by POST; nothing that the service keeps. */
  post(path: `/api/v1/shortcuts/${string}`, body: unknown): Promise<Answer>
}

let shared: Promise<SharedService> | undefined

export function sharedService(): Promise<SharedService> {
  shared ??= start()
  return shared
}

async function start(): Promise<SharedService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-shared-'))
  endWithWorker(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = await startService({
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const { url } = await startReadOnlyNode(service.nodeUrl)
  poolJudgesOf(url)
  const { accountId, get, post, send } = service
  return { accountId, get, post, send, nodeUrl: url }
}

/**
 * Vitest ends a worker by SIGTERM and waits half a second. Threads end with the process, its Anvils are ended by
 * their reaper; so all that is left is the folder.
 */
function endWithWorker(clear: () => void): void {
  process.once('exit', clear)
  process.once('SIGTERM', () => process.exit())
}
