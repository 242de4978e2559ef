/** Depth and Live of the console, and every view in both themes at two widths. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { launchChromium } from '../../support/service/chromium.js'
import { desktop, openConsole, phone } from '../../support/service/console.js'
import { startService, type TestService } from '../../support/service/service.js'

const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandboxToken(symbol).address)
const pair = `chain=1&in=${weth}&out=${usdc}`

let browser: Browser
let service: TestService

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function mine() {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] })
  const headers = { 'content-type': 'application/json' }
  await fetch(service.nodeUrl, { method: 'POST', headers, body })
}

describe('Depth', () => {
  test('every size as the ladder has it, and where the route changes', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show(`/depth?${pair}&least=1&most=500`)
    await page.waitForSelector('section[aria-label="Sizes"] tbody tr')
    const rows = await page.locator('section[aria-label="Sizes"] tbody tr').all()
    const ends = [rows[0], rows.at(-1)]
    const { body } = await service.post('/api/v1/shortcuts/quotes', {
      quotes: [1n, 500n].map((size) => ({
        tokenIn: [weth],
        tokenOut: [usdc],
        amountIn: [`${size * 10n ** 18n}`],
        proof: 'adaptive',
      })),
    })
    for (const [index, row] of ends.entries()) {
      const title = await row?.locator('.amount').nth(1).getAttribute('title')
      expect(Number(title)).toBe(Number(body.quotes[index].amountOut) / 1e6)
    }
    const changes = await page.locator('.tag', { hasText: 'changes' }).count()
    expect(changes).toBeGreaterThan(0)
    await page.getByText('uniswap-v2').first().waitFor()
    await expectSound()
    await page.close()
  })
})

describe('Live', () => {
  test('a row for each new block, none while it is paused, and the spread against pasted prices', async () => {
    const { page, show, expectSound } = await openConsole(browser, service, { colorScheme: 'dark' })
    await show(`/live?${pair}&amount=10`)
    const rows = page.locator('section[aria-label="Quotes"] tbody tr')
    await rows.first().waitFor()
    await mine()
    await page.getByText('2 blocks').waitFor()
    const blocks = await rows.locator('td:first-child').allInnerTexts()
    expect(Number(blocks[0])).toBe(Number(blocks[1]) + 1)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    await page.locator('summary').click()
    await page.fill('textarea', `block,price\n${blocks[1]},1000`)
    await page.keyboard.press('Tab')
    await page.getByText('1 reference prices loaded.').waitFor()
    const [price = '', reference, spread = ''] = await rows
      .first()
      .locator('td')
      .allInnerTexts()
      .then((all) => all.slice(2))
    expect(reference).toBe('1,000')
    const expected = (Number(price.replace(',', '')) / 1_000 - 1) * 10_000
    expect(Number(spread.replace(/[^\d.-]/g, ''))).toBeCloseTo(expected, -1)
    await expectSound()

    await mine()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('3 blocks').waitFor()
    await page.fill('textarea', 'nonsense')
    await page.keyboard.press('Tab')
    await page.getByText('no block and price').waitFor()
    await page.close()
  })
})

describe('Every view', () => {
  test.each([
    ['light', desktop],
    ['dark', phone],
  ] as const)('is sound while there is nothing to show: %s', async (colorScheme, viewport) => {
    const { page, show, expectSound } = await openConsole(browser, service, {
      colorScheme,
      viewport,
    })
    for (const view of ['route', 'depth', 'live', 'transfers', 'bundle', 'history', 'system']) {
      await show(`/${view}`)
      await page.waitForSelector(`nav a[aria-current=page][href="#/${view}"]`)
      await page.waitForSelector('main .card:not(.waiting)')
      await expectSound()
    }
    await page.close()
  })
})
