
import { startService } from './test/support/service.js'
import { performance } from 'node:perf_hooks'
const service = await startService({ RATE_LIMIT_PER_MINUTE: '10000000', AUTH_MODE:'open' })
const one = { tokenIn: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }
async function facts() {
  const { text } = await service.get('/metrics')
  const pick = (re: RegExp) => [...text.matchAll(re)].reduce((s, m) => s + Number(m[1]), 0)
  return { sims: pick(/^forkroute_simulations_total\S* (\d+)/gm), up: pick(/^forkroute_archive\{fact="upstreamCalls"\} (\d+)/gm), served: pick(/^forkroute_archive\{fact="served"\} (\d+)/gm), http: pick(/^forkroute_archive\{fact="upstreamHttpRequests"\} (\d+)/gm) }
}
async function measure(name: string, n: number, work: () => Promise<unknown>) {
  const a = await facts(); const t = performance.now(); const c = process.cpuUsage()
  await work()
  const ms = performance.now() - t; const b = await facts(); const cc = process.cpuUsage(c)
  console.log(name, 'ms/quote', (ms / n).toFixed(2), 'cpu ms/quote', ((cc.user+cc.system)/1000/n).toFixed(2), 'sims/quote', (b.sims - a.sims) / n, 'upstream', b.up - a.up, 'http', b.http - a.http, 'served', b.served - a.served)
}
let k = 0
const amounts = (n: number) => Array.from({ length: n }, () => (10n ** 18n + BigInt(++k) * 10n ** 15n).toString())
const singles = async (n: number, par: number, extra = {}) => {
  const list = amounts(n)
  await Promise.all(Array.from({ length: par }, async () => { for (;;) { const amountIn = list.pop(); if (!amountIn) return; const r = await service.get('/api/v1/shortcuts/quote', { ...one, amountIn, ...extra } as never); if (r.status !== 200) throw new Error(r.text) } }))
}
const ladder = async (n: number, extra = {}) => { const r = await service.post('/api/v1/shortcuts/quotes', { quotes: [{ ...one, amountIn: amounts(n) }], ...extra }); if (r.status !== 200 || r.text.includes('"error"')) throw new Error(r.text.slice(0, 500)) }
const batch = async (n: number, extra = {}) => { const r = await service.post('/api/v1/shortcuts/quotes', { quotes: amounts(n).map((amountIn) => ({ ...one, amountIn })), ...extra }); if (r.status !== 200) throw new Error(r.text.slice(0, 500)) }
const head = (await service.get('/api/v1/networks')).body[0].blockNumber
await measure('cold single past', 1, () => singles(1, 1, { blockNumber: String(head - 30) }))
await measure('cold ladder 20 past', 20, () => ladder(20, { blockNumber: head - 31 }))
await measure('cold singles 20 par 1', 20, () => singles(20, 1, { blockNumber: String(head - 33) }))
await measure('cold singles 20 par 8', 20, () => singles(20, 8, { blockNumber: String(head - 34) }))
await singles(50, 8)
for (let i = 0; i < 2; i++) {
await measure('singles 1', 100, () => singles(100, 1))
await measure('singles 8', 100, () => singles(100, 8))
await measure('singles 16', 100, () => singles(100, 16))
await measure('ladder 100', 100, () => ladder(100))
await measure('batch 100', 100, () => batch(100))
}
await service.stop()
