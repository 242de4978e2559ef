/**
 * `npm run measure:proofs`: what VERIFY_STATE costs, and when it finds a node that lies about one slot in a thousand. First
 * quotes at new blocks of the sandbox, in turns. Prints the tables of docs/how-to/rpc.md.
 */
import { parseArgs } from 'node:util'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { sandboxToken } from '../src/sandbox/tokens.js'
import { lyingAboutSlots } from '../test/support/nodes/lying-node.js'
import { NodeWriter } from '../test/support/nodes/node-writer.js'
import { type Behaviour, startFaultyNode } from '../test/support/nodes/rpc-node.js'
import { startService } from '../test/support/service/service.js'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '20' },
    answers: { type: 'string', default: '40' },
  },
})
const modes = [
  { name: 'off', env: { VERIFY_STATE: 'off' } },
  { name: 'sample, one in 100', env: { VERIFY_STATE: 'sample' } },
  { name: 'sample, one in 10', env: { VERIFY_STATE: 'sample', VERIFY_STATE_ONE_IN: '10' } },
  { name: 'all', env: { VERIFY_STATE: 'all' } },
]
const pairs = [
  ['WETH', 'USDC'],
  ['USDC', 'DAI'],
  ['WETH', 'DAI'],
  ['WBTC', 'WETH'],
] as const
const checkMs = 1_500

const sandbox = await startSandbox({})
const writer = await new NodeWriter(sandbox.url).start()
await writer.rpc('evm_mine', [])

async function opened(env: Readonly<Record<string, string>>, behave?: Behaviour) {
  const node = await startFaultyNode(sandbox.url, behave ? { behave } : {})
  const service = await startService({ ...env, RPC_URL_1: `${node.url},${sandbox.url}` })
  return { node, service, close: () => service.stop().then(() => node.close()) }
}

async function newBlock(): Promise<string> {
  await writer.rpc('evm_mine', [])
  return String(Number(await writer.rpc('eth_blockNumber', [])))
}

async function quote(
  { service }: Awaited<ReturnType<typeof opened>>,
  index: number,
  blockNumber: string,
) {
  const [from, to] = pairs[index % pairs.length] ?? pairs[0]
  const { status, body } = await service.get('/api/v1/shortcuts/quote', {
    chainId: '1',
    tokenIn: sandboxToken(from).address,
    tokenOut: sandboxToken(to).address,
    amountIn: '1000000000',
    blockNumber,
  })
  return status === 200 ? String(body.amountOut) : `${status}`
}

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0
const pause = () => new Promise((resolve) => setTimeout(resolve, checkMs))

const all = await Promise.all(modes.map(async (mode) => ({ ...mode, ...(await opened(mode.env)) })))
const rows = all.map(() => ({
  ms: [] as number[],
  calls: [] as number[],
  requests: [] as number[],
}))
for (let index = 0; index < Number(values.blocks); index++) {
  for (const [at, one] of all.entries()) {
    const block = await newBlock()
    const before = { requests: one.node.requests.length, calls: one.node.requests.flat().length }
    const start = performance.now()
    await quote(one, index, block)
    const ms = performance.now() - start
    await pause()
    // The first answer of all reads what the others know.
    if (index < pairs.length) continue
    rows[at]?.ms.push(ms)
    rows[at]?.requests.push(one.node.requests.length - before.requests)
    rows[at]?.calls.push(one.node.requests.flat().length - before.calls)
  }
}
console.log('| VERIFY_STATE | median | requests | calls |\n|---|---:|---:|---:|')
for (const [at, { name }] of modes.entries()) {
  const { ms, requests, calls } = rows[at] ?? { ms: [], requests: [], calls: [] }
  console.log(`| ${name} | ${Math.round(median(ms))} ms | ${median(requests)} | ${median(calls)} |`)
}
for (const { close } of all) await close()

console.log(
  '\n| VERIFY_STATE | answers | wrong | wrong after it was found | found after |\n|---|---:|---:|---:|---:|',
)
const honest = await opened({})
for (const { name, env } of modes) {
  const liar = await opened(env, lyingAboutSlots(1_000))
  let [wrong, wrongAfter, foundAfter] = [0, 0, null as number | null]
  for (let index = 0; index < Number(values.answers); index++) {
    const block = await newBlock()
    const [told, right] = [await quote(liar, index, block), await quote(honest, index, block)]
    if (told !== right) {
      wrong += 1
      if (foundAfter !== null) wrongAfter += 1
    }
    await pause()
    const { text } = await liar.service.get('/ready')
    if (foundAfter === null && text.includes('node 1 of chain 1 is set aside'))
      foundAfter = index + 1
  }
  console.log(`| ${[name, values.answers, wrong, wrongAfter, foundAfter ?? 'never'].join(' | ')} |`)
  await liar.close()
}
await honest.close()
await writer.close()
await sandbox.stop()
process.exit(0)
