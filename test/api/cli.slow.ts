import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeyStore } from '../../src/api/key-store.js'
import { cliEntry as entry, runCli as run } from '../support/cli.js'
import { dai, sender, startTestApi, usdc, weth } from './test-api.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forkroute-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe('forkroute keys', () => {
  test('create, list, disable', async () => {
    const DATA_DIR = folder()
    const created = await run(['keys', 'create', '--name', 'ci', '--json'], { DATA_DIR })
    const { key, id, accountId } = JSON.parse(created.out)
    const second = await run(['keys', 'create', '--account', accountId], { DATA_DIR })
    expect(second.out).toContain(accountId)
    expect((await run(['keys', 'disable', id], { DATA_DIR })).out).toContain(`${id} is disabled`)
    const listed = JSON.parse((await run(['keys', 'list', '--json'], { DATA_DIR })).out)
    expect(listed).toHaveLength(2)
    expect(listed[0]).toMatchObject({ id, name: 'ci', accountId })
    expect(JSON.stringify(listed)).not.toContain(key)
    const keys = openKeyStore(DATA_DIR)
    expect(keys.findKey(key)?.disabledAt).toBeGreaterThan(0)
    keys.close()
  })
})

describe('forkroute pools', () => {
  const pool = {
    protocol: 'uniswap-v2',
    id: '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc',
    address: '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc',
    tokens: [usdc, weth],
    parameters: { feeBps: 30 },
  }

  test('what is imported is listed and exported', async () => {
    const DATA_DIR = folder()
    const file = join(DATA_DIR, 'pools.json')
    writeFileSync(file, JSON.stringify([pool]))
    expect((await run(['pools', 'import', file], { DATA_DIR })).out).toContain('1 pools added')
    const listed = await run(['pools', 'list', '--json'], { DATA_DIR })
    expect(JSON.parse(listed.out)).toMatchObject([{ source: 'imported', firstSeenBlock: null }])
    const exported = JSON.parse((await run(['pools', 'export'], { DATA_DIR })).out)
    expect(exported).toEqual([{ ...pool, id: pool.id.toLowerCase() }])
  })

  test('every wrong row is named, and nothing is imported', async () => {
    const DATA_DIR = folder()
    const file = join(DATA_DIR, 'pools.json')
    const rows = [
      pool,
      { ...pool, protocol: 'nope' },
      { ...pool, tokens: [usdc], id: 'x' },
      7,
      { ...pool, tokens: [usdc, usdc] },
    ]
    writeFileSync(file, JSON.stringify(rows))
    const outcome = await run(['pools', 'import', file], { DATA_DIR })
    expect(outcome.code).toBe(1)
    expect(outcome.err).toContain('row 2: protocol is not the slug of a known protocol')
    expect(outcome.err).toContain('row 3: id must be an address (20 bytes) or an id (32 bytes)')
    expect(outcome.err).toContain('row 3: tokens must hold at least two tokens')
    expect(outcome.err).toContain('row 4: must be an object')
    expect(outcome.err).toContain('row 5: tokens must not name a token twice')
    expect((await run(['pools', 'list', '--json'], { DATA_DIR })).out.trim()).toBe('[]')
  })
})

