import { performance } from 'node:perf_hooks'
import { beforeAll, test } from 'vitest'
import { sandboxTokens } from '../../../src/sandbox/tokens.js'
import { nativeToken, type Address } from '../../../src/domain/primitives.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'
import { createSeededRandom } from '../../../src/sandbox/market/seeded-random.js'

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
const path = '/api/v1/shortcuts/quote'
async function stages() {
  const metrics = (await service.get('/metrics')).text
  return new Map(
    [...metrics.matchAll(/^forkroute_stage_seconds_sum\{stage="(\w+)"\} (\S+)/gm)].map(
      ([, stage = '', seconds]) => [stage, Number(seconds)],
    ),
  )
}
function diff(a: Map<string, number>, b: Map<string, number>) {
  return ['state', 'search', 'plan', 'simulate', 'finalise']
    .map((s) => `${s} ${(1000 * ((b.get(s) ?? 0) - (a.get(s) ?? 0))).toFixed(0)}`)
    .join(' ')
}
test('explore', async () => {
  const block = (await service.get('/api/v1/networks')).body[0].blockNumber - 2
  const common = { chainId: '1', blockNumber: String(block), priceImpact: 'false' }
  const rnd = createSeededRandom(BigInt(process.env.SEED ?? 7))
  const random = () => rnd(1_000_000) / 1_000_000
  const tokens: { address: Address; decimals: number; symbol: string }[] = [
    ...sandboxTokens,
    { address: nativeToken, decimals: 18, symbol: 'ETH' },
  ] as never
  const prices = new Map<string, number>()
  for (const t of tokens) {
    const p = await service.get(`/api/v1/prices/1/${t.address}`, { blockNumber: String(block) })
    if (p.status === 200) prices.set(t.address, p.body.price)
  }
  const priced = tokens.filter((t) => prices.has(t.address))
  const sums = { quote: 0, exact: 0 }
  for (let i = 0; i < Number(process.env.N ?? 45); i++) {
    const a = priced[Math.floor(random() * priced.length)]!
    let b = priced[Math.floor(random() * priced.length)]!
    if (a === b) continue
    const usd = 10 ** (random() * 8 - 0.5)
    const x0 = BigInt(Math.floor((usd / prices.get(a.address)!) * 10 ** a.decimals))
    if (x0 < 1n) continue
    const q = (x: bigint) =>
      service.get(path, {
        ...common,
        tokenIn: a.address,
        tokenOut: b.address,
        amountIn: x.toString(),
      })
    const first = await q(x0)
    if (first.status !== 200) {
      console.log(a.symbol, b.symbol, usd.toFixed(1), first.body.code)
      continue
    }
    const target = BigInt(first.body.amountOut)
    const m0 = await stages()
    const t0 = performance.now()
    const e = await service.get(path, {
      ...common,
      tokenIn: a.address,
      tokenOut: b.address,
      amountOut: target.toString(),
    })
    const t1 = performance.now()
    const m1 = await stages()
    const t1b = performance.now()
    await q(x0 + 1n)
    const t2 = performance.now()
    const m2 = await stages()
    sums.exact += t1 - t0
    sums.quote += t2 - t1b
    if (e.status !== 200) {
      console.log('!!', a.symbol, b.symbol, usd.toFixed(1), e.text.slice(0, 300))
      continue
    }
    const mine = BigInt(e.body.amountIn)
    let [lo, hi] = [0n, x0]
    lo = (x0 * 99n) / 100n
    while ((hi - lo) * 1_000_000n > hi && hi - lo > 1n) {
      const mid = (lo + hi) / 2n
      const m = await q(mid)
      if (m.status === 200 && BigInt(m.body.amountOut) >= target) hi = mid
      else lo = mid
    }
    const bps = Number(((mine - hi) * 100_000_000n) / hi) / 10_000
    const over = Number(((BigInt(e.body.amountOut) - target) * 100_000_000n) / target) / 10_000
    console.log(
      `${a.symbol}>${b.symbol} ${usd.toFixed(1)} usd: ${bps.toFixed(4)} bps, over ${over.toFixed(4)}, ${(t1 - t0).toFixed(0)} / ${(t2 - t1b).toFixed(0)} ms${bps > 1 || BigInt(e.body.amountOut) < target ? ' <<<<<' : ''} ${diff(m0, m1)} | ${diff(m1, m2)}`,
    )
  }
  console.log('sum', sums, sums.exact / sums.quote)
}, 600_000)
