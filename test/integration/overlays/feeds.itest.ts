/** Overlays from a file, from a node and from a socket, each a real one on this machine. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { overlayOf, toDocument } from '../../../src/domain/changes/overlay.js'
import { openOverlays } from '../../../src/makers/overlays.js'

const venue = `0x${'a1'.repeat(20)}` as const
const other = `0x${'b2'.repeat(20)}` as const
const slot = `0x${'0'.repeat(64)}` as const
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const
const saying = (value: number, blockNumber: string | number, address: string = venue) => ({
  blockNumber,
  slot: 14_984_765,
  [address]: { stateOverride: { [address]: { stateDiff: { '0x0': `0x${value.toString(16)}` } } } },
})
const said = (value: number, address: string = venue) => ({
  [address]: { [address]: { stateDiff: { [slot]: word(value) } } },
})

const closers: (() => unknown)[] = []
const problems: string[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  problems.length = 0
})

function open(source: string) {
  const overlays = openOverlays(
    { 1: { source } },
    { pollMs: 20, onProblem: (message) => problems.push(message) },
  )
  closers.push(() => overlays.close())
  return () => overlays.current(1)
}

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port
}

test('the document of the page is an overlay', async () => {
  const page = await readFile(new URL('../../../docs/how-to/overlays.md', import.meta.url), 'utf8')
  const text = /```json\n(\{\n {2}"blockNumber".*?)```/s.exec(page)?.[1] ?? ''
  const found: string[] = []
  const overlay = overlayOf(1, JSON.parse(text), found)
  expect(found).toEqual([])
  expect(overlay?.blockNumber).toBe(24_628_608n)
  expect(overlay && overlayOf(1, toDocument(overlay), found)).toEqual(overlay)
})

describe('a file', () => {
  test('is read anew when it changes, is none when it is gone, and a mistake in it is said once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forkroute-overlay-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'overlay.json')
    const current = open(file)
    expect(current()).toBeNull()
    await writeFile(file, JSON.stringify(saying(7, '0x10')))
    expect(current()).toEqual({ chainId: 1, blockNumber: 16n, published: said(7) })
    expect(current()).toBe(current())
    await writeFile(file, JSON.stringify(saying(8, 17)))
    expect(current()).toEqual({ chainId: 1, blockNumber: 17n, published: said(8) })
    await writeFile(file, '{"blockNumber": 18, "0x12": {}}')
    expect(current()).toBeNull()
    expect(current()).toBeNull()
    expect(problems).toEqual([
      'The overlay of chain 1 cannot be read: the overlay has 0x12, which is no address; the overlay.0x12.stateOverride must be an object of accounts by address',
    ])
    await rm(file)
    expect(current()).toBeNull()
  })

  test.each([
    ['no object', '[]', 'must be an object of venues'],
    ['no block', JSON.stringify({ [venue]: { stateOverride: {} } }), 'blockNumber must be'],
    [
      'code',
      JSON.stringify({ blockNumber: 1, [venue]: { stateOverride: { [venue]: { code: '0x00' } } } }),
      'must not have code or state',
    ],
    [
      'all storage',
      JSON.stringify({ blockNumber: 1, [venue]: { stateOverride: { [venue]: { state: {} } } } }),
      'must not have code or state',
    ],
    ['no JSON', '{', 'JSON'],
    [
      'too many venues',
      JSON.stringify({
        blockNumber: 1,
        ...Object.fromEntries(
          Array.from({ length: 33 }, (_none, index) => [
            `0x${(index + 1).toString(16).padStart(40, '0')}`,
            { stateOverride: {} },
          ]),
        ),
      }),
      'must have at most 32 venues',
    ],
  ])('with %s is none', async (_what, text, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'forkroute-overlay-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'overlay.json')
    await writeFile(file, text)
    const current = open(file)
    expect(current()).toBeNull()
    expect(problems.join()).toContain(reason)
  })
})

describe('a node', () => {
  test('is asked by JSON-RPC, and what it said stays while it fails', async () => {
    const asked: string[] = []
    let answer: object | null = saying(7, '0x10')
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (part) => {
        text += part
      })
      request.on('end', () => {
        const { id, method } = JSON.parse(text)
        asked.push(method)
        if (!answer) response.statusCode = 500
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => new Promise((resolve) => server.close(resolve)))
    const current = open(`http://127.0.0.1:${portOf(server)}/secret`)
    await expect.poll(current).toEqual({ chainId: 1, blockNumber: 16n, published: said(7) })
    expect(new Set(asked)).toEqual(new Set(['titan_getPammStateOverrides']))
    answer = null
    await expect.poll(() => problems.length).toBe(1)
    expect(problems[0]).not.toContain('secret')
    expect(current()?.blockNumber).toBe(16n)
    answer = saying(9, '0x11')
    await expect.poll(() => current()?.published).toEqual(said(9))
  })
})

describe('a socket', () => {
  test('tells the venues that changed, begins anew with each block, and is connected to again', async () => {
    const sockets: WebSocket[] = []
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => void sockets.push(socket))
    await new Promise((resolve) => server.once('listening', resolve))
    closers.push(() => {
      for (const socket of sockets) socket.terminate()
      return new Promise((resolve) => server.close(resolve))
    })
    const current = open(`ws://127.0.0.1:${portOf(server)}/secret`)
    await expect.poll(() => sockets.length).toBe(1)
    const send = (document: object) => sockets.at(-1)?.send(JSON.stringify(document))
    send(saying(7, 16))
    send(saying(3, 16, other))
    await expect.poll(() => current()?.published).toEqual({ ...said(7), ...said(3, other) })
    send(saying(4, 17, other))
    await expect.poll(current).toEqual({ chainId: 1, blockNumber: 17n, published: said(4, other) })
    sockets[0]?.send('not JSON')
    await expect.poll(() => problems.length).toBe(1)
    expect(current()?.blockNumber).toBe(17n)
    sockets[0]?.terminate()
    await expect.poll(() => sockets.length, { timeout: 10_000 }).toBe(2)
    send(saying(5, 18))
    await expect.poll(() => current()?.blockNumber).toBe(18n)
    expect(problems.join()).not.toContain('secret')
  })
})
