/** Sky's Lite-PSM and Spark's PSM3 at their own addresses: routes over HTTP are carried out on an Anvil. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, maxUint256 } from '../../../src/domain/primitives.js'
import { protocolBySlug, protocols } from '../../../src/protocols/registry.js'
import { psmAddresses } from '../../../src/protocols/sky-psm/load.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { type ExecuteArgs, executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeLitePsm } from '../../support/protocols/place-lite-psm.js'
import {
  placePsm3,
  placeToken,
  sparkAddresses as spark,
} from '../../support/protocols/place-psm3.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const { psm, dai, usds, usdc, pocket } = psmAddresses(ethereum.venues['sky-psm'] ?? {})
/** Where the contract that stands for the module has its fee on buying. */
const toutSlot = numberToHex(1, { size: 32 })

let sandboxes: Sandbox[]
let service: TestService

type Swap = readonly [tokenIn: Address, tokenOut: Address, amountIn: bigint]

const nodeOf = ({ id }: ChainDefinition) =>
  sandboxes.find(({ chainId }) => chainId === id)?.url ?? ''

beforeAll(async () => {
  sandboxes = await startSandboxes([ethereum.id, base.id])
  const onEthereum = await new NodeWriter(nodeOf(ethereum)).start()
  await placeToken(onEthereum, usds, 'USDS')
  await onEthereum.close()
  await placeLitePsm(nodeOf(ethereum))
  const onBase = await new NodeWriter(nodeOf(base)).start()
  await placePsm3(onBase, 1_243_680_656_318n)
  await onBase.close()
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService({ ...Object.fromEntries(nodes), AUTH_MODE: 'open' })
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

/** All but these protocols; a project's name would leave out its protocols, too. */
function othersThan(slugs: readonly string[]): string[] {
  const projects = slugs.map((slug) => protocolBySlug(slug)?.project)
  return protocols
    .map(({ slug }) => slug)
    .filter((one) => !slugs.includes(one) && !projects.includes(one))
}

/** @param slugs - of the protocols that are asked; absent: all. */
function ask(
  chain: ChainDefinition,
  [tokenIn, tokenOut, amountIn]: Swap,
  slugs?: readonly string[],
) {
  return service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: alice,
    tokenIn,
    tokenOut,
    amountIn: String(amountIn),
    ...(slugs && { ignoreStandards: othersThan(slugs).join() }),
  })
}

/** The answered transaction, carried out. */
function execute(
  chain: ChainDefinition,
  [tokenIn, tokenOut, amountIn]: Swap,
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests
  body: any,
  prepare?: ExecuteArgs['prepare'],
) {
  return executeOnFork({
    nodeUrl: nodeOf(chain),
    blockNumber: body.createdAt,
    blockTimeSeconds: chain.blockTimeSeconds,
    tx: body.tx,
    fund: [{ token: tokenIn, amount: amountIn }],
    approve: body.tx.to,
    watch: [
      { token: tokenOut, owner: alice },
      { token: tokenIn, owner: alice },
    ],
    ...(prepare && { prepare }),
  })
}

/** The route, carried out: what is paid has to be what the answer says. @returns its protocols. */
async function prove(
  chain: ChainDefinition,
  swap: Swap,
  slugs?: readonly string[],
): Promise<Set<string>> {
  const { status, text, body } = await ask(chain, swap, slugs)
  expect(status, text.slice(0, 300)).toBe(200)
  const execution = await execute(chain, swap, body)
  expect(execution.status, text.slice(0, 300)).toBe('success')
  expect(execution.deltas[0]).toBe(BigInt(body.amountOut))
  const named = JSON.stringify(body.route).match(/"protocol":"[a-z0-9-]+"/g) ?? []
  return new Set(named.map((one) => one.slice(12, -1)))
}

/** No promise: the request is told that there is no route. */
async function refuse(chain: ChainDefinition, swap: Swap, slug: string): Promise<void> {
  const { status, text, body } = await ask(chain, swap, [slug])
  expect(status, text.slice(0, 300)).toBe(422)
  expect(body.code).toBe('NO_ROUTE')
}

/**
 * Changes the chain by transactions, and waits until the service stands on the last of them. Balances that are set would be
 * those of a block which the service has read already.
 */
