/** YAML and JSON that take long to read, check or compare. */
import { type Attack, type Family, refused, told, unlike } from './attack.js'
import type { Reply, Target } from './target.js'

const list = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i))
const kB = (text: string) => `${Math.round(text.length / 1_000)} kB`

/** Each is within the limit of a suite, unless its name says otherwise. */
const suites: readonly (readonly [name: string, text: string])[] = [
  ['36,000 keys, above the limit', list(36_000, (i) => `${i}:`).join('\n')],
  ['keys of one level', list(9_000, (i) => `k${i}:`).join('\n')],
  ['a flow map', `{${list(8_000, (i) => `k${i}: `).join()}}`],
  ['keys within keys', '? '.repeat(32_000)],
  ['lists within lists', '['.repeat(64_000)],
  ['maps within maps', '{a: '.repeat(15_900)],
  ['aliases', `a: &a 1\nb: [${'*a, '.repeat(15_900)}]`],
  [
    'an alias bomb, 2^40 values',
    `a0: &a0 [x, x]\n${list(40, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}`,
  ],
  [
    'merges of merges',
    `a0: &a0 {${list(50, (i) => `k${i}: 1`).join()}}\n${list(780, (i) => `a${i + 1}: &a${i + 1} {<<: [${list(10, () => `*a${i}`).join()}]}`).join('\n')}`,
  ],
  ['a folded text', `a: >\n${list(20_000, () => ' x').join('\n')}`],
  ['comments', '#\n'.repeat(32_000)],
  ['anchors', list(5_500, (i) => `- &a${i} x`).join('\n')],
  ['digits', `a: ${'9'.repeat(63_000)}`],
  ['quotes that do not end', `a: "${'\\x41'.repeat(15_900)}`],
  ['thousands of documents', '---\n'.repeat(15_900)],
  ['an alias bomb in JSON', `{"a":&a [1,1],"b":[${'*a,'.repeat(15_900)}1]}`],
]

const sendSuite = (target: Target, suite: string) =>
  target.ask('/api/v1/suites', { method: 'POST', body: { suite } })

const allAtOnce: Attack = {
  name: 'all of these suites at the same time',
  tried: `${suites.length} requests, 4 times`,
  async run(target) {
    const sent = [1, 2, 3, 4].flatMap(() => suites.map(([, text]) => sendSuite(target, text)))
    const replies = await Promise.all(sent)
    return { answer: told(replies), reached: unlike(replies, [400, 413, 503]) }
  },
}

const address = (index: number) => `0x${index.toString(16).padStart(40, 'c')}`
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const bundle = '/api/v1/shortcuts/bundle?fromAddress=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Plans with as much to check and compare as a body may hold. */
const plans: readonly (readonly [name: string, plan: unknown])[] = [
  [
    'a plan with 32,000 wrong pools',
    {
      variants: list(32, (i) => `v${i}`).map((name) => ({
        name,
        poolBlacklist: Array(1_000).fill('x'),
      })),
    },
  ],
  [
    'a plan with 20,000 fields that are none',
    Object.fromEntries(list(20_000, (i) => `k${i}`).map((name) => [name, 1])),
  ],
  [
    'a plan with 200 requests of 200 pools each',
    {
      requests: list(200, (i) => `r${i}`).map((name) => ({
        name,
        onlyPools: list(200, () => 'x'),
      })),
    },
  ],
]

const bodies: readonly Attack[] = [
  refused('arguments nested 2,000 deep', '4 kB of JSON', [400], (target) =>
    target.ask(bundle, {
      method: 'POST',
      body: `[{"protocol":"svc","action":"route","args":{"tokenIn":${nested(2_000)}}}]`,
    }),
  ),
  refused('a body of brackets alone', '240 kB of JSON', [400], (target) =>
    target.ask(bundle, { method: 'POST', body: nested(120_000) }),
  ),
  {
    name: 'a batch of quotes with 48,000 wrong pools',
    tried: '200 kB of JSON, 10 requests',
    async run(target) {
      const quotes = list(200, () => '').map(() => ({
        tokenIn: 'x',
        excludePools: Array(240).fill('x'),
      }))
      const replies: Reply[] = []
      for (let sent = 0; sent < 10; sent++) {
        const asking = { method: 'POST' as const, body: { quotes } }
        replies.push(await target.ask('/api/v1/shortcuts/quotes', asking))
      }
      return { answer: told(replies), reached: unlike(replies, [200, 400]) }
    },
  },
  ...plans.map(([name, plan]) => {
    const body = JSON.stringify({ blocks: { from: 'latest-2' }, ...(plan as object) })
    return refused(name, kB(body), [400, 413], (target) =>
      target.ask('/api/v1/backtests', { method: 'POST', body }),
    )
  }),
  refused('a query of 1,300 tokens', '60 kB of query', [400, 431], (target) =>
    target.ask(`/api/v1/prices/1?${list(1_300, (i) => `addresses=${address(i)}`).join('&')}`),
  ),
]

export const texts: Family = {
  name: 'texts',
  attacks: () => [
    ...suites.map(([name, text]) =>
      refused(`a suite: ${name}`, `${kB(text)} of YAML`, [400, 413], (target) =>
        sendSuite(target, text),
      ),
    ),
    allAtOnce,
    ...bodies,
  ],
}
