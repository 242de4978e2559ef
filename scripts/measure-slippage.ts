/**
 * Writes docs/reference/measured-slippage.md: over 300 blocks of the sandbox, what fixed slippages and a measured one
 * would have filled one, two and three blocks after each quote.
 *
 *   npm run measure:slippage
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService, type TestService } from '../test/support/service/service.js'

const blocks = 300
const delays = [1, 2, 3]
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
const requests = [
  { name: '1 WETH to USDC', tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}` },
  { name: '1,000 USDC to WBTC', tokenIn: usdc, tokenOut: wbtc, amountIn: `${10n ** 9n}` },
  { name: '1,000 USDC to DAI', tokenIn: usdc, tokenOut: dai, amountIn: `${10n ** 9n}` },
]
const variants = [
  ...[10, 30, 50, 100].map((bps) => ({ name: `${bps} bps`, slippage: bps })),
  { name: 'auto', slippage: 'auto' },
]

interface Row {
  readonly request: string
  readonly variant: string
  readonly amountsOut?: readonly [string]
  readonly minAmountsOut?: readonly [string]
  readonly executions: readonly {
    readonly status: 'filled' | 'reverted' | 'unknown'
    readonly amountsOut?: readonly [string]
  }[]
}

async function rowsOf(service: TestService): Promise<Row[]> {
  const range = { from: `latest-${blocks + delays.length - 1}`, to: `latest-${delays.length}` }
  const plan = { name: 'slippage', blocks: range, requests, variants, delays }
  const created = await service.post('/api/v1/backtests', plan)
  if (created.status >= 300) throw new Error(created.text)
  const path = `/api/v1/backtests/${created.body.id}`
  for (;;) {
    const { body } = await service.get(path)
    console.log(`${body.state}: ${body.blocksDone} of ${body.blocksTotal} blocks`)
    if (body.state === 'finished') break
    if (!['queued', 'running'].includes(body.state)) throw new Error(body.problem)
    await sleep(10_000)
  }
  const rows: Row[] = []
  for (let from: string | null = '0'; from !== null; ) {
    const { body } = await service.get(`${path}/results`, { from })
    rows.push(...body.blocks.flatMap((block: { rows: Row[] }) => block.rows))
    from = body.next === null ? null : String(body.next)
  }
  return rows
}

/** Basis points that the second amount is below the first. */
function bpsBelow(amount: string, other: string): number {
  return Number(((BigInt(amount) - BigInt(other)) * 1_000_000n) / BigInt(amount)) / 100
}

function mean(values: readonly number[]): string {
  const sum = values.reduce((total, value) => total + value, 0)
  return values.length ? (sum / values.length).toFixed(2) : '–'
}

function line(request: string, variant: string, rows: readonly Row[]): string {
  const own = rows.filter((row) => row.request === request && row.variant === variant)
  const allowed = own.flatMap(({ amountsOut, minAmountsOut }) =>
    amountsOut && minAmountsOut ? [bpsBelow(amountsOut[0], minAmountsOut[0])] : [],
  )
  const known = own.flatMap(({ amountsOut, executions }) =>
    executions.flatMap(({ status, amountsOut: later }) =>
      status === 'unknown' || !amountsOut
        ? []
        : [{ isFilled: status === 'filled', quoted: amountsOut[0], later: later?.[0] }],
    ),
  )
  const filled = known.filter(({ isFilled }) => isFilled)
  const losses = filled.flatMap(({ quoted, later }) =>
    later === undefined ? [] : [bpsBelow(quoted, later)],
  )
  const share = `${((100 * filled.length) / known.length).toFixed(2)} %`
  const most = Math.max(...allowed).toFixed(0)
  return `| ${request} | ${variant} | ${known.length} | ${share} | ${known.length - filled.length} | ${mean(allowed)} | ${most} | ${mean(losses)} |`
}

const service = await startService({ CANDIDATES: '6', WORKERS: '2', LOG_LEVEL: 'error' })
try {
  const rows = await rowsOf(service)
  const lines = requests.flatMap(({ name }) =>
    variants.map((variant) => line(name, variant.name, rows)),
  )
  writeFileSync(
    'docs/reference/measured-slippage.md',
    `<!-- Written by scripts/measure-slippage.ts. -->
# Fixed slippages against a measured one

Each trade is quoted at ${blocks} blocks of the sandbox, whose traders swap in most of them. Each transaction is executed unchanged
one, two and three blocks later. *Allowed* is the slippage of the transactions, which is what they let others take. *Lost* is what
those that filled got less than quoted.

| trade | slippage | executions | filled | failed | allowed, bps | most, bps | lost, bps |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

\`auto\` is what [slippage=auto](../how-to/auto-slippage.md) answers at each block, from the blocks before alone.

What filled 99.5 % of the quotes before fills fewer of those that come. Each window may bring a larger move.
So \`auto\` fails more often than a fixed slippage that suits the pair, and allows less. Where nothing could be measured it is 50 bps.
`,
  )
} finally {
  await service.stop()
}
process.exit(0)
