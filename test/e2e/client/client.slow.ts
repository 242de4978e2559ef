/**
 * The package of the client as others use it: installed from its tarball into an empty project, compiled strictly, run
 * against the service and an Anvil of the test's own, and bundled for a browser.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toolFolder } from '../../../scripts/tools.js'
import { createForkrouteClient } from '../../../src/client/client.js'
import { ConnectionError, UnauthorizedError } from '../../../src/client/errors.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { startService, type TestService } from '../../support/service/service.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const inRoot = (command: string, args: readonly string[]) => run(command, args, { cwd: root })
const tokens = Object.fromEntries(
  ['WETH', 'USDC', 'USDT', 'DAI'].map((symbol) => [
    symbol.toLowerCase(),
    sandboxToken(symbol).address,
  ]),
)

let folder: string
let service: TestService
let anvil: TestAnvil
let blockNumber: number
let tarball: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-client-'))
  service = await startService({ AUTH_MODE: 'key', RATE_LIMIT_PER_MINUTE: '10000' })
  const { body } = await service.get('/api/v1/networks')
  blockNumber = body[0].blockNumber
  anvil = await startAnvil([
    ...['--fork-url', service.nodeUrl, '--fork-block-number', String(blockNumber)],
    ...['--chain-id', '1', '--no-storage-caching', '--no-rate-limit'],
  ])
  tarball = (await inRoot('node', ['scripts/pack-client.mjs', folder])).stdout.trim()
})
afterAll(async () => {
  await anvil?.stop()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('the package is what its manifest says', async () => {
  const bin = join(await toolFolder('client-package'), '.bin')
  await inRoot(join(bin, 'publint'), ['run', join(root, 'dist', 'client-package'), '--strict'])
  await inRoot(join(bin, 'attw'), [tarball, '--profile', 'esm-only'])
  const manifest = JSON.parse(
    await readFile(join(root, 'dist', 'client-package', 'package.json'), 'utf8'),
  )
  expect(Object.keys(manifest.dependencies)).toEqual(['eventsource-parser', 'openapi-fetch'])
})

/** Of a port that was free a moment ago. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

/** A way to the service that can be cut. */
async function cuttable(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname)
    for (const one of [socket, onward]) sockets.add(one.on('error', () => one.destroy()))
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    /** For good. */
    end: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe('an empty project', () => {
  let found: Record<string, unknown>

  beforeAll(async () => {
    await cp(join(root, 'fixtures', 'client-project'), folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    const versions = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const viem = `viem@${versions.dependencies.viem}`
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
    await run('npm', ['install', ...flags, tarball, viem], { cwd: folder })
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }).catch(
      ({ stdout }) => {
        throw new Error(stdout)
      },
    )
    const own = generatePrivateKey()
    await anvil.rpc('anvil_setBalance', [
      privateKeyToAddress(own),
      `0x${(10n ** 19n).toString(16)}`,
    ])
    const setting = {
      url: service.url,
      key: service.key,
      anvilUrl: anvil.url,
      blockNumber,
      tokens,
      deadUrl: await deadUrl(),
      privateKey: sandboxAccount('carol').privateKey,
      delegateKey: own,
    }
    await writeFile(
      join(folder, 'run.mjs'),
      `import { main } from './out/main.js'
const text = (_key, value) => (typeof value === 'bigint' ? \`\${value}n\` : value)
console.log(JSON.stringify(await main(${JSON.stringify(setting)}), text))
process.exit(0)
`,
    )
    const { stdout } = await run('node', ['run.mjs'], { cwd: folder })
    found = JSON.parse(stdout)
  }, 180_000)

  const wire = (amountIn: string) =>
    service.get('/api/v1/shortcuts/quote', {
      tokenIn: tokens.weth,
      tokenOut: tokens.usdc,
      amountIn,
      blockNumber: String(blockNumber),
    })

  test('gets the amounts of the interface as bigint, from whatever it gives', async () => {
    const one = await wire(`${10n ** 18n}`)
    const ten = await wire(`${10n ** 19n}`)
    const amountOut = `${one.body.amountOut}n`
    expect(found.quote).toEqual({
      amountOut,
      gas: `${one.body.gas}n`,
      isSame: true,
      byViem: amountOut,
    })
    expect(found.total).toBe(`${BigInt(one.body.amountOut) + BigInt(ten.body.amountOut)}n`)
  })

  test('gets errors as classes', () => {
    expect(found.errors).toMatchObject({
      isInvalid: true,
      isNoRoute: true,
      unauthorized: true,
      invalid: expect.stringMatching(/^InvalidRequestError: amountIn/),
      noRoute: expect.stringMatching(/^NoRouteError: /),
      refused: expect.stringMatching(
        /^ConnectionError: The service at http:\S+ does not answer \(ECONNREFUSED\)\.$/,
      ),
    })
  })

  test('executes routes: what arrives is what was promised', () => {
    const { native, ...others } = found.executed as Record<string, Record<string, unknown>>
    expect(native).toMatchObject({ isKept: true, approvals: 0 })
    expect(native?.arrived).toBe(native?.promised)
    expect(native?.gasUsed).toBe(native?.gas)
    expect(others).toMatchObject({
      'to native': { isKept: true, approvals: 1 },
      permit: { isKept: true, approvals: 0 },
      permit2: { isKept: true, approvals: 1 },
      'exact output': { isKept: true, approvals: 1 },
    })
  })

  test('runs a route inside of the account by EIP-7702, and says what cannot be executed', () => {
    const { promised, first, again } = found.delegate as Record<string, string>
    expect(BigInt(String(first).slice(0, -1))).toBeGreaterThan(0n)
    expect(String(promised)).toMatch(/^\d+n$/)
    expect(again).toBe('success')
    expect(found.wrong).toEqual({
      account: true,
      request: true,
      greedyPermit: true,
      strangePermit: true,
    })
  })

  test('hears quotes and the progress of a backtest', () => {
    expect(found.seen).toEqual([`quotes ${blockNumber}`])
    expect(found.lastState).toBe('finished')
  })

  test('needs nothing of Node, and no viem until it executes', async () => {
    const { metafile } = await build({
      entryPoints: [join(folder, 'node_modules/@forkroute/client/index.js')],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      minify: true,
      splitting: true,
      outdir: folder,
      metafile: true,
    })
    const [, entry] = Object.entries(metafile.outputs).find(([path]) =>
      path.endsWith('index.js'),
    ) as [string, (typeof metafile.outputs)[string]]
    expect(Object.keys(entry.inputs).filter((path) => path.includes('/viem/'))).toEqual([])
    const loaded = entry.imports.filter(({ kind }) => kind === 'import-statement')
    const inputs = loaded.flatMap(({ path }) => Object.keys(metafile.outputs[path]?.inputs ?? {}))
    expect(inputs.filter((path) => path.includes('/viem/'))).toEqual([])
    console.log(`client: ${entry.bytes} bytes for the first import, minified`)
  })
})

