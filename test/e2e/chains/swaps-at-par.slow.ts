/** Sky's Lite-PSM and Spark's PSM3 at their own addresses: routes over HTTP are carried out on an Anvil. */
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { protocols } from '../../../src/protocols/registry.js'
import { psmAddresses } from '../../../src/protocols/sky-psm/load.js'
import { psm3Addresses } from '../../../src/protocols/spark-psm3/load.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeLitePsm } from '../../support/protocols/place-lite-psm.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const { dai, usds, usdc, pocket } = psmAddresses(ethereum.venues['sky-psm'] ?? {})
const spark = psm3Addresses(base.venues['spark-psm3'] ?? {})

let sandboxes: Sandbox[]
let service: TestService

const nodeOf = ({ id }: ChainDefinition) =>
  sandboxes.find(({ chainId }) => chainId === id)?.url ?? ''

async function placeToken(node: NodeWriter, address: Address, symbol: string): Promise<void> {
  const types = 'string, string, uint8, uint256, address'
  await node.place(address, sandboxBytecode.StandardToken, types, [
    ...[symbol, symbol, 18, 10n ** 30n, alice],
  ])
}

/** A million USDC and of the other two, a share at 1.05 that gains by the second. */
async function placePsm3(node: NodeWriter): Promise<void> {
  const contract = compileTestContracts('Psm3.sol')
  await placeToken(node, spark.usds, 'USDS')
  await placeToken(node, spark.susds, 'sUSDS')
  const rate = [(10n ** 27n * 105n) / 100n, 1_243_680_656_318n]
  const provider = await node.deploy(contract('RateLike').bytecode, 'uint256, uint256', rate)
  const types = 'address, address, address, address'
  const parts = [spark.usdc, spark.usds, spark.susds, provider]
  await node.place(spark.psm, contract('Psm3Like').bytecode, types, parts)
  for (const [token, amount] of [
    [spark.usdc, 10n ** 12n],
    [spark.usds, 10n ** 24n],
    [spark.susds, 10n ** 24n],
  ] as const) {
    await node.rpc('anvil_dealERC20', [spark.psm, token, numberToHex(amount)])
  }
}

beforeAll(async () => {
  sandboxes = await startSandboxes([ethereum.id, base.id])
  const onEthereum = await new NodeWriter(nodeOf(ethereum)).start()
  await placeToken(onEthereum, usds, 'USDS')
  await onEthereum.close()
  await placeLitePsm(nodeOf(ethereum))
  const onBase = await new NodeWriter(nodeOf(base)).start()
  await placePsm3(onBase)
  await onBase.close()
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService({ ...Object.fromEntries(nodes), AUTH_MODE: 'open' })
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

/** The route, carried out: amounts and gas have to be those of the answer. @returns its protocols. */
async function prove(
  chain: ChainDefinition,
  [tokenIn, tokenOut, amountIn]: readonly [Address, Address, bigint],
  slugs?: readonly string[],
): Promise<string[]> {
  const others = slugs && protocols.map(({ slug }) => slug).filter((one) => !slugs.includes(one))
  const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
    chainId: String(chain.id),
    fromAddress: alice,
    tokenIn,
    tokenOut,
    amountIn: String(amountIn),
    ...(others && { ignoreStandards: others.join() }),
  })
  expect(status, text.slice(0, 300)).toBe(200)
  const execution = await executeOnFork({
    nodeUrl: nodeOf(chain),
    blockNumber: body.createdAt,
    blockTimeSeconds: chain.blockTimeSeconds,
    tx: body.tx,
    fund: [{ token: tokenIn, amount: amountIn }],
    approve: body.tx.to,
    watch: [{ token: tokenOut, owner: alice }],
  })
  expect(execution.status, text.slice(0, 300)).toBe('success')
  expect(execution.deltas).toEqual([BigInt(body.amountOut)])
  return (
    JSON.stringify(body.route)
      .match(/"protocol":"[a-z0-9-]+"/g)
      ?.map((one) => one.slice(12, -1)) ?? []
  )
}

test.each([
  ['USDC for DAI', [usdc, dai, 12_345n * dollar + 1n]],
  ['DAI for USDC, of which a part buys nothing', [dai, usdc, 12_345n * ether + 123_456_789n]],
  ['USDC for USDS', [usdc, usds, 777n * dollar]],
  ['USDS for USDC', [usds, usdc, 777n * ether + 1n]],
] as const)('the Lite-PSM alone: %s', async (_name, swap) => {
  expect(new Set(await prove(ethereum, swap, ['sky-psm']))).toEqual(new Set(['sky-psm']))
})

test.each([
  ['USDC for sUSDS', [spark.usdc, spark.susds, 4_321n * dollar]],
  ['sUSDS for USDS', [spark.susds, spark.usds, 4_321n * ether + 7n]],
  ['USDS for USDC', [spark.usds, spark.usdc, 99n * ether]],
] as const)('the PSM3 alone: %s', async (_name, swap) => {
  expect(new Set(await prove(base, swap, ['spark-psm3']))).toEqual(new Set(['spark-psm3']))
})

test('of more than its pocket holds, the rest goes elsewhere', async () => {
  const node = await new NodeWriter(nodeOf(ethereum)).start()
  await node.rpc('anvil_dealERC20', [pocket, usdc, numberToHex(20_000n * dollar)])
  await node.rpc('evm_mine', [])
  await node.close()
  const used = await prove(ethereum, [dai, usdc, 100_000n * ether])
  expect(used).toContain('sky-psm')
  expect(new Set(used).size).toBeGreaterThan(1)
})
