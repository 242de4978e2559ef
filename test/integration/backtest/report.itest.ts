import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeOutputs } from '../../../src/backtest/outputs/index.js'
import type { BacktestBlock, BacktestJob } from '../../../src/domain/backtest.js'
import { sampleJob, sampleResults } from '../../support/backtest/backtest-results.js'
import { launchChromium } from '../../support/service/chromium.js'

const phone = { width: 360, height: 740 }

let folder: string
let browser: Browser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-report-'))
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  if (folder) await rm(folder, { recursive: true })
})

async function write(
  name: string,
  job: BacktestJob,
  results: AsyncIterable<BacktestBlock> = sampleResults(job),
): Promise<string> {
  const [path = ''] = await writeOutputs(job, results, {
    folder: join(folder, name),
    formats: ['html'],
  })
  return pathToFileURL(path).href
}

interface Look {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** The page, whatever its console said, and whatever it asked for besides itself. */
async function look(
  url: string,
  { colorScheme = 'light', viewport = phone }: Look,
  at: (page: Page) => Promise<void>,
) {
  const page = await browser.newPage({ colorScheme, viewport })
  const said: string[] = []
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => said.push(error.message))
  page.on('request', (request) => {
    if (request.url() !== url && request.url() !== 'data:,') said.push(`request: ${request.url()}`)
  })
  await page.goto(url)
  await at(page)
  await page.close()
  expect(said).toEqual([])
}

/** Expressions are text: they are the page's, which has names that Node has not. */
const inPage = <T>(page: Page, expression: string): Promise<T> => page.evaluate(expression)
const widths = (page: Page) =>
  inPage<[number, number]>(page, '[document.documentElement.scrollWidth, innerWidth]')
const colourOf = (page: Page, selector: string, property: string) =>
  inPage(page, `getComputedStyle(document.querySelector('${selector}')).${property}`)

const openDetails = "document.querySelectorAll('details').forEach((part) => { part.open = true })"
const smallestText = `Math.min(...[...document.querySelectorAll('figure svg text:not(:empty)')]
  .map((text) => text.getBoundingClientRect().height))`
const chartsWithoutWords = `[...document.querySelectorAll('figure svg[role=img]')]
  .filter((chart) => chart.getAttribute('aria-labelledby').split(' ')
    .some((id) => !document.getElementById(id)?.textContent)).length`
const partsOutside = `[...document.querySelectorAll('figure svg.chart')].flatMap((chart) => {
  const frame = chart.getBoundingClientRect()
  return [...chart.querySelectorAll('text, path, rect')].filter((part) => {
    const box = part.getBoundingClientRect()
    return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1)
  }).map((part) => part.outerHTML)
})`

describe('report.html', () => {
  test('200 blocks of 5 requests by 3 variants: fits a phone, legible, no word on the console, no request', async () => {
    const job = sampleJob({ blocks: 200, requests: 5, variants: 3, delays: [1, 2, 5, 10] })
    const url = await write('usual', job)
    await look(url, {}, async (page) => {
      await inPage(page, openDetails)
      const [content, window] = await widths(page)
      expect(content).toBe(window)
      expect(await colourOf(page, 'body', 'backgroundColor')).toBe('rgb(255, 255, 255)')
      // Regret, fill, venues; realised and staleness per variant; edge, amount and regret per request.
      expect(await page.locator('figure svg[role=img]').count()).toBe(3 + 2 * 3 + 3 * 5)
      expect(await inPage<number>(page, smallestText)).toBeGreaterThan(11)
      expect(await inPage(page, chartsWithoutWords)).toBe(0)
      expect(await inPage(page, partsOutside)).toEqual([])
    })
    await look(
      url,
      { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
      async (page) => {
        expect(await colourOf(page, 'body', 'backgroundColor')).toBe('rgb(18, 21, 25)')
        const [content, window] = await widths(page)
        expect(content).toBe(window)
        expect(await colourOf(page, 'figure .line', 'stroke')).toBe('rgb(125, 184, 245)')
      },
    )
  })

  test('names of a plan are text: nothing of them becomes an element', async () => {
    const name = `</style><script>alert(1)</script>"'><img src=x onerror=alert(2)>${'w'.repeat(80)}`
    const sample = sampleJob({ blocks: 1, requests: 1, variants: 1, delays: [1] })
    const job: BacktestJob = {
      ...sample,
      plan: {
        ...sample.plan,
        name,
        requests: sample.plan.requests.map((request) => ({ ...request, name })),
        variants: [{ name, router: {}, ignoreStandards: [] }],
        baseline: name,
      },
    }
    await look(await write('hostile', job), {}, async (page) => {
      expect(await page.locator('script, img').count()).toBe(0)
      expect(await page.locator('h1').textContent()).toBe(name)
      const [content, window] = await widths(page)
      expect(content).toBe(window)
    })
  })

  test('no block done, and requests that find nothing, are said in words', async () => {
    const job = sampleJob({ blocks: 3, requests: 1, variants: 2, delays: [] })
    const nothing = await write('empty', job, (async function* () {})())
    await look(nothing, {}, async (page) => {
      expect(await page.locator('main').textContent()).toContain('No block has results yet.')
    })
    async function* failing(): AsyncIterable<BacktestBlock> {
      for await (const block of sampleResults(job)) {
        const error = { code: 'NO_ROUTE', message: 'None.' } as const
        const outcome = { ok: false, error } as const
        yield { ...block, rows: block.rows.map((row) => ({ ...row, outcome, executions: [] })) }
      }
    }
    await look(await write('failing', job, failing()), {}, async (page) => {
      expect(await page.locator('main').textContent()).toContain('No variant found a route')
      expect(await page.locator('figure').count()).toBe(0)
    })
  })
})
