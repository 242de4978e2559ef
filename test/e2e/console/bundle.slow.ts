/** A bundle made in the console, in a real browser over the real service. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { launchChromium } from '../../support/service/chromium.js'
import { desktop, openConsole, phone } from '../../support/service/console.js'
import { startService, type TestService } from '../../support/service/service.js'

const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandboxToken(symbol).address)
const pool = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const ether = 10n ** 18n
const actions = [
  {
    protocol: 'svc',
    action: 'route',
    args: { tokenIn: weth, tokenOut: usdc, amountIn: `${2n * ether}` },
  },
  {
    protocol: 'aave-v3',
    action: 'deposit',
    args: { tokenIn: usdc, amountIn: { useOutputOfCallAt: 0 }, primaryAddress: pool },
  },
]
const placeOf = (list: unknown) => `/bundle?actions=${encodeURIComponent(JSON.stringify(list))}`

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

describe('Bundle', () => {
  test('by keys alone: two actions, the second of what the first yields, simulated', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/bundle')
    await page.waitForSelector('.empty')
    await page.getByRole('combobox', { name: 'Protocol' }).waitFor()
    const add = async (protocol: string, action: string) => {
      await page.getByRole('combobox', { name: 'Protocol' }).selectOption(protocol)
      await page.locator('option', { hasText: action }).first().waitFor({ state: 'attached' })
      await page.getByRole('combobox', { name: 'Action', exact: true }).selectOption(action)
      await page.getByRole('button', { name: 'Add', exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await add('svc', 'route')
    const choose = async (label: string, within: string, symbol: string) => {
      await page.locator(within).getByRole('combobox', { name: label }).focus()
      await page.keyboard.type(symbol)
      const hasText = new RegExp(`^${symbol}`, 'i')
      await page.locator('[role=option][aria-selected=true]', { hasText }).waitFor()
      await page.keyboard.press('Enter')
    }
    await choose('tokenIn', '[data-action="0"]', 'weth')
    await choose('tokenOut', '[data-action="0"]', 'usdc')
    await page.locator('[data-action="0"] [data-argument="amountIn"] input').focus()
    await page.keyboard.type('2')
    await add('aave-v3', 'deposit')
    await choose('tokenIn', '[data-action="1"]', 'usdc')
    await page.getByLabel('primaryAddress').focus()
    await page.keyboard.type(pool)
    const from = page.locator('[data-action="1"]').getByLabel('amountIn from an output')
    await from.focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('select.reference').waitFor()
    await page.getByRole('button', { name: 'Simulate' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Steps' }).waitFor()

    const query = `chainId=1&fromAddress=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266`
    const { body } = await service.post(`/api/v1/shortcuts/bundle?${query}`, actions)
    const [amount] = Object.values<string>(body.amountsOut)
    const shown = page.locator('.facts .lead').first().locator('.amount')
    const units = `${BigInt(amount ?? 0) / 10n ** 6n}.${amount?.slice(-6).replace(/0+$/, '')}`
    // The name and the decimals of what no list has come with a question of their own.
    await page.locator('.facts .lead').first().locator('.amount[title*="."]').waitFor()
    expect(await shown.getAttribute('title')).toBe(units)
    const steps = await page.getByLabel('Steps').locator('tbody tr').allInnerTexts()
    expect(steps.map((text) => text.split('\t')[0])).toEqual(
      body.route.map((step: { action: string }) => step.action),
    )
    const approval = page.getByLabel('Required approvals').locator('tbody tr')
    await approval.waitFor()
    expect(await approval.textContent()).toContain('2 WETH')
    await expectSound()

    // Amounts in raw units.
    await page.getByRole('button', { name: 'Raw units' }).click()
    expect(await shown.textContent()).toContain(amount)
  })

  test('a reference is drawn from an output to an amount; a link repeats it; removing its action drops it', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    const [first, second] = actions
    const { amountIn: _, ...args } = second?.args ?? {}
    await show(placeOf([first, { ...second, args }]))
    const [handle, field] = [
      page.locator('[data-output="0"]'),
      page.locator('[data-action="1"] [data-argument="amountIn"]'),
    ]
    await field.waitFor()
    await handle.hover()
    await page.mouse.down()
    await field.locator('input').hover()
    expect(await page.locator('.drawing').count()).toBe(1)
    await page.mouse.up()
    expect(await page.locator('select.reference').inputValue()).toBe('0')
    expect(await page.locator('.lines-of-bundle path').count()).toBe(1)
    await expectSound()

    await page.reload()
    expect(await page.locator('select.reference').inputValue()).toBe('0')
    await page.getByRole('button', { name: 'Remove 1' }).click()
    await page.locator('[data-action="1"]').waitFor({ state: 'detached' })
    expect(await page.locator('select.reference').count()).toBe(0)
    expect(await page.getByRole('heading', { name: /deposit/ }).count()).toBe(1)
  })

  test('a refusal names the action and stays on the page, also on a phone in the dark', async () => {
    const look = { viewport: phone, colorScheme: 'dark' } as const
    const { page, show, expectSound } = await openConsole(browser, service, look)
    await show(placeOf([{ ...actions[0], args: { tokenIn: weth, tokenOut: usdc } }]))
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('amountIn')
    await expectSound()
    await page.setViewportSize(desktop)
    await expectSound()
  })
})
