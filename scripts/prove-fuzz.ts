/**
 * `npm run prove:fuzz -- --requests 5000 --seed 1`: the service on the sandbox under requests at random, one after the
 * other, hostile contracts and tokens among what they name. Prints the table of docs/explanation/reliability.md, and each request
 * whose answer is not documented; exits 1 if there is one, if a fork was busy for more than two seconds, or if a quote
 * of before is not the same to the byte afterwards. Linux only.
 */
import { parseArgs } from 'node:util'
import { quantile } from '../bench/section.js'
import { createRpcClient } from '../src/rpc/node/json-rpc.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { placeHostileContracts } from '../test/support/fuzz/hostile-code.js'
import { type Asked, fuzz } from '../test/support/fuzz/run.js'
import { startService } from '../test/support/service/service.js'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
  },
})
const mostForkSeconds = 2
const wrongShown = 20

const sandbox = await startSandbox()
const client = createRpcClient(sandbox.url)
await placeHostileContracts(client)
const service = await startService({ RPC_URL_1: sandbox.url, RATE_LIMIT_PER_MINUTE: '10000000' })

const head = Number((await service.get('/api/v1/networks/1/blocks', { at: 'latest' })).body.number)
const quote = () =>
  service.get('/api/v1/shortcuts/quote', {
    tokenIn: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    tokenOut: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    amountIn: `${10n ** 18n}`,
    blockNumber: `${head}`,
  })

function rowOf(name: string, own: readonly Asked[]): string {
  const times = own.map(({ ms }) => ms).sort((a, b) => a - b)
  const isOf = (first: number) => own.filter(({ status }) => Math.floor(status / 100) === first)
  const of503 = own.filter(({ status }) => status === 503 || status === 504).length
  const cells = [
    name,
    own.length,
    isOf(2).length,
    own.filter(({ status }) => status === 422).length,
    isOf(4).filter(({ status }) => status !== 422).length,
    of503,
    own.filter(({ fault }) => fault).length,
    `${Math.round(quantile(times, 0.5))}, ${Math.round(quantile(times, 0.99))}, ${Math.round(times.at(-1) ?? 0)}`,
    Math.max(...own.map(({ forkSeconds }) => forkSeconds)).toFixed(2),
  ]
  return `| ${cells.join(' | ')} |`
}

try {
  const expected = await quote()
  const asked = await fuzz(service, {
    requests: Number(values.requests),
    seed: Number(values.seed),
    onAsked(one) {
      if (one.fault) console.error(`${one.fault}: ${JSON.stringify(one.request).slice(0, 2_000)}`)
    },
  })
  const names = [...new Set(asked.map(({ request }) => request.endpoint))].sort()
  const isCalculation = (name: string) =>
    asked.some((one) => one.request.endpoint === name && one.forkSeconds > 0)
  console.log(
    '| endpoint | requests | answers | 422 | other 4xx | 503, 504 | not documented | p50, p99, most ms | most seconds of a fork |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const name of names.filter(isCalculation)) {
    console.log(
      rowOf(
        name,
        asked.filter(({ request }) => request.endpoint === name),
      ),
    )
  }
  console.log(
    rowOf(
      'all others',
      asked.filter(({ request }) => !isCalculation(request.endpoint)),
    ),
  )
  const busy = asked.filter((one) => one.forkSeconds > mostForkSeconds)
  for (const { request, forkSeconds } of busy.slice(0, wrongShown)) {
    console.error(
      `a fork was busy for ${forkSeconds} s: ${JSON.stringify(request).slice(0, 2_000)}`,
    )
  }
  const isSame = (await quote()).text === expected.text
  if (!isSame) console.error('The quote of before is another one.')
  if (busy.length || !isSame || asked.some(({ fault }) => fault)) process.exitCode = 1
} finally {
  await service.stop()
  await client.close()
  await sandbox.stop()
}
