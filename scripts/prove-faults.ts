/**
 * `npm run prove:faults [-- <row> …]`: the service in front of nodes that fail in every way (`test/support/nodes/bad-node.ts`):
 * 24 quotes at blocks that were not asked before, six at a time, compared to the byte with those of a healthy node.
 * Writes the table of docs/reliability.md, unless rows are named; exits 1 where a row misses its target. Takes about
 * ten minutes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import pLimit from 'p-limit'
import { quantile } from '../bench/section.js'
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.js'
import { type BadNode, type Badness, startBadNode } from '../test/support/nodes/bad-node.js'
import { type Answer, startService, type TestService } from '../test/support/service/service.js'

const quotes = 24
const atOnce = 6
/** Blocks between two quotes, and of the first below the head. */
const distance = 4n
const depth = 20n
/** More than the 128 blocks of which nodes keep the state. */
const prunedDepth = 150n

const tokens = {
  WETH: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  USDC: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  DAI: '0x6b175474e89094c44da98b954eedeac495271d0f',
  UNI: '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984',
  WBTC: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
} as const
const trades = [
  ['WETH', 'USDC', 10n ** 18n],
  ['USDC', 'DAI', 25_000n * 10n ** 6n],
  ['UNI', 'WETH', 300n * 10n ** 18n],
  ['WBTC', 'USDC', 10n ** 7n],
  ['DAI', 'WETH', 4_000n * 10n ** 18n],
  ['WETH', 'UNI', 3n * 10n ** 18n],
] as const

interface Row {
  readonly name: string
  /** One per node. */
  readonly nodes: readonly Badness[]
  /** Least share of right and complete answers. */
  readonly complete: number
  /** Most times the requests of the healthy run. */
  readonly requests?: number
  /** Most times its p95. */
  readonly p95?: number
  /** Blocks are so old that the node has pruned them. Right is to refuse: no answer may be given. */
  readonly isPruned?: true
}

const rows: readonly Row[] = [
  { name: '2 % of requests fail', nodes: [{ share: 0.02 }], complete: 1, requests: 1.2 },
  { name: '5 %', nodes: [{ share: 0.05 }], complete: 0.99, requests: 1.5 },
  { name: '20 %', nodes: [{ share: 0.2 }], complete: 0.95, requests: 2.5, p95: 5 },
  { name: 'two nodes, the first dead', nodes: [{ isDead: true }, {}], complete: 1, p95: 1.5 },
  { name: 'two nodes, the first hangs', nodes: [{ hangs: true }, {}], complete: 1, p95: 1.5 },
  {
    name: 'two nodes, the first takes 1 request a second',
    nodes: [{ requestsPerSecond: 1 }, {}],
    complete: 1,
    p95: 1.5,
  },
  { name: '25 calls a second', nodes: [{ callsPerSecond: 25 }], complete: 1 },
  { name: 'batches of at most 10', nodes: [{ maxBatch: 10 }], complete: 1 },
  { name: 'batches of at most 50', nodes: [{ maxBatch: 50 }], complete: 1 },
  { name: 'batches of at most 100', nodes: [{ maxBatch: 100 }], complete: 1 },
  { name: 'no batches', nodes: [{ maxBatch: 1 }], complete: 1 },
  { name: 'bodies of at most 128 kB', nodes: [{ maxBodyBytes: 131_072 }], complete: 1 },
  { name: 'bodies of at most 8 kB', nodes: [{ maxBodyBytes: 8_192 }], complete: 1 },
  { name: 'no block hash parameter', nodes: [{ lacks: ['blockHash'] }], complete: 1 },
  { name: 'no proofs', nodes: [{ lacks: ['proofs'] }], complete: 1 },
  { name: 'no overrides', nodes: [{ lacks: ['overrides'] }], complete: 1 },
  { name: 'no logs', nodes: [{ lacks: ['logs'] }], complete: 1 },
  {
    name: 'none of these, and 5 % fail',
    nodes: [{ lacks: ['blockHash', 'proofs', 'overrides', 'logs'], share: 0.05 }],
    complete: 0.99,
  },
  { name: 'behind a balancer, up to 2 blocks late', nodes: [{ lag: 2 }], complete: 1 },
  {
    name: 'zeros where it has pruned',
    nodes: [{ oldState: 'zeros' }],
    complete: 0,
    isPruned: true,
  },
  {
    name: 'the newest state for old blocks',
    nodes: [{ oldState: 'newest' }],
    complete: 0,
    isPruned: true,
  },
]

interface Result {
  readonly answers: readonly Answer[]
  readonly milliseconds: readonly number[]
  readonly requests: number
  readonly calls: number
  /** Until the node, well again, gives the first right answer. */
  readonly backMs: number | null
}

async function run(
  sandbox: Sandbox,
  nodes: readonly Badness[],
  first = sandbox.blockNumber - depth,
): Promise<Result> {
  const proxies: BadNode[] = []
  for (const [index, badness] of nodes.entries()) {
    proxies.push(await startBadNode(sandbox.url, badness, 11 + index))
  }
  const service = await startService({
    RPC_URL_1: proxies.map(({ url }) => url).join(','),
    HEAD_POLL_MS: '500',
    // Without keys: an account's id is part of the calldata, and its zeros of the gas.
    AUTH_MODE: 'open',
  })
  try {
    await untilReady(service)
    const counted = () => proxies.reduce((sum, { counts }) => sum + counts.requests, 0)
    const called = () => proxies.reduce((sum, { counts }) => sum + counts.calls, 0)
    const [requests, calls] = [counted(), called()]
    const limit = pLimit(atOnce)
    const milliseconds: number[] = []
    const answers = await Promise.all(
      Array.from({ length: quotes }, (_, index) =>
        limit(async () => {
          const begun = performance.now()
          const answer = await quote(service, first, index)
          milliseconds.push(performance.now() - begun)
          return answer
        }),
      ),
    )
    const [asked, billed] = [counted() - requests, called() - calls]
    for (const proxy of proxies) proxy.badness = {}
    const backMs = await timeToRight(service, first)
    return { answers, milliseconds, requests: asked, calls: billed, backMs }
  } finally {
    await service.stop()
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  }
}

