/** What a route over a bridge asks of nodes once the blocks are known: nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LatencyNode, startLatencyNode } from '../../../bench/latency-node.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { startService, type TestService } from '../../support/service/service.js'

const aero = '0x940181a94a35a4569e4529a3cdfb74e38fd98631'
const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

let sandboxes: Sandbox[]
let nodes: LatencyNode[]
let service: TestService

beforeAll(async () => {
  sandboxes = await startSandboxes([1, 8453])
  nodes = await Promise.all(sandboxes.map(({ url }) => startLatencyNode(url, 0)))
  service = await startService({
    ...Object.fromEntries(
      sandboxes.map(({ chainId }, index) => [`RPC_URL_${chainId}`, nodes[index]?.url ?? '']),
    ),
    HEAD_POLL_MS: '600000',
  })
})

afterAll(async () => {
  await service?.stop()
  await Promise.all([...(nodes ?? []), ...(sandboxes ?? [])].map((one) => one.stop()))
})

test.each([
  ['stargate', allBut('stargate')],
  ['across', allBut('across')],
])('%s: an amount that was never asked for is answered without a node', async (_name, other) => {
  const quote = async (amountIn: bigint) => {
    const { status, body } = await service.get('/api/v1/shortcuts/quote', {
      chainId: '1',
      destinationChainId: '8453',
      tokenIn: native,
      tokenOut: aero,
      amountIn: `${amountIn}`,
      ignoreBridges: other,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return BigInt(body.amountOut)
  }
  // The blocks of both chains have to be known first.
  for (let serial = 0n; serial < 8n; serial++) await quote(10n ** 18n + serial)
  for (const node of nodes) node.reset()
  const amountOut = await quote(10n ** 18n + 99n)
  expect(amountOut).toBeGreaterThan(0n)
  expect(nodes.map(({ requests }) => requests.map(({ body }) => body))).toEqual([[], []])
})
