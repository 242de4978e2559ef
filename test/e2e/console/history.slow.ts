/** Backtests, hindsight, cassettes and suites in the console, in a real browser over the real service. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { open } from '../../support/service/cassette-context.js'
import { launchChromium } from '../../support/service/chromium.js'
import { openConsole, phone } from '../../support/service/console.js'
import { startService, type TestService } from '../../support/service/service.js'

const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => sandboxToken(symbol).address)
const quote = { tokenIn: `${weth}`, tokenOut: `${usdc}`, amountIn: `${10n ** 18n}` }

let browser: Browser
let service: TestService
let folder: string
let answered: { readonly amountOut: string; readonly blockNumber: number }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-history-'))
  const cassettes = join(folder, 'cassettes')
  await mkdir(cassettes)
  service = await startService({
    CASSETTES_DIR: cassettes,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const mode = { kind: 'record', file: join(cassettes, 'one.cassette') } as const
  const recorder = await open(folder, mode, { RPC_URL_1: service.nodeUrl, WORKERS: '1' })
  answered = JSON.parse((await recorder.ask({ path: '/shortcuts/quote', query: quote })).text)
  await recorder.ask({ path: '/prices/1', query: { addresses: [`${weth}`] } })
  const atBlock = { blockNumber: `${answered.blockNumber}`, evidence: 'true' }
  await recorder.ask({ path: '/shortcuts/quote', query: { ...quote, ...atBlock } })
  await recorder.close()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const shows = (page: Page, text: string | RegExp) =>
  page.getByText(text).first().waitFor({ timeout: 90_000 })
const jobs = async () => (await service.get('/api/v1/backtests')).body

async function start(page: Page, name: string, from: string, step: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('combobox', { name: 'You receive' }).fill('usdc')
  await page.locator('[role=option]').first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('First block or time').fill(from)
  await page.getByLabel('Block interval').fill(step)
  await page.getByLabel('Compare with').selectOption('splits')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name }).waitFor()
}

describe('Backtests', () => {
  test('one is started and watched, and its report is read inside', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/history')
    await shows(page, 'No backtests')
    await start(page, 'short', 'latest-2', '1')
    await page.locator('.tag.good', { hasText: 'finished' }).waitFor({ timeout: 120_000 })
    const [job] = await jobs()
    await page.getByLabel('Results by variant').getByText('3 of 3').first().waitFor()
    const { body: summary } = await service.get(`/api/v1/backtests/${job.id}/summary`)
    const rows = await page.getByLabel('Results by variant').locator('tbody tr').allInnerTexts()
    expect(rows).toHaveLength(summary.variants.length)
    expect(rows[1]).toContain('no splits')
    expect(rows[1]?.split('\t').map((cell) => cell.trim())).toContain('50 bps')
    const { body: results } = await service.get(`/api/v1/backtests/${job.id}/results`)
    const amount = BigInt(results.blocks[0].rows[0].amountsOut[0])
    const shown = page.getByLabel('Results by block').locator('.amount').first()
    await shown.waitFor()
    expect(await shown.getAttribute('title')).toBe(
      `${amount / 10n ** 6n}.${`${amount}`.slice(-6).replace(/0+$/, '')}`,
    )
    await expectSound()
  })

  test('one is cancelled, resumed, cancelled and removed; two are compared', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/history')
    await start(page, 'long', '100', '1')
    await page.getByRole('button', { name: 'Cancel long' }).click()
    await page.locator('.tag.warn', { hasText: 'cancelled' }).waitFor()
    await page.getByRole('button', { name: 'Resume long' }).click()
    await page.getByRole('button', { name: 'Cancel long' }).waitFor()
    expect((await jobs())[0].state).toMatch(/queued|running/)
    await page.getByRole('button', { name: 'Cancel long' }).click()
    await page.locator('.tag.warn', { hasText: 'cancelled' }).waitFor()

    await page.getByRole('link', { name: '← All backtests' }).click()
    await page.getByLabel('Compare long').check()
    await page.getByLabel('Compare short').check()
    await page.getByRole('button', { name: 'Compare 2 selected' }).click()
    const table = page.getByLabel('Variants of the selected backtests')
    await table.waitFor()
    expect(await table.locator('tbody tr').count()).toBe(4)
    await expectSound()

    await page.goBack()
    await page.getByRole('button', { name: 'Delete long' }).click()
    await page.getByRole('button', { name: 'Delete with results? long' }).click()
    await page.getByRole('link', { name: 'long' }).waitFor({ state: 'detached' })
    expect((await jobs()).map(({ name }: { name: string }) => name)).toEqual(['short'])
  })

  test('a plan that is wrong is refused with every mistake', async () => {
    const { page, show } = await openConsole(browser, service)
    await show('/history')
    await page.getByRole('button', { name: 'Plan as JSON' }).click()
    await page.getByLabel('Plan as JSON').fill('{"blocks": {"from": 5}, "requests": [], "x": 1}')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('INVALID_REQUEST')
  })
})

describe('Cassettes and suites', () => {
  test('a cassette is listed, read, verified, and one request replayed', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    await show('/history?part=cassettes')
    await page.getByRole('link', { name: 'one.cassette' }).click()
    await page.getByRole('link', { name: '#1' }).click()
    await shows(page, `"amountOut": "${answered.amountOut}"`)
    await page.getByRole('button', { name: 'Verify all' }).click()
    await shows(page, '3 identical, 0 different, 0 damaged rows.')
    await expectSound()
    await page.getByRole('button', { name: 'Replay request 2' }).click()
    await shows(page, '1 identical')
    const { body } = await service.get('/api/v1/checks')
    expect(body).toMatchObject([
      { kind: 'cassette', state: 'finished', ok: true, cassette: { verified: 1 } },
      { kind: 'cassette', state: 'finished', ok: true, cassette: { verified: 3 } },
    ])
  })

  test('a suite runs on the cassette: one case holds, one does not; mistakes are told with their lines', async () => {
    const { page, show, expectSound } = await openConsole(browser, service, { viewport: phone })
    await show('/history?part=suites')
    const text = page.getByLabel('Suite as YAML')
    await text.fill('cases: [{ name: a, quote: { tokenIn: 5 }, expect: { atLeast: 1 } }]')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('line 1: a: quote: tokenIn')
    const one = (name: string, amountOut: string) =>
      `  - { name: ${name}, quote: ${JSON.stringify(quote)}, expect: { amountOut: ${amountOut} } }`
    await text.fill(
      [
        ...['name: of one', 'cassette: one.cassette', `block: ${answered.blockNumber}`],
        ...['evidence: report', 'cases:'],
        ...[one('as recorded', answered.amountOut), one('too much', `${answered.amountOut}0`)],
      ].join('\n'),
    )
    await page.getByRole('button', { name: 'Run' }).click()
    await shows(page, '1 of 2 cases passed, replay')
    await shows(page, `delivers ${answered.amountOut}`)
    await page.getByLabel('Previous checks').getByText('differs').waitFor()
    const { body } = await service.get('/api/v1/checks')
    for (const { proof } of body[0].suite.cases) {
      expect(proof).toMatchObject({ reason: null, isProven: true, chainId: 1 })
      expect(proof.blockNumber).toBe(answered.blockNumber)
      const shown = `proven: ${proof.accounts} accounts, ${proof.slots} slots`
      await shows(page, `${shown} of block ${answered.blockNumber}`)
    }
    await expectSound()
  })
})

describe('Hindsight', () => {
  test('the swaps of a block are those of the service, and as a job they have a report', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    const { body: answer } = await service.post('/api/v1/hindsight', { fromBlock: 300 })
    const swaps = answer.transactions.filter(({ swap }: { swap: unknown }) => swap)
    expect(swaps.length).toBeGreaterThan(0)
    await show('/history?part=hindsight')
    await page.getByLabel('Transaction or blocks').fill('300..299')
    await shows(page, 'Enter a hash, a block number or from..to.')
    await page.getByLabel('Transaction or blocks').fill('300')
    await page.getByRole('button', { name: 'Show swaps' }).click()
    const table = page.getByLabel('Mined swaps')
    await table.waitFor({ timeout: 120_000 })
    expect(await table.locator('tbody tr').count()).toBe(swaps.length)
    await page.getByRole('button', { name: 'Start as job' }).click()
    await page.locator('.tag.good', { hasText: 'finished' }).waitFor({ timeout: 120_000 })
    await page.getByLabel('Results by venue').getByText('All swaps').waitFor()
    await page.getByLabel('Mined swaps').waitFor({ timeout: 120_000 })
    expect(await page.getByLabel('Mined swaps').locator('tbody tr').count()).toBe(swaps.length)
    await page.getByRole('button', { name: 'Report' }).waitFor()
    expect((await jobs())[0]).toMatchObject({ kind: 'hindsight', blocksTotal: 1 })
    await expectSound()
  })

  test('a transaction is shown in full', async () => {
    const { page, show, expectSound } = await openConsole(browser, service)
    const { body: answer } = await service.post('/api/v1/hindsight', { fromBlock: 300 })
    const [{ hash }] = answer.transactions
    await show(`/history?part=hindsight&of=${hash}`)
    await page.getByRole('heading', { name: 'Transaction' }).waitFor({ timeout: 120_000 })
    await expectSound()
  })
})
