/**
 * Every action that the service lists, of every protocol, asked as a bundle and carried out on a separate Anvil.
 * What happened stands in docs/reference/protocols.md, which this test writes with UPDATE_DOCS=1 and compares otherwise.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { approveInputs, askBundle, executeBundle } from '../../support/bundle.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  type ActionCase,
  actionCases,
  withoutContracts,
} from '../../support/protocols/action-cases.js'
import { placeGsm } from '../../support/protocols/declared/place-gsm.js'
import { placeFluidLite } from '../../support/protocols/fluid-lite.js'
import { placeForkVenues } from '../../support/protocols/fork-venues.js'
import { placeConverters } from '../../support/protocols/place-converters.js'
import { placeFluid } from '../../support/protocols/place-fluid.js'
import { placeGauges } from '../../support/protocols/place-gauges.js'
import { placeLitePsm } from '../../support/protocols/place-lite-psm.js'
import { mintPosition } from '../../support/protocols/sandbox-positions.js'
import { startService, type TestService } from '../../support/service/service.js'

const anybody: Address = '0x00000000000000000000000000000000000f0ac7'
const document = new URL('../../../docs/reference/protocols.md', import.meta.url)

interface Standard {
  readonly protocol: { readonly slug: string }
  readonly actions: readonly {
    readonly action: string
    readonly supportedChains: { id: number }[]
  }[]
}

let service: TestService
let node: NodeWriter
let pancakePair: Address

beforeAll(async () => {
  // Without keys: an account's id is random, is part of the calldata, and costs gas by its zero bytes.
  service = await startService({ SERVICE_NAME: 'svc', AUTH_MODE: 'open' })
  node = await new NodeWriter(service.nodeUrl).start()
  const pools = await placeForkVenues(service.nodeUrl)
  await placeConverters(service.nodeUrl)
  await placeLitePsm(service.nodeUrl)
  await placeGsm(node)
  await placeFluid(service.nodeUrl)
  await placeFluidLite(node)
  await placeGauges(service.nodeUrl)
  pancakePair = pools.find(({ protocol }) => protocol === 'pancakeswap-v2')?.address ?? '0x'
})
afterAll(async () => {
  await node.close()
  await service.stop()
})

async function carryOut(actionCase: ActionCase, blockNumber: string) {
  const { protocol, actions, routingStrategy = 'router', holder } = actionCase
  const name = `${protocol} ${actions.at(-1)?.action}`
  const query = { fromAddress: holder ?? anybody, routingStrategy, blockNumber }
  const { status, body } = await askBundle(service, query, actions)
  expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
  const execution = await executeBundle(service, body, {
    routingStrategy,
    isFunded: holder === undefined,
    ...(holder && {
      async prepare(anvil) {
        await approveInputs(anvil, body.tx, body.amountsIn)
      },
    }),
  })
  expect(execution.status, name).toBe('success')
  expect(execution.gained, name).toEqual(body.amountsOut)
  expect(execution.gasUsed.toString(), name).toBe(body.gas)
  return { name, gas: body.gas as string, block: body.blockNumber as number, routingStrategy }
}

test('every listed action is carried out, and the document says so', async () => {
  const listed = (await service.get('/api/v1/standards')).body as readonly Standard[]
  const wanted = listed.flatMap(({ protocol, actions }) =>
    (withoutContracts.includes(protocol.slug) ? [] : actions)
      .filter(({ supportedChains }) => supportedChains.some(({ id }) => id === 1))
      .map(({ action }) => `${protocol.slug} ${action}`),
  )
  const facts = await mintPosition(service, node)
  const rows = new Map<string, string>()
  for (const actionCase of actionCases({ anybody, nft: facts.nft, pancakePair })) {
    const { name, gas, block, routingStrategy } = await carryOut(actionCase, facts.blockNumber)
    const [protocol, action] = name.split(' ')
    const before = actionCase.actions.slice(0, -1).map((each) => each.action)
    const kind = before.length ? `after ${before.join(', ')}` : 'alone'
    rows.set(
      name,
      `| ${protocol} | ${action} | 1 | yes, ${kind} | ${routingStrategy} | ${gas} | ${block} |`,
    )
  }
  expect([...rows.keys()].sort()).toEqual([...wanted].sort())
  const table = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const text = `${heading}${table.join('\n')}\n`
  if (process.env.UPDATE_DOCS) await writeFile(document, text)
  expect(await readFile(document, 'utf8')).toBe(text)
})

const heading = `# Protocols and what was carried out

Written by test/e2e/bundles/actions.slow.ts (\`UPDATE_DOCS=1 npx vitest run test/e2e/bundles/actions.slow.ts\`), which fails when this table
is not what it finds: every action that /api/v1/standards lists for the chain is asked as a bundle on the sandbox chain, and
the returned transaction is sent on a separate Anvil, where amounts and gas have to be those of the answer. Gas is that of the
whole transaction, with the actions before it, asked without an API key. Chain 1 is the sandbox's, with the exchanges of PancakeSwap and SushiSwap V3,
Rocket Pool, ether.fi, modules at par of Sky and Aave, Sky, Frax Ether, Fluid and gauges of Curve and Balancer placed beside its own; other chains have no contracts here, nor have SparkLend, whose code is
that of aave-v3, Balancer V3, Wombat, and what needs an index: Pendle, EulerSwap, DODO, Maverick and Llamalend. test/e2e/routes/balancer-v3.slow.ts, test/e2e/chains/wombat.slow.ts and test/e2e/pool-index place these.

| protocol | action | chain | executed | strategy | gas | block |
| --- | --- | --- | --- | --- | --- | --- |
`
