/** Ctrl-C on a terminal reaches the service and its forks at once, as systemd's stop does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { cliEntry } from '../../support/cli.js'

test('what was asked before an interrupt is answered, on new forks; then the service ends', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'forkroute-interrupt-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    AUTH_MODE: 'open',
    SANDBOX_CHAINS: '1',
  }
  const service = spawn(process.execPath, [cliEntry, 'serve'], {
    // A group of its own, so that the signal reaches everything in it.
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void service.kill('SIGKILL'))
  const ended = once(service, 'exit')
  const url = await addressOf(service.stdout)
  const quote = async (amountIn: number) => {
    const query = `tokenIn=${sandboxToken('WETH').address}&tokenOut=${sandboxToken('USDC').address}&amountIn=${amountIn}`
    const response = await fetch(`${url}/shortcuts/quote?chainId=1&${query}`)
    return { status: response.status, body: await response.json() }
  }
  const expected = await quote(10 ** 15)
  expect(expected.status).toBe(200)

  const quotes = Array.from({ length: 16 }, () => quote(10 ** 15))
  await Promise.race(quotes)
  process.kill(-(service.pid ?? 0), 'SIGINT')

  for (const answer of await Promise.all(quotes)) expect(answer).toEqual(expected)
  expect(await ended).toEqual([0, null])
})

/** The first line with an address, once the service listens. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\S+\/api\/v1/.exec(line) ?? []
    if (url) return url
  }
  throw new Error('The service ended before it listened.')
}
