/**
 * Across's fee and time by what relayers took of late: in a world whose relayer fills above a threshold alone, deposits of
 * ours are filled, and leave little more than that.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Hex, nativeToken } from '../../../src/domain/primitives.js'
import { openCassetteFile } from '../../../src/rpc/cassette/cassette-file.js'
import { CassetteRequests } from '../../../src/rpc/cassette/cassette-requests.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { bridgeAddresses } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { createSeededRandom, type SeededRandom } from '../../../src/sandbox/seeded-random.js'
import { startAnvil } from '../../support/anvil.js'
import {
  deposit,
  depositsIn,
  fill,
  type LaneOfAcross,
  mineBehind,
  mined,
  partOf,
  prepare,
  type SideOfAcross,
  usualPart,
  usualSeconds,
} from '../../support/bridges/past-deposits.js'
import { acrossToken, definitionOf } from '../../support/bridges/relayed-sandboxes.js'
import { runCli } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

const { address: alice } = sandboxAccount('alice')
const depositsOfLane = 340
const answersOfLane = 50

let sandboxes: Sandbox[]
let sides: Record<1 | 8453, SideOfAcross>
let service: TestService

interface Lane extends LaneOfAcross {
  readonly symbol: 'USDC' | 'WETH'
  /** Raw units, from 10 dollars on. */
  readonly least: number
}

function laneOf(
  from: 1 | 8453,
  to: 1 | 8453,
  symbol: 'USDC' | 'WETH',
  world: { readonly gasUsd: number; readonly shareBps: number },
): Lane {
  const unit = symbol === 'USDC' ? 1e6 : 1e18 / 3_000
  return {
    source: sides[from],
    destination: sides[to],
    symbol,
    tokenIn: acrossToken(from, symbol),
    tokenOut: acrossToken(to, symbol),
    least: 10 * unit,
    wanted: (amount) =>
      BigInt(Math.round(world.gasUsd * unit)) + (amount * BigInt(world.shareBps)) / 10_000n,
  }
}

async function sideOf({ chainId, url }: Sandbox): Promise<SideOfAcross> {
  // Else it would write the state of each of ten thousand blocks to the disk.
  const anvil = await startAnvil(['--fork-url', url, '--no-mining', '--prune-history', '300'])
  return { chainId, anvil, spokePool: bridgeAddresses(definitionOf(chainId)).spokePool }
}

async function timeOf({ anvil }: SideOfAcross): Promise<number> {
  const { timestamp } = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  return Number(timestamp)
}

let lanes: Lane[]
interface Answer {
  readonly tx: { readonly from: Hex; readonly to: Hex; readonly data: Hex; readonly value: string }
  readonly amountOut: string
  readonly bridgingEstimates: readonly {
    readonly estimatedSeconds: number
    readonly measured: { readonly p90Seconds: number; readonly deliveries: number }
  }[]
}
const answers = new Map<Lane, readonly Answer[]>()
const filledSeconds = new Map<Lane, number[]>()

/** A day of deposits and fills, one lane after the other, so that the times of blocks rise. */
async function liveADay(lane: Lane, seed: bigint): Promise<void> {
  const random = createSeededRandom(seed)
  await prepare(lane)
  const begin = Math.max(await timeOf(lane.source), await timeOf(lane.destination)) + 10
  const fills: { readonly at: number; readonly run: () => Promise<boolean> }[] = []
  const seconds: number[] = []
  for (let index = 0; index < depositsOfLane; index += 1) {
    const amount = BigInt(Math.round(lane.least * 10 ** (3 * partOf(random))))
    const fee = Number(lane.wanted(amount)) * usualPart(random)
    const at = begin + 10 * index
    const sent = await deposit(lane, amount, BigInt(Math.round(fee)), at)
    const taken = usualSeconds(random)
    seconds.push(taken)
    fills.push({ at: at + taken, run: () => fill(lane, sent, at + taken) })
  }
  let last = 0
  for (const { at, run } of fills.toSorted((a, b) => a.at - b.at)) {
    // Two of one second: the second one would not come after the first.
    if (at > last && (await run())) last = at
  }
  filledSeconds.set(lane, seconds)
}

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  const [one, other] = await Promise.all(sandboxes.map(sideOf))
  if (!one || !other) throw new Error('Two chains are needed.')
  sides = { 1: one, 8453: other }
  lanes = [
    laneOf(1, 8453, 'USDC', { gasUsd: 0.02, shareBps: 4 }),
    laneOf(8453, 1, 'USDC', { gasUsd: 1.5, shareBps: 2 }),
    laneOf(1, 8453, 'WETH', { gasUsd: 0.05, shareBps: 1 }),
    laneOf(8453, 1, 'WETH', { gasUsd: 2.5, shareBps: 8 }),
  ]
  for (const [index, lane] of lanes.entries()) await liveADay(lane, BigInt(index))
  await mineBehind(sides[1], 1_800, 12)
  await mineBehind(sides[8453], 10_000, 2)
  service = await startService({ RPC_URL_1: one.anvil.url, RPC_URL_8453: other.anvil.url })
  for (const [index, lane] of lanes.entries()) {
    answers.set(lane, await answersOf(lane, BigInt(1_000 + index)))
  }
  // An Anvil that mines while a service reads from it may hang.
  await service.stop()
}, 900_000)

