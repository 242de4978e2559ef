import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../telemetry/log.js'
import { errorHandler } from '../errors.js'
import { sitePage } from './site-page.js'

/** The service with the site of this folder. Returns the address of the site. */
async function serve(folder: string): Promise<string> {
  const app = express()
  app.use('/docs/guide', sitePage(folder), errorHandler(createLogger('silent')))
  const server = createServer(app).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/docs/guide`
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forkroute-site-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

function build(): void {
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, 'how-to'))
  writeFileSync(join(folder, 'index.html'), '<h1>Documents</h1>')
  writeFileSync(join(folder, 'how-to', 'client.html'), '<h1>Client</h1>')
  writeFileSync(join(folder, 'assets', 'app.abcdef12.js'), 'start()')
  writeFileSync(join(folder, '.hidden'), 'nobody reads this')
}

describe('a site that is built', () => {
  beforeEach(build)

  test('begins with its index, at the path that its files are named by', async () => {
    const url = await serve(folder)
    const first = await fetch(url, { redirect: 'manual' })
    expect([first.status, first.headers.get('location')]).toEqual([302, 'guide/'])
    const page = await fetch(url)
    expect(page.url).toBe(`${url}/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toBe('<h1>Documents</h1>')
  })

  test('has pages, which are asked for again, and files, which are kept', async () => {
    const url = await serve(folder)
    const page = await fetch(`${url}/how-to/client.html`)
    expect(await page.text()).toBe('<h1>Client</h1>')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const file = await fetch(`${url}/assets/app.abcdef12.js`)
    expect(await file.text()).toBe('start()')
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  test('may run its own files alone, and reach this service alone', async () => {
    const url = await serve(folder)
    const { headers } = await fetch(`${url}/`)
    const rules = headers.get('content-security-policy')?.split(';')
    expect(rules).toContain("default-src 'none'")
    expect(rules).toContain("script-src 'self'")
    expect(rules).toContain("style-src 'self'")
    expect(rules).toContain("connect-src 'self'")
    expect(rules).toContain("frame-ancestors 'none'")
  })

  test.each(['/none.html', '/assets', '/.hidden', '/..%2f..%2fpackage.json'])(
    '%s is no page',
    async (path) => {
      const url = await serve(folder)
      const answer = await fetch(url + path)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({
        code: 'NOT_FOUND',
        message: `There is no page /docs/guide${path}.`,
      })
    },
  )

  test.each(['/', '/how-to/client.html'])('%s takes no other method', async (path) => {
    const url = await serve(folder)
    const answer = await fetch(url + path, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

describe('a site that is not built', () => {
  test.each(['', '/', '/how-to/client.html'])('%j says how to build it', async (path) => {
    const url = await serve(folder)
    const answer = await fetch(url + path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/^The documents are not built here\. Run npm run site /),
      details: { next: [{ endpoint: 'GET /docs' }] },
    })
  })

  test('is there as soon as it is built', async () => {
    const url = await serve(folder)
    expect((await fetch(`${url}/`)).status).toBe(404)
    build()
    expect((await fetch(`${url}/`)).status).toBe(200)
  })
})
