/** Answers of the sandbox recorded over HTTP: a cassette, and what each of its requests was answered. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { loadConfig } from '../../../src/config/config.js'
import { type Hex, nativeToken } from '../../../src/domain/primitives.js'
import type { LocalRequest } from '../../../src/domain/recording.js'
import type { ArchiveMode } from '../../../src/rpc/archive/archive-messages.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type LocalService, openLocalService } from '../../../src/service/local-service.js'
import { createLogger } from '../../../src/telemetry/log.js'
import { runCli } from '../cli.js'
import { withSandbox } from '../sandbox.js'

const [weth, usdc, dai] = ['WETH', 'USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address)
export const [uni, link] = ['UNI', 'LINK'].map((symbol) => sandboxToken(symbol).address)
export const from = sandboxAccount('alice').address
const ether = (10n ** 18n).toString()

/** Names no block: answered at the newest one. */
export const atHead: LocalRequest = {
  path: '/shortcuts/route',
  query: { fromAddress: from, tokenIn: nativeToken, amountIn: ether, tokenOut: `${usdc}` },
}

function requests(past: number): LocalRequest[] {
  const trade = { tokenIn: `${uni}`, amountIn: ether, tokenOut: `${link}` }
  const swap = { tokenIn: weth, amountIn: ether, tokenOut: dai, slippage: '100' }
  return [
    atHead,
    {
      path: '/shortcuts/route',
      query: { ...trade, fromAddress: from, blockNumber: past, executionMode: 'backend' },
    },
    {
      path: '/shortcuts/quotes',
      body: { quotes: [{ ...trade, amountIn: ['5', ether] }, { tokenIn: 'x' }] },
    },
    {
      path: '/shortcuts/bundle',
      query: { fromAddress: from, blockNumber: past },
      body: [{ protocol: 'svc', action: 'route', args: swap }],
    },
    { path: '/prices/1', query: { addresses: [`${weth}`, `${uni}`] } },
    // A refusal is an answer, too.
    { path: '/shortcuts/route', query: { ...trade, fromAddress: `0x${'12'.repeat(20)}` } },
  ]
}

export interface Recorded {
  readonly request: LocalRequest
  readonly status: number
  readonly text: string
  readonly number: number
}

export interface CassetteContext {
  readonly folder: string
  readonly file: string
  readonly recorded: readonly Recorded[]
  /** The newest block of the first recordings. */
  readonly head: number
}

/** As `again`, by a fresh replay of one thread that is asked nothing else. */
export async function againAlone(
  { folder, file }: Pick<CassetteContext, 'folder' | 'file'>,
  one: Recorded,
  env: Record<string, string> = {},
): Promise<string> {
  const mode = { kind: 'replay', file } as const
  const service = await open(folder, mode, { WORKERS: '1', FORKS_PER_BLOCK: '1', ...env })
  try {
    return await again(service, one)
  } finally {
    await service.close()
  }
}

/** Call in a file: what was recorded is there when its tests run, and the node no longer. */
export function withCassette(): () => CassetteContext {
  let context: CassetteContext
  let folder: string
  const chain = withSandbox()
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forkroute-cassette-'))
    const file = join(folder, 'one.cassette')
    const { url } = chain().sandbox
    const recorded: Recorded[] = []
    const service = await open(folder, { kind: 'record', file }, { RPC_URL_1: url, WORKERS: '2' })
    const head = service.service.engine.networks()[0]?.blockNumber ?? 0
    try {
      for (const request of requests(head - 2)) {
        const { status, text, recording } = await service.ask(request)
        recorded.push({ request, status, text, number: recording ?? 0 })
      }
      // What may pass, or is no calculation, is no fact about a block.
      expect((await service.ask({ path: '/networks' })).recording).toBeNull()
      const unknown = { ...atHead, query: { ...atHead.query, blockNumber: head + 9 } }
      expect(await service.ask(unknown)).toMatchObject({ status: 400, recording: null })
    } finally {
      await service.close()
    }
    await addByCommand(folder, file, url)
    await chain().sandbox.stop()
    context = { folder, file, recorded, head }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return () => context
}

/** The same again one block later, by the command line. */
async function addByCommand(folder: string, file: string, url: string): Promise<void> {
  const client = createRpcClient(url)
  const { timestamp } = (await client.request('eth_getBlockByNumber', ['latest', false])) as {
    timestamp: Hex
  }
  await client.request('anvil_mine', ['0x1'])
  await client.close()
  const list = join(folder, 'requests.yaml')
  await writeFile(list, JSON.stringify([atHead, { ...atHead, blocks: `@${BigInt(timestamp)}` }]))
  const env = { RPC_URL_1: url, DATA_DIR: join(folder, 'data') }
  const { code, out, err } = await runCli(['record', file, '--requests', list, '--json'], env)
  expect(code, err).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ recorded: 2, notKept: [], requests: 8 })
}

/** Nothing of the environment: what a replay needs is in its cassette. */
export function open(
  folder: string,
  mode: ArchiveMode,
  env: Record<string, string> = {},
): Promise<LocalService> {
  const config = loadConfig({
    DATA_DIR: join(folder, 'data'),
    MAX_HOPS: mode.kind === 'replay' ? '1' : '3',
    ...env,
  })
  return openLocalService(config, { logger: createLogger('silent'), mode })
}

/** The answer of a recording; of a refusal without the id of its request. */
export async function again(service: LocalService, { request, number }: Recorded) {
  const { status, text } = await service.ask(request, { 'x-forkroute-recording': String(number) })
  return `${status} ${withoutId(text)}`
}

function withoutId(text: string): string {
  return text.replace(/,"requestId":"[^"]*"/, '')
}

export function expectedOf({ status, text }: Recorded): string {
  return `${status} ${withoutId(text)}`
}
