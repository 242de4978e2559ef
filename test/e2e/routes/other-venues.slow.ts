/** Exchanges of other chains with their own contracts at their own addresses: routes over them alone are carried out on an Anvil. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import { protocols } from '../../../src/protocols/registry.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { arbitrumPlan } from '../../../src/sandbox/plans/arbitrum.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import {
  placeAerodrome,
  placeBook,
  placeCamelot,
  placeSlipstream,
} from '../../support/protocols/other-venues.js'
import { placeCamelotV4 } from '../../support/protocols/place-algebra.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
let sandboxes: Sandbox[]
let service: TestService

const tokenOn = (plan: typeof basePlan, symbol: string): Address => {
  const token = plan.market.tokens.find((each) => each.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token.address
}
const arbitrumTokens = () =>
  ['WETH', 'USDC', 'USDT'].map((symbol) => tokenOn(arbitrumPlan, symbol)) as [
    Address,
    Address,
    Address,
  ]
const onBase = (symbol: string) => tokenOn(basePlan, symbol)

beforeAll(async () => {
  sandboxes = await startSandboxes([base.id, arbitrum.id])
  const node = await new NodeWriter(nodeOf(base.id)).start()
  const [weth, usdc, bridged, aero] = ['WETH', 'USDC', 'USDbC', 'AERO'].map(onBase) as Address[]
  if (!weth || !usdc || !bridged || !aero) throw new Error('a token is missing')
  await placeAerodrome({ node, chain: base }, [
    {
      stable: false,
      sides: [
        [weth, 1_000n * ether],
        [usdc, 3_000_000n * dollar],
      ],
    },
    {
      stable: false,
      sides: [
        [aero, 1_000_000n * ether],
        [usdc, 900_000n * dollar],
      ],
    },
    {
      stable: true,
      sides: [
        [usdc, 2_000_000n * dollar],
        [bridged, 2_000_000n * dollar],
      ],
    },
  ])
  await placeSlipstream({ node, chain: base }, [
    {
      tickSpacing: 100,
      sides: [
        [weth, 1_000n * ether],
        [usdc, 3_000_000n * dollar],
      ],
      width: 100,
      liquidity: 10n ** 16n,
    },
    {
      tickSpacing: 1,
      sides: [
        [usdc, 9_000_000n * dollar],
        [bridged, 9_000_000n * dollar],
      ],
      width: 50,
      liquidity: 10n ** 15n,
    },
  ])
  await node.close()
  const onArbitrum = await new NodeWriter(nodeOf(arbitrum.id)).start()
  const scene = { node: onArbitrum, chain: arbitrum }
  const [ether42, dollar42, tether] = arbitrumTokens()
  await placeCamelot(scene, [
    {
      stable: false,
      sides: [
        [ether42, 1_000n * ether],
        [dollar42, 3_000_000n * dollar],
      ],
    },
    {
      stable: true,
      sides: [
        [dollar42, 2_000_000n * dollar],
        [tether, 2_000_000n * dollar],
      ],
    },
  ])
  await placeBook(scene, {
    tokens: [tether, dollar42],
    binStep: 1,
    activeId: 2 ** 23,
    perBin: [100_000n * dollar, 100_000n * dollar],
  })
  await placeCamelotV4(scene, {
    sides: [
      [ether42, 1_000n * ether],
      [tether, 3_000_000n * dollar],
    ],
    liquidity: 10n ** 18n,
  })
  await onArbitrum.close()
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''

/** The route over these protocols alone, carried out: amounts and gas have to be those of the answer. */
async function prove(
  plan: typeof basePlan,
  slugs: readonly string[],
  query: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { chain } = plan.market
  const others = protocols.map(({ slug }) => slug).filter((slug) => !slugs.includes(slug))
  const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: alice,
    ...query,
    ignoreStandards: others.join(),
  })
  expect(status, text.slice(0, 300)).toBe(200)
  const execution = await executeOnFork({
    nodeUrl: nodeOf(chain.id),
    blockNumber: body.createdAt,
    blockTimeSeconds: plan.blockSeconds,
    tx: body.tx,
    watch: [{ token: query.tokenOut as Address, owner: alice }],
  })
  expect(execution.status, text.slice(0, 300)).toBe('success')
  expect(execution.deltas).toEqual([BigInt(body.amountOut)])
  expect(execution.gasUsed).toBe(BigInt(body.gas))
  return body.route.map((step: { protocol: string }) => step.protocol)
}