afterAll(async () => {
  const anvils = Object.values(sides ?? {}).map(({ anvil }) => anvil)
  await Promise.all([...anvils, ...(sandboxes ?? [])].map((one) => one.stop()))
})

function queryOf({ source, destination, tokenIn, tokenOut, symbol }: Lane, amountIn: number) {
  const [given, wanted] = symbol === 'WETH' ? [nativeToken, nativeToken] : [tokenIn, tokenOut]
  return {
    chainId: String(source.chainId),
    destinationChainId: String(destination.chainId),
    fromAddress: alice,
    tokenIn: given,
    tokenOut: wanted,
    amountIn: String(Math.round(amountIn)),
    ignoreBridges: 'stargate,cctp,canonical',
    crosschainRouteMode: 'direct',
  }
}

async function ask(lane: Lane, random: SeededRandom): Promise<Answer> {
  const amountIn = lane.least * 2 * 10 ** (2 * partOf(random))
  const { status, body, text } = await service.get(
    '/api/v1/shortcuts/route',
    queryOf(lane, amountIn),
  )
  expect(status, text).toBe(200)
  return body
}

/** At one pair of blocks: what is carried out comes after all of them. */
async function answersOf(lane: Lane, seed: bigint) {
  const random = createSeededRandom(seed)
  const answers = []
  for (let count = 0; count < answersOfLane; count += 1) answers.push(await ask(lane, random))
  return answers
}

/** Whether the relayer fills what the transaction sends, and what it leaves, as a part of what the relayer wants. */
async function carryOut(lane: Lane, { tx, amountOut }: Answer) {
  const { source, destination } = lane
  const { from, to, data } = tx
  const call = { from, to, data, value: numberToHex(BigInt(tx.value)), gas: '0x400000' }
  const { logs } = await mined(source, (await timeOf(source)) + 12, call)
  const [sent] = depositsIn(logs)
  if (!sent) throw new Error('The transaction deposits nothing.')
  expect(sent.outputAmount).toBe(BigInt(amountOut))
  const part = Number(sent.inputAmount - sent.outputAmount) / Number(lane.wanted(sent.inputAmount))
  return { part, isFilled: await fill(lane, sent, (await timeOf(destination)) + 2) }
}

test('a cassette keeps what was known, and replays without the events', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-fills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [requests, cassette] = [join(folder, 'requests.json'), join(folder, 'fills.cassette')]
  const lane = lanes[0] as Lane
  const query = { ...queryOf(lane, 123_456_789), executionMode: 'backend' }
  await writeFile(requests, JSON.stringify({ requests: [{ path: '/shortcuts/quote', query }] }))
  const env = {
    RPC_URL_1: sides[1].anvil.url,
    RPC_URL_8453: sides[8453].anvil.url,
    DATA_DIR: join(folder, 'recording'),
  }
  const recorded = await runCli(['record', cassette, '--requests', requests], env)
  expect(recorded.code, recorded.err).toBe(0)
  const db = openCassetteFile(cassette, 'read')
  expect(new CassetteRequests(db).get(1)?.answer).toContain('"measured"')
  db.close()
  const verified = await runCli(['verify', cassette], { DATA_DIR: join(folder, 'empty') })
  expect(verified.out, verified.err).toContain('1 the same')
})

describe.each([0, 1, 2, 3])('lane %i', (index) => {
  const lane = () => lanes[index] as Lane
  const own = () => answers.get(lane()) ?? []

  test('its relayer fills nearly all, and is left at most half more than it wants', async () => {
    const found = []
    for (const answer of own()) found.push(await carryOut(lane(), answer))
    const parts = found.map(({ part }) => part)
    const filled = found.filter(({ isFilled }) => isFilled).length
    expect(filled, parts.join(' ')).toBeGreaterThanOrEqual(answersOfLane * 0.99)
    expect(Math.max(...parts)).toBeLessThanOrEqual(1.5)
  }, 300_000)

  test('the time is within the quartiles of fifty fills', () => {
    const seconds = (filledSeconds.get(lane()) ?? []).slice(-50).toSorted((a, b) => a - b)
    const [estimate] = own()[0]?.bridgingEstimates ?? []
    expect(estimate?.estimatedSeconds).toBeGreaterThanOrEqual(seconds[12] as number)
    expect(estimate?.estimatedSeconds).toBeLessThanOrEqual(seconds[37] as number)
    expect(estimate?.measured.p90Seconds).toBeGreaterThan(estimate?.estimatedSeconds ?? 0)
    expect(estimate?.measured.deliveries).toBe(200)
  })
})
