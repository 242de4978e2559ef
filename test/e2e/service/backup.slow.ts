/** A data folder in use, copied by `forkroute backup`, and a service elsewhere on the copy. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'

const context = withSandbox()
const [weth = '', usdc = ''] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const trade = { tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}` }
const pool = {
  protocol: 'uniswap-v2',
  id: '0x00000000000000000000000000000000000000aa',
  address: '0x00000000000000000000000000000000000000aa',
  tokens: [weth, usdc],
  parameters: { feeBps: 30 },
}

let folder: string
let data: string
let copy: string
let service: TestService
/** Of a finished backtest. */
let job: string
let results: string

const env = () => ({ RPC_URL_1: context().sandbox.url, FORKS_PER_BLOCK: '1' })
const cli = (dataDir: string, ...args: string[]) => runCli(args, { ...env(), DATA_DIR: dataDir })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forkroute-backup-'))
  ;[data, copy] = [join(folder, 'data'), join(folder, 'copy')]
  service = await startService({ ...env(), DATA_DIR: data })
  const pools = join(folder, 'pools.json')
  writeFileSync(pools, JSON.stringify([pool]))
  expect(await cli(data, 'pools', 'import', pools)).toMatchObject({ code: 0 })
  const requests = join(folder, 'requests.yaml')
  writeFileSync(
    requests,
    JSON.stringify({ blocks: 'latest', requests: [{ path: '/shortcuts/quote', query: trade }] }),
  )
  const cassette = join(data, 'trades.cassette')
  const recorded = await cli(data, 'record', cassette, '--requests', requests)
  expect(recorded, recorded.err).toMatchObject({ code: 0 })
  const { body } = await service.post('/api/v1/backtests', {
    blocks: { from: 'latest-1' },
    requests: [{ name: 'one', ...trade }],
  })
  job = body.id
  const state = async () => (await service.get(`/api/v1/backtests/${job}`)).body.state
  await vi.waitFor(async () => expect(await state()).toBe('finished'), { timeout: 60_000 })
  results = (await service.get(`/api/v1/backtests/${job}/results`)).text
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('copies every file but the cache while the service answers, for its owner alone', async () => {
  let isCopied = false
  const asked = (async () => {
    let answered = 0
    for (; !isCopied; answered += 1) {
      const amountIn = `${BigInt(answered + 1) * 10n ** 17n}`
      const { status } = await service.get('/api/v1/shortcuts/quote', { ...trade, amountIn })
      expect(status).toBe(200)
    }
    return answered
  })()
  const made = await cli(data, 'backup', copy, '--json')
  isCopied = true
  expect(await asked).toBeGreaterThan(0)
  expect(made, made.err).toMatchObject({ code: 0 })
  const files = ['backtests.sqlite', 'catalog.sqlite', 'forkroute.sqlite', 'trades.cassette']
  expect(JSON.parse(made.out).map(({ file }: { file: string }) => file)).toEqual(files)
  expect(readdirSync(copy).sort()).toEqual(files)
  for (const file of files) expect(statSync(join(copy, file)).mode & 0o777).toBe(0o600)
  expect(statSync(copy).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).not.toContain('copy.unfinished')
})

test('refuses a folder with something in it, and a data folder without anything', async () => {
  expect((await cli(data, 'backup', copy)).err).toContain('must be a new or an empty folder')
  const empty = await cli(join(folder, 'none'), 'backup', join(folder, 'other'))
  expect(empty).toMatchObject({ code: 1 })
  expect(empty.err).toContain('there is nothing to copy')
  expect(readdirSync(folder)).not.toContain('other')
})

test('a cassette that is being recorded is no part of a whole copy: there is none', async () => {
  const locked = openSqlite(join(data, 'recorded.cassette'))
  locked.exec('CREATE TABLE facts (name TEXT)')
  locked.exec('BEGIN EXCLUSIVE')
  const outcome = await cli(data, 'backup', join(folder, 'other'))
  expect(outcome).toMatchObject({ code: 1 })
  expect(outcome.err).toContain('The backup cannot be made (SQLITE_BUSY)')
  expect(readdirSync(folder)).not.toContain('other.unfinished')
  locked.close()
  rmSync(join(data, 'recorded.cassette'))
})

test('a service elsewhere on the copy has the keys, pools, backtests and cassettes', async () => {
  const { key } = service
  await service.stop()
  rmSync(data, { recursive: true })
  const again = await startService({ ...env(), DATA_DIR: copy })
  try {
    const ask = (path: string) =>
      fetch(new URL(path, again.url), { headers: { authorization: `Bearer ${key}` } })
    expect((await ask(`/api/v1/shortcuts/quote?${new URLSearchParams(trade)}`)).status).toBe(200)
    expect(await (await ask(`/api/v1/backtests/${job}/results`)).text()).toBe(results)
    const pools = JSON.parse((await cli(copy, 'pools', 'export', '--json')).out)
    expect(pools).toContainEqual(pool)
    const verified = await cli(copy, 'verify', join(copy, 'trades.cassette'), '--json')
    expect(verified).toMatchObject({ code: 0 })
    expect(JSON.parse(verified.out)).toMatchObject({ verified: 1, mismatches: [], damaged: [] })
  } finally {
    await again.stop()
  }
})