async function change(
  chain: ChainDefinition,
  by: (node: NodeWriter) => Promise<void>,
): Promise<void> {
  const node = await new NodeWriter(nodeOf(chain)).start()
  await by(node)
  const head = Number(await node.rpc('eth_blockNumber', []))
  await node.close()
  const newest = async () => {
    const { body } = await service.get('/api/v1/networks')
    return body.find(({ id }: { id: number }) => id === chain.id)?.blockNumber
  }
  await expect.poll(newest).toBe(head)
}

/** The holder keeps so much of the token, and loses the rest. */
async function keep(node: NodeWriter, token: Address, holder: Address, amount: bigint) {
  const held = BigInt(await node.read(token, 'function balanceOf(address)', [holder]))
  await node.rpc('anvil_impersonateAccount', [holder])
  await node.rpc('anvil_setBalance', [holder, numberToHex(ether)])
  const pay = 'function transfer(address, uint256)'
  await node.send(token, pay, [NodeWriter.owner, held - amount], holder)
}

test.each([
  ['USDC for DAI', [usdc, dai, 12_345n * dollar + 1n]],
  ['DAI for USDC, of which a part buys nothing', [dai, usdc, 12_345n * ether + 123_456_789n]],
  ['USDC for USDS', [usdc, usds, 777n * dollar]],
  ['USDS for USDC', [usds, usdc, 777n * ether + 1n]],
] as const)('the Lite-PSM alone: %s', async (_name, swap) => {
  expect(await prove(ethereum, swap, ['sky-psm'])).toEqual(new Set(['sky-psm']))
})

test.each([
  ['USDC for sUSDS', [spark.usdc, spark.susds, 4_321n * dollar]],
  ['sUSDS for USDS', [spark.susds, spark.usds, 4_321n * ether + 7n]],
  ['USDS for USDC', [spark.usds, spark.usdc, 99n * ether]],
] as const)('the PSM3 alone: %s', async (_name, swap) => {
  expect(await prove(base, swap, ['spark-psm3'])).toEqual(new Set(['spark-psm3']))
})

test('a halt after the answer makes its transaction revert, and costs no token', async () => {
  const swap: Swap = [dai, usdc, 1_000n * ether]
  const { body } = await ask(ethereum, swap, ['sky-psm'])
  const execution = await execute(ethereum, swap, body, async ({ url }) => {
    const node = await new NodeWriter(url).start()
    await node.rpc('anvil_setStorageAt', [psm, toutSlot, numberToHex(maxUint256)])
    await node.close()
  })
  expect(execution).toMatchObject({ status: 'reverted', deltas: [0n, 0n] })
})

test('of more than the pocket of the Lite-PSM holds, the rest goes elsewhere, or there is no route', async () => {
  await change(ethereum, (node) => keep(node, usdc, pocket, 20_000n * dollar))
  const swap: Swap = [dai, usdc, 100_000n * ether]
  const used = await prove(ethereum, swap)
  expect(used).toContain('sky-psm')
  expect(used.size).toBeGreaterThan(1)
  await refuse(ethereum, swap, 'sky-psm')
  await refuse(ethereum, [usds, usdc, 100_000n * ether], 'sky-psm')
})

test.each([
  ['selling', maxUint256, 0n, [usdc, dai, 1_000n * dollar], [dai, usdc, 1_000n * ether]],
  ['buying', 0n, maxUint256, [dai, usdc, 1_000n * ether], [usdc, dai, 1_000n * dollar]],
] as const)(
  'while %s at the Lite-PSM is halted, another venue serves, and the other way goes on',
  async (_name, tin, tout, halted, open) => {
    await change(ethereum, (node) => node.send(psm, 'function set(uint256, uint256)', [tin, tout]))
    const used = await prove(ethereum, halted)
    expect(used).not.toContain('sky-psm')
    await refuse(ethereum, halted, 'sky-psm')
    expect(await prove(ethereum, open, ['sky-psm'])).toEqual(new Set(['sky-psm']))
  },
)

test('a PSM3 that holds less than asked gives all that it holds, and no route for more', async () => {
  const left = 1_000n * ether
  await change(base, (node) => keep(node, spark.usds, spark.psm, left))
  await refuse(base, [spark.usdc, spark.usds, 1_000n * dollar + 1n], 'spark-psm3')
  const all: Swap = [spark.usdc, spark.usds, 1_000n * dollar]
  expect(await prove(base, all, ['spark-psm3'])).toEqual(new Set(['spark-psm3']))
})
