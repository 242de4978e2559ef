/**
 * Takes the pictures of docs/how-to/console.md: every view at two widths, of a service of its own on the sandbox.
 * npx tsx scripts/console-screenshots.ts [view …], after npm run build.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { sandboxToken } from '../src/sandbox/tokens.js'
import { launchChromium } from '../test/support/service/chromium.js'
import { desktop, openConsole, phone } from '../test/support/service/console.js'
import { startService, type TestService } from '../test/support/service/service.js'
import { smallPng } from './small-png.js'

const folder = fileURLToPath(new URL('../docs/how-to/console', import.meta.url))
const ether = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const [usdc, dai, weth] = ['USDC', 'DAI', 'WETH'].map((symbol) => sandboxToken(symbol).address)
const unit = 10n ** 18n
const actions = [
  {
    protocol: 'svc',
    action: 'route',
    args: { tokenIn: weth, tokenOut: usdc, amountIn: `${2n * unit}` },
  },
  {
    protocol: 'aave-v3',
    action: 'deposit',
    args: {
      tokenIn: usdc,
      amountIn: { useOutputOfCallAt: 0 },
      primaryAddress: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
    },
  },
]
/** Rich on the sandbox, whose node signs for it. */
const trader = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const tallest = 1_400

interface Shot {
  /** Of the file. */
  readonly name: string
  /** View and question. */
  readonly place: string
  /** There once all is. */
  readonly ready: string
  /** What is done before the picture. */
  act?(page: Page, service: TestService): Promise<void>
}

/** A view that is added gets its line here. */
const shots: readonly Shot[] = [
  {
    name: 'route',
    place: `/route?chain=1&in=${ether}&out=${dai}&amount=500`,
    ready: '.sankey',
  },
  {
    name: 'route-candidates',
    place: `/route?chain=1&in=${ether}&out=${usdc}&amount=20`,
    ready: '.sankey',
    act: (page) => page.getByRole('tab', { name: 'Candidates' }).click(),
  },
  {
    name: 'route-blocks',
    place: `/route?chain=1&in=${ether}&out=${usdc}&amount=50&at=latest-200&vs=latest`,
    ready: '.side-by-side .sankey',
  },
  {
    name: 'depth',
    place: `/depth?chain=1&in=${ether}&out=${usdc}&least=0.1&most=2000`,
    ready: '.legend li:nth-child(4)',
  },
  {
    name: 'live',
    place: `/live?chain=1&in=${ether}&out=${usdc}&amount=10`,
    ready: '[role=img]',
    act: async (page, service) => {
      for (let trade = 0; trade < 12; trade++) await tradeSome(page, service, trade)
      const block = Number(await page.textContent('tbody tr:last-child td'))
      await page.locator('summary').click()
      const prices = Array.from({ length: 13 }, (_, at) => `${block + at},${3_003 + (at % 4)}`)
      await page.fill('textarea', prices.join('\n'))
      await page.locator('textarea').blur()
      await page.locator('summary').click()
      await page.getByRole('heading', { name: 'Spread to' }).waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'bundle',
    place: `/bundle?actions=${encodeURIComponent(JSON.stringify(actions))}`,
    ready: '[data-action="1"]',
    act: async (page) => {
      await page.getByRole('button', { name: 'Simulate' }).click()
      await page.locator('dl.facts').first().waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'history',
    place: '/history',
    ready: 'h1',
    act: async (page, { post }) => {
      const variants = [{ name: 'router' }, { name: 'no splits', splits: false }]
      const requests = [
        { name: '50 WETH', tokenIn: weth, tokenOut: usdc, amountIn: `${50n * unit}` },
      ]
      const plan = {
        name: 'splits or not',
        blocks: { from: 'latest-11', to: 'latest' },
        requests,
        variants,
      }
      await post('/api/v1/backtests', plan)
      await page.reload()
      await page.getByRole('link', { name: plan.name }).first().click()
      await page.locator('.tag.good', { hasText: 'finished' }).waitFor()
      await page.getByLabel('Results by block').locator('.amount').first().waitFor()
    },
  },
  { name: 'system', place: '/system', ready: '[aria-label="Nodes of Ethereum"] tbody tr' },
]

/** One block with a trade in it, and until the page shows its quote. */
async function tradeSome(page: Page, { post, nodeUrl }: TestService, index: number) {
  const amountIn = `${BigInt(20 + 35 * (index % 5)) * 10n ** 18n}`
  const route = await post('/api/v1/shortcuts/route', {
    chainId: 1,
    fromAddress: trader,
    tokenIn: [ether],
    tokenOut: [usdc],
    amountIn: [amountIn],
    slippage: '300',
  })
  const { from, to, data, value } = route.body.tx
  const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: '0x2dc6c0' }
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [transaction] }
  const headers = { 'content-type': 'application/json' }
  await fetch(nodeUrl, { method: 'POST', headers, body: JSON.stringify(body) })
  await page.getByText(`${index + 2} blocks`).waitFor()
}

const wanted = process.argv.slice(2)
const chosen = shots.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
await mkdir(folder, { recursive: true })
const service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })
const browser = await launchChromium()
try {
  for (const { name, place, ready, act } of chosen) {
    for (const [width, look] of [
      ['wide', { viewport: desktop, colorScheme: 'light' }],
      ['phone', { viewport: phone, colorScheme: 'dark' }],
    ] as const) {
      const { page, show } = await openConsole(browser, service, look)
      page.setDefaultTimeout(120_000)
      await show(place)
      await page.waitForSelector(ready)
      await act?.(page, service)
      await page.waitForSelector('.waiting', { state: 'detached' })
      const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
      const clip = { x: 0, y: 0, width: look.viewport.width, height: Math.min(whole, tallest) }
      const picture = smallPng(await page.screenshot({ fullPage: true, clip }))
      await writeFile(join(folder, `${name}-${width}.png`), picture)
      await page.close()
      console.log(`${name}-${width}.png`)
    }
  }
} finally {
  await browser.close()
  await service.stop()
}
