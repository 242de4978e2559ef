/** The client in a page of another origin, in a real browser. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { launchChromium } from '../../support/service/chromium.js'
import { startService, type TestService } from '../../support/service/service.js'

const entry = fileURLToPath(new URL('../../../src/client/index.ts', import.meta.url))

let browser: Browser
let pages: Server
let origin: string
let service: TestService

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'client',
    platform: 'browser',
    target: 'chrome109',
  })
  const [{ text: script } = { text: '' }] = outputFiles
  pages = createServer((asked, answer) => {
    const isScript = asked.url === '/client.js'
    answer.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    answer.end(
      isScript ? script : '<!doctype html><title>x</title><script src="/client.js"></script>',
    )
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  service = await startService({ AUTH_MODE: 'key', CORS_ORIGINS: origin })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  pages?.close()
})

test('quotes, streams and refusals reach a page', async () => {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(origin)
  const [tokenIn, tokenOut] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
  // Text, since what runs in the page is not of this process.
  const found = await page.evaluate(`(async () => {
    const { createForkrouteClient, UnauthorizedError } = client
    const quote = { tokenIn: ['${tokenIn}'], tokenOut: ['${tokenOut}'], amountIn: [10n ** 18n] }
    const forkroute = createForkrouteClient({ url: '${service.url}', key: '${service.key}' })
    const { amountOut, blockNumber } = await forkroute.quote(quote)
    const events = []
    for await (const { event, data } of forkroute.streamQuotes({ quotes: [quote] })) {
      events.push([event, data.blockNumber, String(data.quotes[0].amountOut)])
      break
    }
    const refusal = await createForkrouteClient({ url: '${service.url}', key: 'fr_no' }).networks().catch((error) => error)
    return {
      kind: typeof amountOut,
      amountOut: String(amountOut),
      blockNumber,
      events,
      isRefused: refusal instanceof UnauthorizedError,
    }
  })()`)
  const direct = await service.get('/api/v1/shortcuts/quote', {
    tokenIn,
    tokenOut,
    amountIn: `${10n ** 18n}`,
  })
  const { amountOut, blockNumber } = direct.body
  expect(found).toEqual({
    kind: 'bigint',
    amountOut,
    blockNumber,
    isRefused: true,
    events: [['quotes', blockNumber, amountOut]],
  })
  expect(problems).toEqual([])
})
