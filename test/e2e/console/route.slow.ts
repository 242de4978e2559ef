/** What people do in the console, in a real browser over the real service. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { launchChromium } from '../../support/service/chromium.js'
import { openConsole, phone } from '../../support/service/console.js'
import { startService, type TestService } from '../../support/service/service.js'

const [usdc, dai] = ['USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address)
const ether = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const sender = '0x000000000000000000000000000000000000f0c5'
const split = `/route?chain=1&in=${ether}&out=${dai}&amount=200`

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

const ask = async (more: object) => {
  const given = { chainId: 1, fromAddress: sender, executionMode: 'backend', tokenIn: [ether] }
  const { body } = await service.post('/api/v1/shortcuts/route', { ...given, ...more })
  return body
}
/** As the page has it beside the shortened one. */
const units = (raw: string, decimals: number) => {
  const digits = raw.padStart(decimals + 1, '0')
  const rest = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${rest && `.${rest}`}`
}
const received = '.facts .lead .amount'

describe('Route', () => {
  test('by keys alone: from the link with the key to a picture, and again without a pool', async () => {
    const { page, tabTo, expectSound } = await openConsole(browser, service)
    expect(page.url()).toBe(`${service.url}/console#/route`)
    await tabTo('input[role=combobox]')
    await page.keyboard.type('eth')
    await page.keyboard.press('Enter')
    await tabTo('input[inputmode=decimal]')
    await page.keyboard.type('200')
    await tabTo('input[role=combobox]')
    await page.keyboard.type('dai')
    await page.waitForSelector('[role=option]')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.sankey')
    const first = await ask({ tokenOut: [dai], amountIn: [`${200n * 10n ** 18n}`] })
    expect(await page.getAttribute(received, 'title')).toBe(units(first.amountOut, 18))
    expect(await page.locator('.sankey .band').count()).toBe(
      first.route.flatMap((step: { internalRoutes?: unknown[] }) => step.internalRoutes ?? [0])
        .length,
    )
    await expectSound()

    await tabTo('[role=tab]')
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('tr.chosen').count()).toBe(1)
    await page.keyboard.press('ArrowLeft')
    await tabTo('button[aria-label^="Exclude"]')
    const label = await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')
    const pool = label.split(' ').at(-1)
    await page.keyboard.press('Enter')
    await page.waitForSelector(`button[aria-label="Use ${pool} again"]`)
    await page.waitForSelector('[aria-busy=false]')
    const second = await ask({
      tokenOut: [dai],
      amountIn: [`${200n * 10n ** 18n}`],
      excludePools: [pool],
    })
    await page.waitForSelector(`${received}[title="${units(second.amountOut, 18)}"]`)
    expect(BigInt(second.amountOut)).toBeLessThan(BigInt(first.amountOut))

    const again = await openConsole(browser, service)
    await again.page.goto(page.url())
    await again.page.waitForSelector(`${received}[title="${units(second.amountOut, 18)}"]`)
    await again.page.close()
    await page.close()
  })

  test('what is copied asks the same, and has no key', async () => {
    const { page, show } = await openConsole(browser, service)
    await show(`/route?chain=1&in=${ether}&out=${usdc}&amount=3`)
    await page.getByRole('tab', { name: 'Copy as' }).click()
    const curl = (await page.textContent('pre')) ?? ''
    const body = JSON.parse(/-d '(.*)'/.exec(curl)?.[1] ?? '')
    const { amountOut, blockNumber } = await ask(body)
    expect(await page.getAttribute(received, 'title')).toBe(units(amountOut, 6))
    expect(body.blockNumber).toBe(blockNumber)
    for (const name of ['viem', 'Regression test', 'Backtest plan', 'Bundle']) {
      await page.getByRole('button', { name, exact: true }).click()
      const text = (await page.textContent('pre')) ?? ''
      expect(text).toContain(usdc)
      expect(text).not.toContain(service.key)
      if (name === 'Regression test') expect(text).toContain(`toDeliverAtLeast(${amountOut}n)`)
      if (name === 'Bundle') {
        const bundle = JSON.parse(text)
        const path = `/api/v1/shortcuts/bundle?fromAddress=${sender}`
        const built = await service.post(path, bundle)
        expect(built.body.amountsOut).toEqual({ [`${usdc}`]: amountOut })
      }
      if (name === 'Backtest plan') {
        expect(text).toContain(`to: ${blockNumber}`)
      }
    }
    await page.close()
  })

  test('alternatives stand in tabs, each with its amounts and its picture', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show(split)
    await page.waitForSelector('.sankey')
    await page.getByRole('tab', { name: 'Alternatives' }).click()
    await page.getByRole('tab', { name: 'Alternative 1' }).waitFor()
    const { alternatives } = await ask({
      tokenOut: [dai],
      amountIn: [`${200n * 10n ** 18n}`],
      alternatives: 3,
    })
    expect(alternatives).toHaveLength(3)
    for (const [index, { amountOut, lossBps }] of alternatives.entries()) {
      await page.getByRole('tab', { name: `Alternative ${index + 1}` }).click()
      await page.waitForSelector(`[role=tabpanel] ${received}[title="${units(amountOut, 18)}"]`)
      const facts = (await page.textContent('[role=tabpanel] [role=tabpanel] .facts')) ?? ''
      expect(facts).toContain('Worse than the best')
      expect(lossBps).toBeGreaterThan(0)
    }
    await expectSound()
    await page.close()
  })

  test('two blocks beside each other', async () => {
    const { page, show, expectSound } = await openConsole(browser, service, { colorScheme: 'dark' })
    await show(`${split}&at=latest-200&vs=latest`)
    await page.waitForSelector('section[aria-label="Difference"]')
    expect(await page.locator('.sankey').count()).toBe(2)
    const { body } = await service.get('/api/v1/networks/1/blocks')
    expect(await page.textContent('section[aria-label="Difference"] dt')).toBe(
      `Block ${body.number} vs. ${body.number - 200}`,
    )
    await expectSound()
    await page.close()
  })

  test('a refusal offers the next step as a link, and the link asks with it', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show(`/route?chain=1&in=${dai}&out=${usdc}&amount=0.0000000001`)
    const given = { tokenIn: [dai], tokenOut: [usdc] }
    const refused = await ask({ ...given, amountIn: ['100000000'] })
    const [step] = refused.details.next
    const link = page.getByRole('region', { name: 'Next steps' }).getByRole('link')
    await link.waitFor()
    expect(await link.textContent()).toMatch(/^Pay 0\.\d+ DAI$/)
    await expectSound()

    await link.click()
    await page.waitForSelector('.sankey')
    expect(new URLSearchParams(page.url().split('?')[1]).get('amount')).toBe(units(step.value, 18))
    const answered = await ask({ ...given, amountIn: [step.value] })
    expect(await page.getAttribute(received, 'title')).toBe(units(answered.amountOut, 6))
    await page.close()
  })

  test('no route is said in words with what was looked at, on a phone, and a wrong key is asked for', async () => {
    const { page, show, expectSound } = await openConsole(browser, service, { viewport: phone })
    const { body: pools } = await service.get('/api/v1/aggregators')
    expect(pools.length).toBeGreaterThan(0)
    await show(`/route?chain=1&in=${ether}&out=${sender}&amount=1`)
    await page.waitForSelector('[role=alert]')
    const { code, message } = await ask({ tokenOut: [sender], amountIn: [`${10n ** 18n}`] })
    const told = await page.textContent('[role=alert]')
    expect(told).toContain(code)
    expect(told).toContain([message].flat()[0])
    await expectSound()
    await page.close()

    const other = await openConsole(browser, service, { key: 'fr_wrong' })
    expect(await other.page.textContent('h1')).toBe('API key required')
    await other.expectSound()
    await other.page.fill('input[type=password]', service.key)
    await other.page.keyboard.press('Enter')
    await other.page.waitForSelector('.heads .good')
    expect(other.page.url()).not.toContain(service.key)
    await other.page.close()
  })
})
