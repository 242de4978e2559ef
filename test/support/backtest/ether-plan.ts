/** One plan of a backtest on the sandbox chain, and how its job is followed to the end over HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { openStream } from '../event-stream.js'
import type { TestService } from '../service/service.js'

export const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const alice = sandboxAccount('alice').address
export const ether = 10n ** 18n

export const plan = {
  name: 'ether into dollars',
  blocks: { from: 'latest-20', to: 'latest-5', step: 3 },
  requests: [
    {
      name: 'alice',
      fromAddress: alice,
      tokenIn: nativeToken,
      tokenOut: usdc,
      amountIn: `${ether}`,
    },
    { name: 'nobody', tokenIn: weth, tokenOut: usdc, amountIn: `${90n * ether}`, slippage: 0 },
  ],
  variants: [
    { name: 'all' },
    { name: 'one way', splits: false, maxHops: 2, candidates: 4, ignoreStandards: 'curve' },
  ],
  delays: 2,
}
export const blocksTotal = 6

/** Few candidates: what is tested here does not depend on how good a route is. */
export const environment = (nodeUrl: string) => ({
  AUTH_MODE: 'open',
  CANDIDATES: '6',
  RPC_URL_1: nodeUrl,
})

export interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field.
  readonly blocks: any[]
}

/** Until so many blocks are done, or the job is over. */
export async function follow(
  url: string,
  id: string,
  blocks = Number.POSITIVE_INFINITY,
): Promise<string> {
  const stream = await openStream(`${url}/api/v1/backtests/${id}/events`)
  for (;;) {
    const { body } = await stream.next()
    if (body.blocksDone < blocks && ['queued', 'running'].includes(body.state)) continue
    stream.close()
    return body.state
  }
}

/** The plan's results, undisturbed. */
export async function resultsOf(service: TestService): Promise<Page> {
  const { body: job } = await service.post('/api/v1/backtests', plan)
  await follow(service.url, job.id)
  return (await service.get(`/api/v1/backtests/${job.id}/results`)).body
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-backtest-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