test('a stream that is cut comes back, without an event twice', async () => {
  const way = await cuttable(service.url)
  const forkroute = createForkrouteClient({ url: way.url, key: service.key })
  const quotes = [{ tokenIn: [tokens.weth ?? ''], tokenOut: [tokens.usdc ?? ''], amountIn: [1n] }]
  const events = forkroute.streamQuotes({ quotes })[Symbol.asyncIterator]()
  const first = (await events.next()).value
  way.cut()
  const next = events.next()
  const node = createRpcClient(service.nodeUrl)
  await node.request('evm_mine', [])
  await node.close()
  expect([first, (await next).value]).toMatchObject([
    { event: 'quotes', id: String(blockNumber) },
    { event: 'quotes', id: String(blockNumber + 1) },
  ])
  await events.return?.()
  const lost = forkroute.streamQuotes({ quotes }, { giveUpAfterMs: 1 })[Symbol.asyncIterator]()
  await lost.next()
  way.end()
  await expect(lost.next()).rejects.toThrow(ConnectionError)
  const closed = new AbortController()
  closed.abort()
  const none = forkroute.streamQuotes({ quotes }, { signal: closed.signal })
  expect(await none[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined })
  const refused = createForkrouteClient({ url: service.url, key: 'fr_no' }).streamQuotes({ quotes })
  await expect(refused[Symbol.asyncIterator]().next()).rejects.toThrow(UnauthorizedError)
})