describe('forkroute with --url', () => {
  test('quote in whole tokens by symbol', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    const { key } = api.keys.createKey({ name: 'cli' })
    const args = ['quote', '1.5', 'usdc', 'weth', '--url', api.url]
    const outcome = await run([...args, '--key', key, '--json'])
    expect(JSON.parse(outcome.out)).toMatchObject({ gas: '150000' })
    expect(api.asked.quotes[0]).toMatchObject({
      inputs: [{ token: usdc, amount: 1_500_000n }],
      tokensOut: [weth],
    })
    const table = await run(args, { FORKROUTE_KEY: key })
    expect(table.out).toContain('1.5 USDC')
    const refused = await run(args)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('UNAUTHORIZED')
  })

  test('route in raw units by address, and every wrong field of a bad one', async () => {
    const api = await startTestApi()
    const trade = ['1000', weth, dai, '--raw', '--url', api.url]
    const outcome = await run(['route', ...trade, '--from', sender, '--slippage', '10'])
    expect(outcome.err).toBe('')
    expect(outcome.out).toMatch(/swap .*WETH .*DAI/)
    expect(api.asked.routes[0]).toMatchObject({
      fromAddress: sender,
      inputs: [{ token: weth, amount: 1000n }],
      limit: { centiBps: 1000n },
    })
    const wrong = await run(['route', ...trade, '--from', 'me', '--slippage', 'x'])
    expect(wrong.err).toContain('fromAddress must be an address')
    expect(wrong.err).toContain('slippage must be basis points')
  })

  test('prices and tokens', async () => {
    const api = await startTestApi()
    const prices = await run(['prices', 'WETH', 'DAI', '--url', api.url])
    expect(prices.out).toMatch(/WETH.*1\.5.*chainlink/)
    expect(prices.out).toMatch(/DAI.*–/)
    const tokens = await run(['tokens', '--chain', '8453', '--url', api.url])
    expect(tokens.out).toContain('8453')
    const present = await run(['tokens', '--chain', '1', '--present', '--json', '--url', api.url])
    expect(JSON.parse(present.out).data).toMatchObject([{ symbol: 'USDC' }, { symbol: 'WETH' }])
    const nowhere = await run(['tokens', '--present', '--url', api.url])
    expect(nowhere.err).toContain('present needs chainId')
    const prefixed = await run(['tokens', 'DAI', '--json', '--url', `${api.url}/api/v1`])
    expect(JSON.parse(prefixed.out).meta.total).toBe(1)
    const unknown = await run(['prices', 'NOPE', '--url', api.url])
    expect(unknown.err).toContain('No listed token of chain 1 (Ethereum) is called NOPE')
  })
})

