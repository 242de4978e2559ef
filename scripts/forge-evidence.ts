/**
 * `npm run forge:evidence -- --count 10000 --seed 1`: asks a service on the sandbox for evidence of ten routes and quotes,
 * prints their sizes and times, and shows the verifier that many forged files, half of them signed anew by the forger. Ends with
 * 1 where one is accepted.
 */
import { parseArgs } from 'node:util'
import { sandboxAccount } from '../src/sandbox/accounts.js'
import { sandboxToken } from '../src/sandbox/tokens.js'
import { runOnAnvil } from '../src/verify/anvil.js'
import { type EvidenceFile, verifyEvidence } from '../src/verify/verify.js'
import {
  accepted,
  checkForgeries,
  type Findings,
} from '../test/support/evidence/check-forgeries.js'
import { startService } from '../test/support/service/service.js'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
})

const ether = 10n ** 18n
const fromAddress = sandboxAccount('alice').address
const native = `0x${'e'.repeat(40)}`
const token = (symbol: string) => sandboxToken(symbol).address
const asked: readonly (readonly [name: string, endpoint: 'route' | 'quote', query: object])[] = [
  [
    '1 ETH → USDC',
    'route',
    { fromAddress, tokenIn: native, tokenOut: token('USDC'), amountIn: ether },
  ],
  [
    '100 ETH → USDC',
    'route',
    { fromAddress, tokenIn: native, tokenOut: token('USDC'), amountIn: 100n * ether },
  ],
  [
    '1 ETH → DAI',
    'route',
    { fromAddress, tokenIn: native, tokenOut: token('DAI'), amountIn: ether },
  ],
  [
    '1 ETH → UNI',
    'route',
    { fromAddress, tokenIn: native, tokenOut: token('UNI'), amountIn: ether },
  ],
  [
    '1 ETH → LINK',
    'route',
    { fromAddress, tokenIn: native, tokenOut: token('LINK'), amountIn: ether },
  ],
  ['1 WETH → USDC', 'quote', { tokenIn: token('WETH'), tokenOut: token('USDC'), amountIn: ether }],
  [
    '100,000 USDC → WETH',
    'quote',
    { tokenIn: token('USDC'), tokenOut: token('WETH'), amountIn: 10n ** 11n },
  ],
  [
    '1,000 DAI → ETH',
    'quote',
    { tokenIn: token('DAI'), tokenOut: native, amountIn: 1_000n * ether },
  ],
  [
    '100 UNI → LINK',
    'quote',
    { tokenIn: token('UNI'), tokenOut: token('LINK'), amountIn: 100n * ether },
  ],
  [
    '1,000 USDC → UNI',
    'quote',
    { tokenIn: token('USDC'), tokenOut: token('UNI'), amountIn: 10n ** 9n },
  ],
]

const service = await startService()
const files: EvidenceFile[] = []
console.log(
  '| answer | accounts | slots | codes | bytes | made in | verified in |\n|---|---|---|---|---|---|---|',
)
for (const [name, endpoint, query] of asked) {
  const plain = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, `${value}`]))
  const path = `/api/v1/shortcuts/${endpoint}`
  await service.get(path, plain)
  const [beforePlain, answered] = [performance.now(), await service.get(path, plain)]
  const [beforeEvidence, { body, text }] = [
    performance.now(),
    await service.get(path, { ...plain, evidence: 'true' }),
  ]
  const done = performance.now()
  if (answered.status !== 200 || !body.evidence) throw new Error(`${name}: ${text}`)
  const content = JSON.stringify(body.evidence)
  const begun = performance.now()
  const { isProven, problem, state } = await verifyEvidence(content, { run: runOnAnvil })
  const took = performance.now() - begun
  if (!isProven || !state) throw new Error(`${name}: ${JSON.stringify(problem)}`)
  const made = done - beforeEvidence - (beforeEvidence - beforePlain)
  const { accounts, slots, codes } = state
  console.log(
    `| ${[name, accounts.size, slots.size, codes.size, content.length, `${made.toFixed(0)} ms`, `${took.toFixed(0)} ms`].join(' | ')} |`,
  )
  files.push(body.evidence)
}
await service.stop()

const count = Number(values.count)
const half = Math.ceil(count / 2)
const seed = BigInt(values.seed)
const found = {
  'signed anew': await checkForgeries(files, { seed, count: half, signing: 'own' }),
  'not signed anew': await checkForgeries(files, {
    seed: seed + 1n,
    count: count - half,
    signing: 'none',
  }),
}
let holes = 0
for (const [title, findings] of Object.entries(found)) {
  console.log(`\n| ${title} | changes | found by | accepted |\n|---|---|---|---|`)
  for (const row of rowsOf(findings)) console.log(row)
}
process.exitCode = holes ? 1 : 0

function rowsOf(findings: Findings): string[] {
  return [...findings].map(([kind, parts]) => {
    const all = [...parts.values()].reduce((sum, one) => sum + one, 0)
    const through = parts.get(accepted) ?? 0
    holes += through
    const finders = [...parts].filter(([part]) => part !== accepted)
    const told = finders.map(([part, times]) => `${part} ${times}`).join(', ')
    return `| ${kind} | ${all} | ${told} | ${through} |`
  })
}
