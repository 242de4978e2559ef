/** What routes, bundles and approvals of the command line ask of a service, and what is printed where it refuses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli as run } from '../support/cli.js'
import { dai, sender, startTestApi, usdc, weth } from './test-api.js'

const actions = [{ protocol: 'svc', action: 'wrap', args: { amountIn: '5' } }]

function fileOf(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-actions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'actions.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

describe('forkroute route', () => {
  test('takes fees, minimum, deadline, receiver, referral and what to leave out', async () => {
    const api = await startTestApi()
    const { code, err } = await run([
      ...['route', '1', 'USDC', 'WETH', '--from', sender, '--chain', 'mainnet', '--backend'],
      ...['--fee', '25', '--fee-receiver', dai, '--min-out', '0.5', '--deadline', '600'],
      ...['--receiver', dai, '--referral-code', 'desk'],
      ...['--ignore-aggregators', 'curve,uniswap-v2', '--ignore-standards', 'aave-v3'],
      ...['--exclude-pools', weth, '--exclude-tokens', 'DAI', '--url', api.url],
    ])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(api.asked.routes).toMatchObject([
      {
        chainId: 1,
        inputs: [{ token: usdc, amount: 1_000_000n, feeBps: 25n }],
        feeReceiver: dai,
        receiver: dai,
        limit: { kind: 'minimum', minimums: [{ token: weth, amount: 5n * 10n ** 17n }] },
        deadline: { kind: 'after', seconds: 600n },
        referralCode: 'desk',
        executionMode: 'backend',
        ignoreAggregators: ['curve', 'uniswap-v2'],
        ignoreStandards: ['aave-v3'],
        poolChoice: { excludePools: [weth], excludeTokens: [dai] },
      },
    ])
  })

  test('with --exact-out the amount is of the token to get', async () => {
    const api = await startTestApi()
    const trade = ['2', 'WETH', 'USDC', '--exact-out', '--url', api.url]
    const quote = await run(['quote', ...trade])
    expect(quote).toMatchObject({ code: 0, err: '' })
    expect(api.asked.quotes[0]).toMatchObject({ amountOut: 2_000_000n, inputs: [{ token: weth }] })
    await run(['route', ...trade, '--from', sender])
    expect(api.asked.routes[0]).toMatchObject({ amountOut: 2_000_000n, inputs: [{ token: weth }] })
  })

  test('takes the name of a chain, and says which names there are', async () => {
    const api = await startTestApi()
    const quote = (chain: string) =>
      run(['quote', '1', usdc, weth, '--raw', '--chain', chain, '--url', api.url])
    expect(await quote('base')).toMatchObject({ code: 0, err: '' })
    expect(api.asked.quotes[0]).toMatchObject({ chainId: 8453 })
    const unknown = await quote('mars')
    expect(unknown).toMatchObject({ code: 1, out: '' })
    expect(unknown.err).toMatch(
      /--chain: no chain is called mars; known: 1 \(Ethereum\), 8453 \(Base/,
    )
  })

  test('an amount that does not come first is put in its place', async () => {
    const api = await startTestApi()
    const { code, err } = await run(['quote', 'WETH', 'USDC', '1.5', '--url', api.url])
    expect(code).toBe(1)
    expect(err).toBe('The amount comes first, then what to give and what to get: 1.5 WETH USDC.\n')
  })

  test('with --json standard output is the answer and nothing else', async () => {
    const api = await startTestApi()
    const args = ['route', '1', 'USDC', 'WETH', '--from', sender, '--url', api.url]
    const { out } = await run([...args, '--json'])
    expect(JSON.parse(out)).toMatchObject({ gas: '150000' })
    const { out: table } = await run(args)
    for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })
})

describe('forkroute bundle', () => {
  test('takes a list of actions, with what belongs to it as options', async () => {
    const api = await startTestApi()
    const { code, out, err } = await run([
      ...['bundle', fileOf(actions), '--from', sender, '--receiver', dai, '--deadline', '60'],
      ...['--user', '--url', api.url],
    ])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/takes .*0\.000000000000000006 DAI/)
    expect(out).toMatch(/pays .*0\.000000000000000005 DAI/)
    expect(api.asked.bundles).toMatchObject([
      {
        fromAddress: sender,
        receiver: dai,
        executionMode: 'user',
        actions,
        deadline: { kind: 'after', seconds: 60n },
      },
    ])
  })

  test('takes an object with fields beside the actions, which options replace', async () => {
    const api = await startTestApi()
    const file = fileOf({ actions, fromAddress: dai, chainId: 8453, receiver: usdc })
    const { out } = await run(['bundle', file, '--from', sender, '--json', '--url', api.url])
    expect(JSON.parse(out)).toMatchObject({ bundle: actions })
    expect(api.asked.bundles).toMatchObject([
      { fromAddress: sender, chainId: 8453, receiver: usdc },
    ])
  })

  test('says what is wrong with the file before anything is asked', async () => {
    const absent = await run(['bundle', 'absent.json'])
    expect(absent).toMatchObject({ code: 1, out: '' })
    expect(absent.err).toContain('absent.json cannot be read (ENOENT)')
    const wrong = await run(['bundle', fileOf({ action: 'wrap' })])
    expect(wrong.err).toContain('must hold a list of actions, or an object with actions')
  })
})

describe('forkroute approve', () => {
  test('prints the transaction that allows an amount', async () => {
    const api = await startTestApi()
    const args = ['approve', '2.5', 'USDC', '--from', sender, '--url', api.url]
    const { code, out, err } = await run(args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/allows .*2\.5 USDC/)
    expect(out).toMatch(/data .*0x095ea7b3/)
    expect(api.asked.approvals).toMatchObject([
      { chainId: 1, fromAddress: sender, token: usdc, amount: 2_500_000n, strategy: 'router' },
    ])
    const { out: json } = await run([...args, '--json'])
    expect(JSON.parse(json)).toMatchObject({ amount: '2500000', spender: weth })
  })
})

describe('forkroute prices', () => {
  test('an unknown symbol fails alone', async () => {
    const api = await startTestApi()
    const { code, out, err } = await run(['prices', 'WETH', 'NOPE', '--url', api.url])
    expect(code).toBe(1)
    expect(out).toMatch(/WETH.*1\.5.*chainlink/)
    expect(err).toBe(
      'No listed token of chain 1 (Ethereum) is called NOPE; name it by its address.\n',
    )
  })
})

test('a port that fetch refuses is said to be that', async () => {
  const { code, err } = await run(['tokens', '--url', 'http://127.0.0.1:9'])
  expect(code).toBe(1)
  expect(err).toMatch(/^The service at http:\/\/127\.0\.0\.1:9 cannot be asked: fetch refuses/)
})
