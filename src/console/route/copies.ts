/** The question, and what it brought, as others take it. None has the key in it. */
import type { Answered } from './question.js'

type Copy = (answered: Answered, url: string) => string

/** Pinned to the block of the answer, so that it is the same again. */
function pinned({ request, route }: Answered) {
  return { ...request, blockNumber: route.blockNumber }
}

const curl: Copy = (answered, url) =>
  [
    `curl -s ${url}/api/v1/shortcuts/route`,
    `  -H "Authorization: Bearer $FORKROUTE_KEY"`,
    `  -H 'content-type: application/json'`,
    `  -d '${JSON.stringify(pinned(answered))}'`,
  ].join(' \\\n')

const viem: Copy = ({ request }, url) => `import { forkrouteActions } from '@forkroute/client'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(process.env.PRIVATE_KEY)
const transport = http(process.env.RPC_URL)
const { forkroute } = createPublicClient({ transport }).extend(
  forkrouteActions({ url: '${url}', key: process.env.FORKROUTE_KEY }),
)

const route = await forkroute.route({
${fields({ ...request, fromAddress: undefined, executionMode: undefined }, '  ')}
  fromAddress: account.address,
})
const chain = { id: ${request.chainId}, name: 'chain ${request.chainId}', nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 }, rpcUrls: { default: { http: [process.env.RPC_URL] } } }
const sent = await forkroute.execute(createWalletClient({ account, chain, transport }), route)
console.log(sent.hash, sent.amountsOut)
`

const test: Copy = (
  answered,
) => `import { createForkroute, type Forkroute } from 'forkroute/testing'
import 'forkroute/testing/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'

let forkroute: Forkroute

beforeAll(async () => {
  forkroute = await createForkroute({
    cassette: 'routes.cassette',
    chainId: ${answered.request.chainId},
    rpcUrl: process.env.RPC_URL_${answered.request.chainId},
    blockNumber: ${answered.route.blockNumber},
  })
}, 120_000)
afterAll(() => forkroute?.close())

test('brings what it did at block ${answered.route.blockNumber}', async () => {
  const route = await forkroute.route({
${fields(pinned(answered), '    ')}
  })
  expect(route).toDeliverAtLeast(${[answered.route.amountOut].flat()[0]}n)
})
`

const plan: Copy = ({ request, route }) => {
  const { tokenIn, tokenOut, amountIn, excludePools = [], chainId } = request
  const pools = excludePools.map((pool) => `\n      - "${pool}"`).join('')
  return `name: one route over 300 blocks
chainId: ${chainId}
blocks:
  from: ${Math.max(0, route.blockNumber - 300)}
  to: ${route.blockNumber}
  step: 25
requests:
  - name: as asked
    tokenIn: "${tokenIn[0]}"
    tokenOut: "${tokenOut[0]}"
    amountIn: "${amountIn?.[0]}"${pools && `\n    excludePools:${pools}`}
variants:
  - name: all
  - name: one way
    splits: false
baseline: all
`
}

const bundle: Copy = ({ request }) => {
  const { tokenIn, tokenOut, amountIn, destinationChainId, excludePools } = request
  const args = {
    tokenIn: tokenIn[0],
    tokenOut: tokenOut[0],
    amountIn: amountIn?.[0],
    slippage: '50',
    ...(destinationChainId && { destinationChainId }),
    ...(excludePools && { excludePools }),
  }
  return JSON.stringify({ actions: [{ protocol: 'svc', action: 'route', args }] }, null, 2)
}

export const copies = {
  curl: { title: 'curl', make: curl },
  viem: { title: 'viem', make: viem },
  test: { title: 'Regression test', make: test },
  plan: { title: 'Backtest plan', make: plan },
  bundle: { title: 'Bundle', make: bundle },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly make: Copy }>>

function fields(values: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${indent}${name}: ${JSON.stringify(value).replaceAll('"', "'")},`)
    .join('\n')
}
