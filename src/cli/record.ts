/** `forkroute record`: runs requests on a service of its own and keeps them, with all that they read, in a cassette. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import pLimit from 'p-limit'
import { blockOf } from '../api/block-of.js'
import { urlOf } from '../cassette/request-form.js'
import {
  type BlockFinder,
  type PlannedRequest,
  planRequests,
  readRequests,
} from '../cassette/requests-file.js'
import { lastNumber, summarise } from '../cassette/summary.js'
import { type Config, loadConfig } from '../config/config.js'
import { type Engine, noAccount } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import { recordingHeader } from '../domain/recording.js'
import { createLogger } from '../telemetry/log.js'
import { type OutputOptions, printJson, printTable, type Report, withProgress } from './output.js'

interface Options extends OutputOptions {
  readonly requests: string
  readonly proofs?: boolean
}

interface NotKept {
  readonly request: string
  readonly status: number
  readonly message: string
}

/** The configuration of a command that starts a service for itself. */
export function localConfig(): Config {
  return loadConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' })
}

async function record(
  file: string,
  { requests: requestsFile, proofs = false }: Pick<Options, 'requests' | 'proofs'>,
  report: Report,
): Promise<{ recorded: number; notKept: NotKept[] }> {
  const requests = readRequests(requestsFile)
  const config = localConfig()
  const before = existsSync(file) ? lastNumber(file) : 0
  const logger = createLogger(config.logLevel)
  // Loaded when needed: the other commands start faster without it.
  const { openLocalService } = await import('../service/local-service.js')
  const mode = { kind: 'record', file } as const
  const local = await openLocalService(config, { logger, mode, onProgress: report })
  try {
    const planned = await planRequests(requests, blockFinder(local.service.engine))
    const notKept: NotKept[] = []
    let done = 0
    const stop = new AbortController()
    const limit = pLimit(2 * config.workers)
    const work = planned.map((plain, index) =>
      limit(async () => {
        const request = proofs ? withEvidence(plain) : plain
        stop.signal.throwIfAborted()
        // Numbers follow the order of the file, not that of the answers.
        const number = { [recordingHeader]: `${before + index + 1}` }
        const answer = await local.ask(request, number, stop.signal)
        done += 1
        report('requests', done / (planned.length + 1))
        if (answer.recording !== null) return
        const { code, message } = errorOf(answer.text)
        // The cassette cannot be written any more, so the remaining requests would be lost too.
        if (code === 'STORAGE_UNAVAILABLE') {
          const failure = new ForkrouteError('STORAGE_UNAVAILABLE', message)
          stop.abort(failure)
          throw failure
        }
        notKept.push({
          request: asked(request),
          status: answer.status,
          message,
        })
      }),
    )
    try {
      await Promise.all(work)
    } finally {
      await Promise.allSettled(work)
    }
    return { recorded: planned.length - notKept.length, notKept }
  } finally {
    await local.close()
  }
}

/** Every `latest` of a file is the same block, even if the chain moves on meanwhile. */
function blockFinder(engine: Engine): BlockFinder {
  const context = { accountId: noAccount, signal: new AbortController().signal }
  const heads = new Map<number, Promise<BlockPin>>()
  const steady: Pick<Engine, 'block' | 'blockAtTime'> = {
    blockAtTime: engine.blockAtTime,
    block(chainId, at, asked) {
      if (at !== 'latest') return engine.block(chainId, at, asked)
      const head = heads.get(chainId) ?? engine.block(chainId, at, asked)
      heads.set(chainId, head)
      return head
    },
  }
  return async (chainId, tag) => {
    // A number is checked by the request that uses it.
    if (tag.kind === 'number') return tag.number
    return (await blockOf(steady, chainId, tag, context)).number
  }
}

/** The request with evidence=true, if it may have it. */
function withEvidence(request: PlannedRequest): PlannedRequest {
  const { path, query, body } = request
  if (!/\/shortcuts\/(route|quote)$/.test(path)) return request
  if (typeof body !== 'object' || body === null) {
    return { ...request, query: { ...query, evidence: 'true' } }
  }
  return { ...request, body: { ...body, evidence: true } }
}

function errorOf(text: string): { code: string | undefined; message: string } {
  const { code, message } = JSON.parse(text) as { code?: string; message?: string | string[] }
  return { code, message: [message ?? 'answers of this endpoint are not kept'].flat().join(' ') }
}

function asked({ method, path, query }: PlannedRequest): string {
  const values = Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)])
  return `${method} ${urlOf({ path, query: Object.fromEntries(values) })}`
}

export function addRecord(program: Command): void {
  program
    .command('record')
    .description('run requests and keep them in a cassette, with all state that they need')
    .argument('<file>', 'the cassette; what is recorded is added to one that is there')
    .requiredOption('--requests <file>', 'YAML or JSON: the requests, and the blocks of each')
    .option('--proofs', 'keep evidence of each route and quote, as with evidence=true')
    .action(async (file: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { recorded, notKept } = await withProgress('Recording', (report) =>
        record(file, options, report),
      )
      const { bytes, bytesPerRequest, requests } = summarise(file)
      const facts = { recorded, notKept, requests: requests.length, bytes, bytesPerRequest }
      if (options.json) printJson(facts)
      else {
        printTable(
          [],
          [
            ['recorded', recorded],
            ['requests in all', requests.length],
            ['size', `${bytes} bytes`],
            ['per request', bytesPerRequest === null ? null : `${bytesPerRequest} bytes`],
          ],
        )
      }
      for (const { request, status, message } of notKept) {
        console.error(`not recorded: ${request}: ${status} ${message}`)
      }
      if (notKept.length) process.exitCode = 1
    })
}
