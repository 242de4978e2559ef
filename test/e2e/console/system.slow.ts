/** The service as its operator sees it in the console, in a real browser over the real service. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openKeyStore } from '../../../src/api/key-store.js'
import { withSandbox } from '../../support/sandbox.js'
import { launchChromium } from '../../support/service/chromium.js'
import { openConsole, phone } from '../../support/service/console.js'
import { startService, type TestService } from '../../support/service/service.js'

const secret = 'secret-of-node'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'

const sandbox = withSandbox()
let browser: Browser
let service: TestService

beforeAll(async () => {
  service = await startService({
    RATE_LIMIT_PER_MINUTE: '1000000',
    CORS_ORIGINS: 'https://desk.example',
    RPC_URL_1: `${sandbox().sandbox.url}/?key=${secret}`,
  })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const rowsOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).locator('tbody tr')

describe('System', () => {
  test('chains, nodes and what was learnt of them; no node is named by its address', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/system')
    await rowsOf(page, 'Nodes of Ethereum').first().waitFor()
    const text = await page.textContent('main')
    expect(text).toContain('unlimited batches')
    expect(text).toContain('no archive')
    for (const part of [secret, new URL(service.nodeUrl).port]) expect(text).not.toContain(part)
    await expectSound()
  })

  test('pools are imported, found, paged and exported', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    const pools = Array.from({ length: 30 }, (_, index) => {
      const address = `0x${String(index + 1).padStart(40, '0')}`
      const tokens = [index < 29 ? weth : usdc, `0x${'ab'.repeat(20)}`]
      return { protocol: 'uniswap-v3', id: address, address, tokens, parameters: { fee: 500 } }
    })
    await show('/system?part=pools&source=imported')
    await page.getByText('No matching pools').waitFor()
    await page.getByLabel('Pools as JSON').fill('[{"protocol":"nope"}]')
    await page.getByRole('button', { name: 'Import into chain 1' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('pools[0].id')
    await page.getByLabel('Pools as JSON').fill(JSON.stringify(pools))
    await page.getByRole('button', { name: 'Import into chain 1' }).click()
    await page.getByText('30 added, 0 replaced.').waitFor()
    await page.reload()
    await page.getByText('Page 1 of 2 · 30 rows').waitFor()
    expect(await rowsOf(page, 'Pools').count()).toBe(25)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    expect(await rowsOf(page, 'Pools').count()).toBe(5)
    await page.getByRole('combobox', { name: 'Token' }).fill('usdc')
    await page.locator('[role=option]').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('USDC', { exact: true }).waitFor()
    await expect.poll(() => rowsOf(page, 'Pools').count()).toBe(1)
    await expectSound()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export all pools' }).click()
    expect((await download).suggestedFilename()).toBe('pools-1.json')
  })

  test('a key is made and shown once, works, and is disabled at the second press', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/system?part=keys')
    await page.getByLabel('Name').fill('trading desk')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.locator('.secret').textContent()
    const asked = () =>
      fetch(`${service.url}/api/v1/networks`, { headers: { authorization: `Bearer ${key}` } })
    expect((await asked()).status).toBe(200)
    await rowsOf(page, 'API keys').getByText('trading desk').first().waitFor()
    await expectSound()
    await page.reload()
    await rowsOf(page, 'API keys').getByText('trading desk').first().waitFor()
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Disable trading desk' }).click()
    expect((await asked()).status).toBe(200)
    await page.getByRole('button', { name: 'Disable permanently? trading desk' }).click()
    await rowsOf(page, 'API keys').getByText('disabled').waitFor()
    expect((await asked()).status).toBe(403)
  })

  test('the configuration shows what is set, the doctor what is fit; a key without the scope is told so', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/system?part=settings')
    await rowsOf(page, 'Variables').first().waitFor()
    const changed = (await rowsOf(page, 'Variables').allInnerTexts()).join('\n')
    expect(changed).toContain('CORS_ORIGINS')
    expect(changed).toContain('RPC_URL_1')
    expect(await page.content()).not.toContain(secret)
    expect(changed).not.toContain('MAX_HOPS')
    await page.getByRole('button', { name: 'Changed only' }).click()
    await rowsOf(page, 'Variables').getByText('MAX_HOPS').waitFor()
    await expectSound()
    await show('/system?part=machine')
    await rowsOf(page, 'Checks').first().waitFor()
    expect((await rowsOf(page, 'Checks').allInnerTexts()).join('\n')).toContain('Node.js')
    await expectSound()

    const keys = openKeyStore(service.dataDir)
    const { key } = keys.createKey({ name: 'without' })
    keys.close()
    const other = await openConsole(browser, service, { key })
    await other.show('/system?part=keys')
    await other.page.getByRole('alert').waitFor()
    expect(await other.page.getByRole('alert').textContent()).toContain('SCOPE_MISSING')
    await other.expectSound()
  })

  test('every part is sound on a phone in the dark', async () => {
    const look = { viewport: phone, colorScheme: 'dark' } as const
    const { page, show, expectSound } = await openConsole(browser, service, look)
    for (const part of ['running', 'pools', 'keys', 'settings', 'machine']) {
      await show(`/system?part=${part}`)
      await page.getByLabel('Parts of the system').locator('[aria-current=page]').waitFor()
      await page.locator('table').first().waitFor()
      await expectSound()
    }
  })
})