function quote(service: TestService, first: bigint, index: number): Promise<Answer> {
  const [tokenIn, tokenOut, amountIn] = trades[index % trades.length] ?? trades[0]
  return service.get('/api/v1/shortcuts/quote', {
    chainId: '1',
    fromAddress: '0x00000000000000000000000000000000000fa017',
    tokenIn: tokens[tokenIn],
    tokenOut: tokens[tokenOut],
    amountIn: String(amountIn),
    blockNumber: String(first - distance * BigInt(index)),
  })
}

async function untilReady(service: TestService): Promise<void> {
  const until = Date.now() + 60_000
  while ((await service.get('/ready')).status !== 200 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Milliseconds until the first answer at a block of its own. */
async function timeToRight(service: TestService, first: bigint): Promise<number | null> {
  const begun = performance.now()
  for (let index = quotes; performance.now() - begun < 30_000; index += 1) {
    const { status } = await quote(service, first, index % 40)
    if (status === 200) return performance.now() - begun
  }
  return null
}

const percentile = (values: readonly number[], share: number): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    share,
  )

interface Judged {
  readonly line: string
  readonly isMet: boolean
}

function judge(row: Row, result: Result, healthy: Result): Judged {
  const kinds = result.answers.map((answer, index) => kindOf(answer, healthy.answers[index]))
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  const errors = new Map<string, number>()
  for (const { status, body } of result.answers) {
    if (status === 200) continue
    const code = `${status} ${body?.code}`
    errors.set(code, (errors.get(code) ?? 0) + 1)
  }
  const times = (value: number, base: number) => value / base
  const requests = times(result.requests, healthy.requests)
  const p95 = percentile(result.milliseconds, 0.95)
  const slower = times(p95, percentile(healthy.milliseconds, 0.95))
  const isKnown = result.answers.every(
    ({ status }) => status === 200 || status === 503 || status === 400 || status === 422,
  )
  const isMet =
    isKnown &&
    count('wrong') === 0 &&
    (row.isPruned ? count('right') === 0 : count('right') >= Math.floor(row.complete * quotes)) &&
    (!row.requests || requests <= row.requests) &&
    (!row.p95 || slower <= row.p95)
  const cells = [
    row.name,
    `${count('right')}`,
    `${count('fewer')}`,
    `${count('wrong')}`,
    [...errors].map(([code, times]) => `${times} × ${code}`).join(', ') || '0',
    `${result.requests} (${requests.toFixed(2)})`,
    `${result.calls}`,
    `${Math.round(percentile(result.milliseconds, 0.5))} / ${Math.round(p95)} (${slower.toFixed(1)})`,
    result.backMs === null ? 'never' : `${Math.round(result.backMs)}`,
    isMet ? 'yes' : 'NO',
  ]
  return { line: `| ${cells.join(' | ')} |`, isMet }
}

function kindOf(
  answer: Answer,
  healthy: Answer | undefined,
): 'right' | 'fewer' | 'wrong' | 'error' {
  if (answer.status !== 200) return 'error'
  if (answer.text === healthy?.text) return 'right'
  return answer.body.warnings?.length > (healthy?.body.warnings?.length ?? 0) ? 'fewer' : 'wrong'
}

const head = [
  '| node | right and complete | fewer candidates | wrong | errors | requests (times healthy) | calls | p50 / p95 ms (times healthy) | back after ms | met |',
  '|---|---|---|---|---|---|---|---|---|---|',
]

function write(lines: readonly string[]): void {
  const file = new URL('../docs/reliability.md', import.meta.url)
  const [begin, end] = ['<!-- table of faults -->\n', '<!-- end -->']
  const text = readFileSync(file, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const after = rest.slice(rest.indexOf(end))
  writeFileSync(file, `${before}${begin}${lines.join('\n')}\n${after}`)
}

const wanted = process.argv.slice(2)
const chosen = rows.filter(({ name }) => !wanted.length || wanted.includes(name))
const sandbox = await startSandbox()
try {
  const healthy = await run(sandbox, [{}])
  const bad = healthy.answers.find(({ status, body }) => status !== 200 || body.warnings)
  if (bad) throw new Error(`The healthy run is not right and complete: ${bad.text}`)
  const judged = [judge({ name: 'healthy', nodes: [], complete: 1 }, healthy, healthy)]
  console.log([...head, judged[0]?.line].join('\n'))
  for (const row of chosen) {
    const first = sandbox.blockNumber - (row.isPruned ? prunedDepth : depth)
    const one = judge(row, await run(sandbox, row.nodes, first), healthy)
    console.log(one.line)
    judged.push(one)
  }
  if (!wanted.length) write([...head, ...judged.map(({ line }) => line)])
  if (!judged.every(({ isMet }) => isMet)) process.exitCode = 1
} finally {
  await sandbox.stop()
}
