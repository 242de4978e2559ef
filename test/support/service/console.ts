/** The console in a real browser, with what no page of it may do and what each of them has to be. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestService } from './service.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Files of the page itself, and what it may say about a refusal that it shows. */
const mostTabs = 60
/** Of so many frames, a page at rest has asked for fewer than half: what it looks at again is seconds apart. */
const watchedFrames = 60
const countFrames = `{
  const ask = requestAnimationFrame.bind(window)
  let asked = 0
  window.requestAnimationFrame = (callback) => {
    asked += 1
    return ask(callback)
  }
  window.framesAskedIn = async (frames) => {
    const before = asked
    for (let count = 0; count < frames; count++) await new Promise(ask)
    return asked - before
  }
}`

export const desktop = { width: 1280, height: 900 }
export const phone = { width: 390, height: 800 }

export interface Look {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Without one the page asks for it. */
  readonly key?: string | null
}

export interface ConsolePage {
  readonly page: Page
  /** What went wrong so far: errors of the page, its policy, requests to other places. */
  readonly problems: string[]
  /** A view and its question. */
  show(place: string): Promise<void>
  /** The focus moves by the tabulator until it is where this expression of the page says. */
  tabTo(selector: string): Promise<void>
  /** Nothing went wrong, axe finds nothing, the page does not scroll sideways, and comes to rest. */
  expectSound(): Promise<void>
}

export async function openConsole(
  browser: Browser,
  { url, key: own }: Pick<TestService, 'url' | 'key'>,
  { colorScheme = 'light', viewport = desktop, key = own }: Look = {},
): Promise<ConsolePage> {
  const page = await browser.newPage({ colorScheme, viewport })
  // A service that shares the cores with other tests may answer late.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`${error.stack}`))
  page.on('console', (message) => {
    // A refusal by the service is an answer that the page shows.
    const isRefusal = /status of (4|5)\d\d/.test(message.text())
    if (!isRefusal && message.type() !== 'debug') problems.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) problems.push(`a request to ${request.url()}`)
  })
  await page.addInitScript(countFrames)
  await page.goto(`${url}/console${key === null ? '' : `#key=${key}`}`)
  await page.waitForSelector('h1')
  return {
    page,
    problems,
    async show(place) {
      await page.goto(`${url}/console#${place}`)
    },
    async tabTo(selector) {
      const isThere = `document.activeElement?.matches(${JSON.stringify(selector)}) === true`
      for (let count = 0; count < mostTabs; count++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate<boolean>(isThere)) return
      }
      throw new Error(`The tabulator does not come to ${selector}.`)
    },
    async expectSound() {
      await page.evaluate(axe)
      const found = await page.evaluate<readonly string[]>(
        `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
      )
      expect(found).toEqual([])
      expect(problems).toEqual([])
      const [content, width] = await page.evaluate<readonly number[]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      )
      expect(content).toBe(width)
      const frames = await page.evaluate<number>(`framesAskedIn(${watchedFrames})`)
      expect(frames, 'frames that the page asked for').toBeLessThan(watchedFrames / 2)
    },
  }
}
