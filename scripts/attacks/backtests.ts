/** As many and as long jobs as one account may have, large results, and what a key can do to the jobs of others. */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { openSqliteStore } from '../../src/backtest/stores/sqlite-store.js'
import { sampleJob, sampleResults } from '../../test/support/backtest/backtest-results.js'
import { type Attack, type Family, told, unlike } from './attack.js'
import type { Reply, Target } from './target.js'

const base = '/api/v1/backtests'
const sent = 1_200
/** Those after these are left waiting. */
const cancelled = 980
const atOnce = 4
const afterRestartMs = 20_000

const pool = (index: number) => `0x${index.toString(16).padStart(40, 'c')}`
const plan = JSON.stringify({
  blocks: { from: 'latest-100' },
  requests: [
    {
      tokenIn: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
      tokenOut: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
      amountIn: ['1000000000000000000'],
    },
  ],
  variants: [0, 1, 2, 3, 4].map((variant) => ({
    name: `v${variant}`,
    poolBlacklist: Array.from({ length: 1_000 }, (_, index) => pool(index)),
  })),
})

const post = (target: Target, path: string, key?: string) =>
  target.ask(path, { method: 'POST', ...(key && { key }) })

const many: Attack = {
  name: 'as many backtests as an account may have',
  tried: `${sent} jobs of ${Math.round(plan.length / 1_000)} kB, ${cancelled} of them cancelled to make room`,
  async run(target) {
    const limit = pLimit(atOnce)
    const replies: Reply[] = []
    const one = async (serial: number) => {
      const reply = await target.ask(base, { method: 'POST', body: plan })
      replies.push(reply)
      if (reply.status !== 200 || serial >= cancelled) return
      const { status, text } = await post(target, `${base}/${reply.body.id}/cancel`)
      if (status !== 200) throw new Error(`A job cannot be cancelled: ${status} ${text}`)
    }
    await Promise.all(Array.from({ length: sent }, (_, serial) => limit(() => one(serial))))
    const accepted = replies.filter(({ status }) => status === 200).length
    return {
      answer: told(replies),
      reached: unlike(replies, [200, 429]) ?? (accepted > 1_000 ? `${accepted} jobs` : null),
    }
  },
}

const restarted: Attack = {
  name: 'the same jobs after a restart, listed all the while',
  tried: `${afterRestartMs / 1_000} s with 1,000 jobs of 225 kB, 20 of them open`,
  async prepare(target) {
    await target.restart()
  },
  async run(target) {
    const end = performance.now() + afterRestartMs
    const replies: Reply[] = []
    while (performance.now() < end) {
      replies.push(await target.ask(base))
      await sleep(250)
    }
    return { answer: told(replies), reached: unlike(replies, [200]) }
  },
}

const shape = { blocks: 50, requests: 100, variants: 20, delays: [] }
const rows = shape.blocks * shape.requests * shape.variants
let large = ''

/** Written as a service writes it, cancelled so that nobody goes on with it. */
async function store(target: Target): Promise<string> {
  const job = sampleJob(shape)
  const backtests = openSqliteStore(target.dataDir)
  const blocks: bigint[] = []
  for await (const { blockNumber } of sampleResults(job)) blocks.push(blockNumber)
  const account = `0x${'12'.repeat(32)}` as const
  const { id } = await backtests.add(job.plan, blocks, account, { open: 1e9, stored: 1e9 })
  await backtests.setState(id, 'cancelled')
  for await (const block of sampleResults(job)) await backtests.put(id, block)
  await backtests.close()
  return id
}

function report(what: string, query: string): Attack {
  return {
    name: `a large result as ${what}`,
    tried: `${rows.toLocaleString('en')} rows, by two clients at once`,
    async prepare(target) {
      large ||= await store(target)
    },
    async run(target) {
      const ask = () => target.ask(`${base}/${large}/${query}`, { key: target.keys.admin })
      const begun = performance.now()
      const replies = await Promise.all([ask(), ask()])
      const seconds = (performance.now() - begun) / 1_000
      const mb = (replies[0]?.text.length ?? 0) / 1e6
      return {
        answer: `${told(replies)}: ${mb.toFixed(1)} MB in ${seconds.toFixed(1)} s`,
        reached: unlike(replies, [200, 503]),
      }
    },
  }
}

const ofOthers: Attack = {
  name: 'the job of another account, BACKTESTS_PRIVATE=on',
  tried: 'shown, read, followed, cancelled, continued, removed, listed',
  async run(target) {
    const { other } = target.keys
    const body = JSON.stringify({ ...JSON.parse(plan), variants: undefined })
    const made = await target.ask(base, { method: 'POST', body, key: other })
    if (made.status !== 200) throw new Error(`No job was made: ${made.text}`)
    const path = `${base}/${made.body.id}`
    const reads = ['', '/results', '/results?format=csv', '/summary', '/events']
    const replies = [
      ...(await Promise.all(reads.map((one) => target.ask(`${path}${one}`)))),
      await post(target, `${path}/cancel`),
      await post(target, `${path}/resume`),
      await target.ask(path, { method: 'DELETE' }),
    ]
    const listed = await target.ask(base)
    const isListed = listed.text.includes(made.body.id)
    const { status } = await target.ask(path, { key: other })
    return {
      answer: told(replies),
      reached:
        unlike(replies, [404]) ??
        (isListed ? 'it is in the list' : status === 200 ? null : 'it is gone'),
    }
  },
}

export const backtests: Family = {
  name: 'backtests',
  env: () => ({ BACKTESTS_PRIVATE: 'on' }),
  attacks: () => [
    ofOthers,
    report('a report', 'results?format=html'),
    report('CSV', 'results?format=csv'),
    report('Parquet', 'results?format=parquet'),
    report('JSON lines', 'results?format=jsonl'),
    report('SQLite', 'results?format=sqlite'),
    report('a page of JSON', 'results?limit=200'),
    report('a summary', 'summary'),
    many,
    restarted,
  ],
}