describe('forkroute', () => {
  test.each([
    ['keys create', ['keys', 'create']],
    ['keys list', ['keys', 'list']],
    ['keys disable', ['keys', 'disable', 'x']],
    ['pools list', ['pools', 'list']],
    ['pools export', ['pools', 'export']],
    ['pools import', ['pools', 'import', 'absent.json']],
  ])('%s works on the data folder, and refuses a service of elsewhere', async (_name, args) => {
    const DATA_DIR = folder()
    const outcome = await run([...args, '--url', 'http://127.0.0.1:9'], { DATA_DIR })
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toMatch(/--url: (keys|pools) are kept in the folder DATA_DIR/)
    expect(readdirSync(DATA_DIR)).toEqual([])
  })

  test('unknown tokens are named, and end with 1; the known ones are listed', async () => {
    const api = await startTestApi()
    const none = await run(['tokens', 'NOPE', '--chain', '1', '--url', api.url])
    expect(none).toMatchObject({
      code: 1,
      err: 'No listed token of chain 1 (Ethereum) is called NOPE.\n',
    })
    const some = await run(['tokens', 'dai', 'NOPE', '--json', '--url', api.url])
    expect(some).toMatchObject({ code: 1, err: 'No listed token is called NOPE.\n' })
    expect(JSON.parse(some.out).data).toMatchObject([{ symbol: 'DAI' }])
    expect((await run(['tokens', 'dai', '--url', api.url])).code).toBe(0)
  })

  test('raw units may be written with an exponent', async () => {
    const api = await startTestApi()
    const quote = (amount: string) => run(['quote', amount, weth, dai, '--raw', '--url', api.url])
    expect((await quote('1e18')).code).toBe(0)
    expect(api.asked.quotes[0]).toMatchObject({ inputs: [{ amount: 10n ** 18n }] })
    const wrong = await quote('1.5')
    expect(wrong.err).toBe('1.5 is not a whole number of raw units, such as 1000 or 1e18.\n')
  })

  test('a missing or empty key says where one is given, a wrong one too', async () => {
    const api = await startTestApi({ AUTH_MODE: 'key' })
    for (const more of [[], ['--key', 'fr_nonsense']]) {
      const outcome = await run(['tokens', '--url', api.url, ...more])
      expect(outcome.code).toBe(1)
      expect(outcome.err).toMatch(/with --key, or in the variable FORKROUTE_KEY\. \(UNAUTHORIZED\)/)
    }
    const empty = await run(['tokens', '--url', api.url], { FORKROUTE_KEY: '' })
    expect(empty.err).toContain('An API key is required')
  })

  test('an absent file of a backtest or of trades is said before a service is started', async () => {
    // Neither a chain nor a folder is there, so a start would fail otherwise and leave traces.
    const env = { DATA_DIR: join(folder(), 'data'), RPC_URL_1: 'http://127.0.0.1:9' }
    for (const args of [
      ['backtest', 'absent.yaml'],
      ['quote', '--file', 'absent.csv'],
    ]) {
      const outcome = await run(args, env)
      expect(outcome).toMatchObject({ code: 1, out: '' })
      expect(outcome.err).toMatch(/absent\.\w+ cannot be read \(ENOENT\)/)
      expect(existsSync(env.DATA_DIR)).toBe(false)
    }
  })

  test('a wrong configuration is listed whole, without a stack', async () => {
    const outcome = await run(['serve'], { PORT: 'x', WORKERS: '0' })
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toBe(
      'The configuration is not valid:\n' +
        '  - PORT: must be an integer from 0 to 65535.\n' +
        '  - WORKERS: must be an integer from 1 to 256.\n',
    )
  })

  test('a private key out of range is refused without being printed', async () => {
    const key = `0x${'f'.repeat(64)}`
    const outcome = await run(['contracts', 'deploy', '--yes', '--rpc-url', 'http://127.0.0.1:9'], {
      PRIVATE_KEY: key,
    })
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toMatch(/^The command line is not valid: --private-key .*\n$/)
    expect(outcome.err).not.toMatch(new RegExp(`${BigInt(key)}|f{64}`))
  })

  test('an error is one sentence on standard error, and with --json also JSON on standard output', async () => {
    const args = ['quote', '1', usdc, weth, '--json', '--url']
    for (const url of ['http://127.0.0.1:9', 'nowhere']) {
      const outcome = await run([...args, url])
      expect(outcome.code).toBe(1)
      expect(outcome.err.trim().split('\n')).toHaveLength(1)
      expect(JSON.parse(outcome.out)).toEqual({ message: outcome.err.trim() })
    }
    const disabled = await run(['keys', 'disable', 'x', '--json'], { DATA_DIR: folder() })
    expect(JSON.parse(disabled.out)).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a reader that has seen enough is no error', async () => {
    const api = await startTestApi()
    const child = spawn(process.execPath, [entry, 'tokens', '--url', api.url])
    child.stdout.destroy()
    let err = ''
    child.stderr.on('data', (data) => {
      err += data
    })
    const [code] = await once(child, 'close')
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  test('doctor names a node that is not there, without its key', async () => {
    const env = { DATA_DIR: folder(), RPC_URL_1: 'http://127.0.0.1:9/SECRETKEY' }
    const outcome = await run(['doctor'], env)
    expect(outcome.code).toBe(1)
    expect(outcome.out).toMatch(/ok.*Node\.js/)
    expect(outcome.out).toMatch(/ok.*Anvil/)
    expect(outcome.out).toMatch(/ok.*SQLite.*\d+\.\d+/)
    expect(outcome.out).toMatch(/FAIL.*RPC_URL_1/)
    expect(outcome.out).not.toContain('SECRETKEY')
  })

  test('after a change of Node, doctor and what needs a database say what to do', async () => {
    // Node refuses the compiled part of the package as it does one of another version: by what it finds in the file.
    const preload = join(folder(), 'preload.cjs')
    const lines = [
      'const { dlopen } = process',
      'process.dlopen = (module, file, ...rest) =>',
      "  dlopen(module, file.includes('better-sqlite3') ? __filename : file, ...rest)",
    ]
    writeFileSync(preload, lines.join('\n'))
    const env = { DATA_DIR: folder(), NODE_OPTIONS: `--require ${preload}` }
    const [doctor, keys] = await Promise.all([run(['doctor'], env), run(['keys', 'list'], env)])
    expect(doctor.code).toBe(1)
    expect(doctor.out).toMatch(/FAIL.*SQLite.*run npm ci again/)
    expect(keys).toMatchObject({ code: 1, out: '' })
    expect(keys.err).toMatch(/^The key store .* cannot be opened: .*run npm ci again/)
    expect(keys.err.trim().split('\n')).toHaveLength(1)
  })
})
