/** Requests with overrides, recorded over HTTP, and the same answers with no chain running. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verify } from '../../../src/cli/replay.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import type { LocalRequest } from '../../../src/domain/recording.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import { withSandbox } from '../../support/sandbox.js'
import {
  again,
  againAlone,
  expectedOf,
  open,
  type Recorded,
} from '../../support/service/cassette-context.js'

const chain = withSandbox()
const [weth, usdc, dai, uni] = ['WETH', 'USDC', 'DAI', 'UNI'].map(
  (symbol) => sandboxToken(symbol).address,
) as [string, string, string, string]
const pair = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
const nobody = '0x00000000000000000000000000000000000a11ce'
const ether = (10n ** 18n).toString()
/** A time far after every block of the sandbox. */
const later = 2_500_000_000

const swap = { tokenIn: weth, tokenOut: usdc, amountIn: ether }
/** The pair keeps no reserves at all. */
const emptied = { [pair]: { stateDiff: { '0x8': '0x0' } } }
const requests: LocalRequest[] = [
  { path: '/shortcuts/quote', body: { ...swap, stateOverrides: emptied } },
  { path: '/shortcuts/quote', body: swap },
  {
    path: '/shortcuts/route',
    body: {
      fromAddress: nobody,
      tokenIn: nativeToken,
      amountIn: ether,
      tokenOut: dai,
      trace: true,
      stateOverrides: { [nobody]: { balance: numberToHex(10n ** 18n) } },
      blockOverrides: { baseFee: '1000000000000' },
    },
  },
  {
    path: '/shortcuts/quote',
    body: {
      tokenIn: yearnVaultSpecs[0]?.vault,
      tokenOut: dai,
      amountIn: ether,
      blockOverrides: { timestamp: later },
    },
  },
  {
    path: '/shortcuts/bundle',
    query: { fromAddress: nobody },
    body: {
      actions: [{ protocol: 'svc', action: 'route', args: swap }],
      stateOverrides: { ...emptied, [uni]: { code: '0x5f5ffd' } },
    },
  },
  { path: '/shortcuts/quote', body: { ...swap, blockOverrides: { timestamp: 1 } } },
]

describe('a cassette of requests with overrides', () => {
  test('each is replayed as it was answered, alone, together and in another order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forkroute-what-if-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'one.cassette')
    const { url } = chain().sandbox
    const env = { RPC_URL_1: url, WORKERS: '2' }
    const recorder = await open(folder, { kind: 'record', file }, env)
    const recorded: Recorded[] = []
    for (const request of requests) {
      const { status, text, recording } = await recorder.ask(request)
      recorded.push({ request, status, text, number: recording ?? 0 })
    }
    await recorder.close()
    await chain().sandbox.stop()
    expect(recorded.map(({ number, status }) => [number, status])).toEqual([
      ...[1, 2, 3, 4, 5].map((number) => [number, 200]),
      [6, 400],
    ])
    expect(new Set(recorded.map(({ text }) => text)).size).toBe(requests.length)

    const expected = recorded.map(expectedOf)
    const replay = await open(folder, { kind: 'replay', file })
    expect(await Promise.all(recorded.map((one) => again(replay, one)))).toEqual(expected)
    await replay.close()
    for (const index of [0, 3, 4]) {
      expect(await againAlone({ folder, file }, recorded[index] as Recorded)).toBe(expected[index])
    }
    expect(await verify(file, null, () => undefined)).toMatchObject({ verified: 6, mismatches: [] })
  })
})
