/** Keys that are disabled, files that others on the machine may read, and a document that is asked for all the time. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { type Attack, type Family, told, unlike } from './attack.js'
import type { Target } from './target.js'

const streams = 5
/** Keys are looked at each second. */
const longestMs = 3_000

const disabled: Attack = {
  name: 'streams of a key that is disabled',
  tried: `${streams} streams of quotes`,
  async run(target) {
    const { admin } = target.keys
    const asking = { method: 'POST' as const, key: admin }
    const made = await target.ask('/api/v1/keys', { ...asking, body: { name: 'gone' } })
    const path = target.quotePath.replace('/shortcuts/quote', '/stream/quotes')
    const url = `${target.url}${path.replace(/&blockNumber=\d+/, '')}`
    const headers = { authorization: `Bearer ${made.body.key}` }
    const clients = new Agent()
    const open = await Promise.all(
      Array.from({ length: streams }, () => request(url, { dispatcher: clients, headers })),
    )
    const ended = open.map(async ({ body }) => {
      const text = await body.text()
      return { at: performance.now(), text }
    })
    await sleep(500)
    await target.ask(`/api/v1/keys/${made.body.id}/disable`, asking)
    const begun = performance.now()
    const ends = await Promise.race([Promise.all(ended), sleep(20_000, null)])
    await clients.destroy()
    if (!ends) return { answer: '–', reached: 'the streams go on' }
    const ms = Math.round(Math.max(...ends.map(({ at }) => at)) - begun)
    const isTold = ends.every(({ text }) => text.includes('KEY_DISABLED'))
    return {
      answer: `403 KEY_DISABLED after ${ms} ms`,
      reached:
        ms > longestMs ? 'they went on too long' : isTold ? null : 'they ended without a word',
    }
  },
}

const perSecond = 225
const documentSeconds = 10

const asked: Attack = {
  name: '/openapi.json, without a key',
  tried: `${perSecond} a second for ${documentSeconds} s`,
  async run(target) {
    const clients = new Agent({ connections: 64 })
    // What is asked is not looked at: that would hold up those who ask beside it.
    const ask = async () => {
      const { statusCode, body } = await request(`${target.url}/openapi.json`, {
        dispatcher: clients,
      })
      await body.dump({ limit: 100_000_000 })
      return { status: statusCode, code: null, text: '' }
    }
    const replies: ReturnType<typeof ask>[] = []
    const begun = performance.now()
    for (let serial = 0; serial < perSecond * documentSeconds; serial++) {
      replies.push(ask())
      const due = begun + ((serial + 1) * 1_000) / perSecond - performance.now()
      if (due > 1) await sleep(due)
    }
    const all = await Promise.all(replies)
    const seconds = (performance.now() - begun) / 1_000
    await clients.destroy()
    return { answer: `${told(all)} in ${seconds.toFixed(1)} s`, reached: unlike(all, [200]) }
  },
}

function* below(folder: string): Generator<string> {
  yield folder
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* below(path)
    else yield path
  }
}

const files: Attack = {
  name: 'the data folder, read by another user of the machine',
  tried: 'modes of all its files after keys, quotes, a backtest and a check, with umask 022',
  async prepare(target) {
    const body = { blocks: { from: 'latest-1' }, requests: [requestOf(target)] }
    await target.ask('/api/v1/backtests', { method: 'POST', body })
    const suite =
      'cases: [{ name: a, prices: { addresses: [0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2] }, expect: { error: NO_PRICE } }]'
    await target.ask('/api/v1/suites', { method: 'POST', body: { suite } })
  },
  async run(target) {
    const all = [...below(target.dataDir)]
    const open = all.filter((path) => (statSync(path).mode & 0o077) !== 0)
    return {
      answer: `${all.length} files and folders, ${open.length} for others`,
      reached: open.length > 0 ? open.join(', ') : null,
    }
  },
}

function requestOf({ quotePath }: Target) {
  const query = new URL(quotePath, 'http://localhost').searchParams
  return Object.fromEntries(
    ['tokenIn', 'tokenOut', 'amountIn'].map((name) => [name, query.get(name)]),
  )
}

export const keys: Family = { name: 'keys', attacks: () => [disabled, asked, files] }