test('Aerodrome: one pool, two with the first paying the second, volatile and stable', async () => {
  const slugs = ['aerodrome-v1']
  const [weth, usdc, bridged, aero] = ['WETH', 'USDC', 'USDbC', 'AERO'].map(onBase) as [
    Address,
    Address,
    Address,
    Address,
  ]
  for (const [tokenIn, tokenOut, amountIn, hops] of [
    [weth, usdc, ether, 1],
    [usdc, bridged, 50_000n * dollar, 1],
    [bridged, aero, 1_234n * dollar, 2],
    [aero, weth, 2_345n * ether, 2],
  ] as const) {
    const used = await prove(basePlan, slugs, { tokenIn, tokenOut, amountIn: String(amountIn) })
    expect(used).toEqual(Array.from({ length: hops }, () => 'aerodrome-v1'))
  }
})

test('Slipstream: alone, and before and behind a pool of Aerodrome', async () => {
  const [weth, usdc, bridged, aero] = ['WETH', 'USDC', 'USDbC', 'AERO'].map(onBase) as [
    Address,
    Address,
    Address,
    Address,
  ]
  const slugs = ['aerodrome-slipstream']
  for (const [tokenIn, tokenOut, amountIn, hops] of [
    [weth, usdc, ether, 1],
    [bridged, weth, 4_321n * dollar, 2],
  ] as const) {
    const used = await prove(basePlan, slugs, { tokenIn, tokenOut, amountIn: String(amountIn) })
    expect(used).toEqual(Array.from({ length: hops }, () => 'aerodrome-slipstream'))
  }
  const both = ['aerodrome-v1', ...slugs]
  const query = { tokenIn: aero, tokenOut: weth, amountIn: String(999n * ether) }
  expect(await prove(basePlan, both, query)).toContain('aerodrome-v1')
})

test('Camelot V2 and Liquidity Book on Arbitrum: alone, and the one paying the other', async () => {
  const [weth, usdc, usdt] = arbitrumTokens()
  for (const [slugs, tokenIn, tokenOut, amountIn] of [
    [['camelot-v2'], weth, usdc, ether],
    [['camelot-v2'], usdt, usdc, 12_345n * dollar],
    [['camelot-v2'], usdt, weth, 12_345n * dollar],
    [['liquidity-book'], usdt, usdc, 250_000n * dollar],
    [['liquidity-book'], usdc, usdt, 7n * dollar],
  ] as const) {
    const query = { tokenIn, tokenOut, amountIn: String(amountIn) }
    const used = await prove(arbitrumPlan, slugs, query)
    expect([...new Set(used)]).toEqual(slugs)
  }
  const query = { tokenIn: usdt, tokenOut: weth, amountIn: String(900_000n * dollar) }
  const used = await prove(arbitrumPlan, ['camelot-v2', 'liquidity-book'], query)
  expect(new Set(used)).toEqual(new Set(['camelot-v2', 'liquidity-book']))
})

test('Camelot V4 on Arbitrum, with a plugin that sets the fee: alone, and beside Camelot V2', async () => {
  const [weth, usdc, usdt] = arbitrumTokens()
  for (const [tokenIn, tokenOut, amountIn] of [
    [weth, usdt, 3n * ether],
    [usdt, weth, 12_345n * dollar],
  ] as const) {
    const query = { tokenIn, tokenOut, amountIn: String(amountIn) }
    expect(new Set(await prove(arbitrumPlan, ['camelot-v4'], query))).toEqual(
      new Set(['camelot-v4']),
    )
  }
  const query = { tokenIn: weth, tokenOut: usdc, amountIn: String(200n * ether) }
  const used = await prove(arbitrumPlan, ['camelot-v2', 'camelot-v4'], query)
  expect(new Set(used)).toEqual(new Set(['camelot-v2', 'camelot-v4']))
})
