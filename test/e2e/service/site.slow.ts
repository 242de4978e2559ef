/** The documents as a reader sees them: built by `npm run site`, sent by the service's own pages, shown by Chromium. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sitePage } from '../../../src/api/pages/site-page.js'
import { launchChromium } from '../../support/service/chromium.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, 'dist', 'site')
const base = '/docs/guide/'

let browser: Browser
let origin: string

beforeAll(async () => {
  await promisify(execFile)('npm', ['run', '--silent', 'site'], { cwd: root })
  const server = createServer(express().use('/docs/guide', sitePage())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  browser = await launchChromium()
  return () => server.close()
}, 600_000)
afterAll(async () => browser?.close())

/** @returns the page, and what went wrong so far: its errors, its policy, requests to other hosts. */
async function open(path: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`${error.stack}`))
  page.on('console', (message) => problems.push(message.text()))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`a request to ${request.url()}`)
  })
  await page.goto(origin + base + path, { waitUntil: 'networkidle' })
  return { page, problems }
}

test('a page has the sidebar of the index, leads to others, and breaks no rule of the service', async () => {
  const { page, problems } = await open('')
  await page.locator('.VPSidebar').getByRole('link', { name: 'Start it' }).click()
  await page.waitForURL(`${origin}${base}guide/01-start.html`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.vp-doc').getByRole('link', { name: 'ask for a quote' }).click()
  await page.waitForURL(`${origin}${base}guide/02-quote.html`)
  await page.getByRole('switch', { name: 'Switch to dark theme' }).click()
  expect(await page.evaluate('document.documentElement.className')).toContain('dark')
  expect(problems).toEqual([])
})

test('the search finds a page by a word in it, without another host', async () => {
  const { page, problems } = await open('how-to/client.html')
  await page.locator('.VPNavBarSearch button').click()
  await page.locator('.VPLocalSearchBox input').fill('sqrtPriceLimit slippage basis point')
  await page.locator('.VPLocalSearchBox .results a').first().click()
  await page.waitForURL((url) => url.pathname !== `${base}how-to/client.html`)
  expect(problems).toEqual([])
})

test('every link of every page leads to a page and a heading that there are', () => {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.html'))
      .map((path) => [base + path, readFileSync(join(folder, path), 'utf8')]),
  )
  expect(pages.size).toBeGreaterThan(60)
  const problems = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return []
      const [file = '', anchor] = target.split('#')
      const full = file === '' ? path : posix.resolve(posix.dirname(path), file)
      if (full === '/openapi.json') return []
      const page = pages.get(`${base}${posix.relative(base, full) || 'index.html'}`)
      if (page === undefined) return [`${path}: ${target} leads to no page`]
      if (!anchor || page.includes(`id="${anchor}"`)) return []
      return [`${path}: ${target} leads to no heading`]
    }),
  )
  expect(problems).toEqual([])
})
