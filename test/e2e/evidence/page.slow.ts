/** The page that checks evidence, saved from the service as one file and opened from the disk in Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { EvidenceFile } from '../../../src/verify/verify.js'
import { resigned } from '../../support/evidence/forgery.js'
import { launchChromium } from '../../support/service/chromium.js'
import { sharedService } from '../../support/service/shared-service.js'

const folder = mkdtempSync(join(tmpdir(), 'forkroute-verifier-'))
const saved = join(folder, 'verify.html')
let browser: Browser
let page: Page
const requests: string[] = []
let answer: { readonly evidence: EvidenceFile }

beforeAll(async () => {
  const service = await sharedService()
  writeFileSync(saved, (await service.get('/verify')).text)
  const [tokenIn, tokenOut] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
  const query = { tokenIn, tokenOut, amountIn: `${10n ** 18n}`, evidence: 'true' }
  answer = (await service.get('/api/v1/shortcuts/quote', query)).body
  browser = await launchChromium()
  page = await browser.newPage()
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(saved).href)
})
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

/** What the page says of the content. */
async function said(content: object, fields: Readonly<Record<string, string>> = {}) {
  const file = join(folder, 'evidence.json')
  writeFileSync(file, JSON.stringify(content))
  await page.reload()
  for (const [id, text] of Object.entries(fields)) await page.locator(`#${id}`).fill(text)
  await page.locator('#file').setInputFiles(file)
  const verdict = await page.locator('#verdict').textContent()
  return { verdict, table: await page.locator('table').textContent() }
}

describe('the saved page', () => {
  test('takes an answer, and says that nothing was run', async () => {
    const { verdict, table } = await said(answer)
    expect(verdict).toBe('Signature, header and state hold. What the transaction does was not run.')
    expect(table).toContain(answer.evidence.evidence.block.hash)
    expect(table).toContain('not known: give its hash above')
    expect(table).toContain('not checked here')
  })

  test('compares key and hash with those that the reader gives', async () => {
    const { publicKey, evidence } = answer.evidence
    const right = await said(answer.evidence, { key: publicKey, hash: evidence.block.hash })
    expect(right.verdict).toContain('hold')
    expect(right.table).toContain('as the hash above says')
    const wrong = await said(answer.evidence, { hash: `0x${'ab'.repeat(32)}` })
    expect(wrong.verdict).toContain('of a branch that was left')
    const stranger = await said(answer.evidence, { key: `0x${'ab'.repeat(32)}` })
    expect(stranger.verdict).toContain('is not a key that is trusted')
  })

  test('refuses a changed file, and says what is wrong', async () => {
    const { evidence } = answer.evidence
    const state = { ...evidence.state, nodes: evidence.state.nodes.slice(1) }
    const { verdict } = await said({ ...answer.evidence, evidence: { ...evidence, state } })
    expect(verdict).toContain('signature: the key has not signed this evidence')
    const lie = resigned({ ...answer.evidence, evidence: { ...evidence, state } })
    expect((await said(lie)).verdict).toContain('state: Missing node')
    expect((await said({ none: 1 })).verdict).toContain('form: ')
  })

  test('asks nobody', () => {
    expect(requests.every((url) => url.startsWith('file:'))).toBe(true)
  })
})
