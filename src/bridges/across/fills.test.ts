import { describe, expect, test } from 'vitest'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import { createSeededRandom } from '../../sandbox/seeded-random.js'
import type { PastDelivery, PastDeposit } from '../bridge.js'
import { feeAsFilled, laneHistory } from './fills.js'
import { createAcross } from './index.js'

const lane = createAcross()
  .lanes(ethereum, base)
  .find(({ symbol }) => symbol === 'USDC')
if (!lane) throw new RangeError('Across has no lane of USDC.')
const { tokenIn, tokenOut } = lane

/** A relayer that fills a deposit for a share of it and some gas, and depositors who leave some part of that. */
interface World {
  readonly shareBps: number
  readonly gas: number
  readonly noise: number
  /** Of what the relayer wants, from evenly distributed numbers. */
  left(one: () => number): number
  /** In 100 deposits, those that are filled for nothing. */
  readonly own: number
}

const around = (middle: number, width: number) => (one: () => number) =>
  middle + width * (one() + one() + one() + one() - 2)

const leftovers = {
  'about what is wanted': around(1.1, 0.2),
  'a little more': around(1.03, 0.02),
  'half to three times': (one: () => number) => 0.5 + 2.5 * one(),
  'one to three times': (one: () => number) => 1 + 2 * one(),
}

function play({ shareBps, gas, noise, left, own }: World, seed: bigint) {
  const random = createSeededRandom(seed)
  const one = () => random(2 ** 32) / 2 ** 32
  const size = () => 10 ** (7 + 4 * one())
  const wanted = (amount: number) => gas + (amount * shareBps) / 10_000
  const deposits: PastDeposit[] = []
  const deliveries: PastDelivery[] = []
  for (let index = 0; index < 600; index += 1) {
    const amount = size()
    const isOwn = random(100) < own
    const fee = isOwn ? 0 : wanted(amount) * left(one)
    const amountOut = BigInt(Math.floor(amount - fee))
    const sent = { id: String(index), tokenIn, tokenOut, amountIn: BigInt(Math.floor(amount)) }
    deposits.push({ ...sent, amountOut, at: index, hasMessage: false })
    const isFilled = isOwn || fee >= wanted(amount) * (1 + noise * (one() + one() - 1))
    if (isFilled) deliveries.push({ id: sent.id, amountOut, at: index + 5 })
  }
  const { fees } = laneHistory(lane as NonNullable<typeof lane>, deposits, deliveries, 10_000)
  return Array.from({ length: 50 }, () => {
    const amount = Math.floor(10 ** (7.3 + 3.4 * one()))
    return Number(feeAsFilled(fees, BigInt(amount))) / wanted(amount)
  })
}

describe.each(Object.entries(leftovers))('depositors leave %s', (_name, left) => {
  test.each([
    { noise: 0, own: 0 },
    { noise: 0.05, own: 0 },
    { noise: 0.05, own: 4 },
  ])('noise $noise, $own in 100 filled for nothing: enough, and at most half more', (how) => {
    const kinds = [0.5, 10].flatMap((shareBps) => [0, 5e4, 5e6].map((gas) => ({ shareBps, gas })))
    const found = kinds.flatMap((kind, index) => play({ ...kind, ...how, left }, BigInt(index)))
    expect(found.filter((part) => !(part >= 1)).length).toBeLessThanOrEqual(found.length / 100)
    expect(found.filter((part) => part > 1.5).length).toBeLessThanOrEqual(found.length / 100)
  })
})

const deposit = (id: number, more: Partial<PastDeposit> = {}): PastDeposit => ({
  id: String(id),
  tokenIn,
  tokenOut,
  amountIn: 1_000_000_000n,
  amountOut: 999_000_000n,
  at: id,
  hasMessage: false,
  ...more,
})
const delivery = ({ id, at, amountOut }: PastDeposit, seconds: number): PastDelivery => ({
  id,
  amountOut,
  at: at + seconds,
})
const ids = Array.from({ length: 400 }, (_, index) => index)

test('times are those of the newest deliveries, and too few tell nothing', () => {
  const deposits = ids.map((id) => deposit(id))
  const deliveries = deposits.map((one, index) => delivery(one, index < 200 ? 500 : index - 199))
  const { seconds } = laneHistory(lane, deposits, deliveries, 10_000)
  expect(seconds).toEqual({ median: 100, p90: 180, count: 200 })
  expect(laneHistory(lane, deposits.slice(0, 19), deliveries, 10_000)).toEqual({
    fees: [],
    seconds: null,
  })
})

test('other tokens, deposits with a message, and those that may still be filled tell nothing', () => {
  const others = ids.map((id) => deposit(id, { tokenOut: tokenIn }))
  const messages = ids.map((id) => deposit(id, { hasMessage: true }))
  for (const deposits of [others, messages]) {
    const deliveries = deposits.map((one) => delivery(one, 5))
    expect(laneHistory(lane, deposits, deliveries, 10_000)).toEqual({ fees: [], seconds: null })
  }
  const filled = ids.map((id) => deposit(id))
  const deliveries = filled.map((one) => delivery(one, 5))
  const waiting = ids.map((id) => deposit(1_000 + id, { amountOut: 1n, at: 9_000 }))
  const { fees } = laneHistory(lane, [...filled, ...waiting], deliveries, 10_000)
  expect(fees).toEqual([{ amount: 1_000_000_000n, fee: 1_100_000n }])
})

test('deposits that nobody can fill, at ten times the fee, raise it by a quarter at most', () => {
  const filled = ids.map((id) => deposit(id))
  const deliveries = filled.map((one) => delivery(one, 5))
  const both = filled.flatMap((one, id) => [one, deposit(1_000 + id, { amountOut: 990_000_000n })])
  const { fees } = laneHistory(lane, both, deliveries, 10_000)
  expect(fees).toEqual([{ amount: 1_000_000_000n, fee: 1_375_000n }])
})

test('what a depositor agreed to later counts', () => {
  const deposits = ids.map((id) => deposit(id))
  const deliveries = deposits.map((one) => ({ ...delivery(one, 5), amountOut: 998_000_000n }))
  const { fees } = laneHistory(lane, deposits, deliveries, 10_000)
  expect(fees).toEqual([{ amount: 1_000_000_000n, fee: 2_200_000n }])
})

test('between, below and above the amounts that are known', () => {
  const fees = [
    { amount: 100n, fee: 10n },
    { amount: 200n, fee: 15n },
  ]
  expect([1n, 100n, 150n, 200n, 400n, 800n].map((amount) => feeAsFilled(fees, amount))).toEqual([
    10n,
    10n,
    13n,
    15n,
    30n,
    60n,
  ])
  expect(feeAsFilled(fees, 801n)).toBeNull()
  expect(feeAsFilled([], 1n)).toBeNull()
})
