/** What a page of another site makes the browser of somebody send, in open mode: by a name that leads here, or without a preflight. */
import { request } from 'undici'
import { type Attack, type Family, told, unlike } from './attack.js'
import type { Asking, Target } from './target.js'

const evil = 'https://evil.example'

/** Each as a browser sends it without asking before, or after a name has been made to lead here. */
function requests({ quotePath }: Target): readonly (readonly [path: string, asking: Asking])[] {
  const post = { method: 'POST' as const }
  const bound = { host: 'evil.example', origin: 'http://evil.example' }
  return [
    ['/api/v1/networks', { headers: { host: 'evil.example' } }],
    [quotePath, { headers: { host: 'evil.example:3000' } }],
    ['/api/v1/networks', { headers: { origin: evil } }],
    ['/api/v1/networks', { headers: { origin: 'null' } }],
    ['/api/v1/networks', { headers: bound }],
    ['/api/v1/networks', { headers: { host: '127.0.0.1.evil.example' } }],
    ['/api/v1/networks', { headers: { host: 'localhost.evil.example' } }],
    ['/api/v1/networks', { headers: { host: 'localhost@evil.example' } }],
    [
      '/api/v1/networks',
      { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } },
    ],
    ['/openapi.json', { headers: { host: 'evil.example' } }],
    ['/metrics', { headers: { host: 'evil.example' } }],
    ['/mcp', { ...post, body: '{}', headers: { origin: evil } }],
    ['/api/v1/backtests', { ...post, body: '{}', headers: { origin: evil } }],
    ['/api/v1/backtests', { ...post, body: '{}', headers: { ...bound } }],
  ]
}

const foreign: Attack = {
  name: 'open mode: pages of other sites, DNS rebinding',
  tried: 'Host, Origin and Sec-Fetch-Site of other sites, on every kind of path',
  async run(target) {
    const replies = await Promise.all(
      requests(target).map(([path, asking]) => target.ask(path, { key: '', ...asking })),
    )
    return { answer: told(replies), reached: unlike(replies, [400, 403]) }
  },
}

const base = '/api/v1/backtests'

const withoutBody: Attack = {
  name: 'open mode: jobs by POST without a body',
  tried: 'cancel and resume of a job from another origin, and a job as text/plain',
  async run(target) {
    const body = {
      blocks: { from: 'latest-200' },
      requests: [
        {
          tokenIn: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
          tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
          amountIn: '1000000000000000000',
        },
      ],
    }
    const made = await target.ask(base, { method: 'POST', key: '', body })
    const path = `${base}/${made.body.id}`
    const headers = { origin: evil }
    const plain = { origin: evil, 'content-type': 'text/plain' }
    const replies = await Promise.all([
      target.ask(`${path}/cancel`, { method: 'POST', key: '', headers }),
      target.ask(`${path}/resume`, { method: 'POST', key: '', headers }),
      target.ask(path, { method: 'DELETE', key: '', headers }),
      target.ask(base, { method: 'POST', key: '', body: JSON.stringify(body), headers: plain }),
      target.ask(base, {
        method: 'POST',
        key: '',
        body: JSON.stringify(body),
        headers: { 'content-type': 'text/plain' },
      }),
    ])
    const { body: job } = await target.ask(path, { key: '' })
    const isTouched = !['queued', 'running', 'finished'].includes(job.state)
    return {
      answer: told(replies),
      reached: unlike(replies, [403, 415]) ?? (isTouched ? `the job is ${job.state}` : null),
    }
  },
}

function sandboxRpc(nodeUrl: string): Attack {
  return {
    name: 'the JSON-RPC of the sandbox, asked by a page',
    tried: 'anvil_setBalance as text/plain, as a form and without a type',
    async run() {
      const owner = `0x${'ab'.repeat(20)}`
      const call = (method: string, params: readonly unknown[]) =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const send = async (type: string | null, body: string) => {
        const headers = type === null ? {} : { 'content-type': type }
        const answer = await request(nodeUrl, { method: 'POST', headers, body })
        return { status: answer.statusCode, code: null, text: await answer.body.text() }
      }
      const set = call('anvil_setBalance', [owner, '0x1234'])
      const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null]
      const replies = await Promise.all(types.map((type) => send(type, set)))
      const { text } = await send('application/json', call('eth_getBalance', [owner, 'latest']))
      return {
        answer: told(replies),
        reached: text.includes('0x1234') ? 'the balance was changed' : unlike(replies, [415, 400]),
      }
    },
  }
}

export const pages: Family = {
  name: 'pages',
  env: () => ({ AUTH_MODE: 'open' }),
  attacks: (nodeUrl) => [foreign, withoutBody, sandboxRpc(nodeUrl)],
}
