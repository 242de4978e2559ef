/**
 * Boosted pools of Balancer V3: of static tokens of Aave, which the index of pools knows by the events of Aave's factory. A route
 * from one token to another wraps, swaps and unwraps, and is carried out on an Anvil of its own. Vault, pools and Aave run their
 * own bytecode; static tokens and their factory are ours, with the arithmetic of theirs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { protocols } from '../../../src/protocols/registry.js'
import { addressesOf } from '../../../src/protocols/shared/parameters.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { placeBalancerV3OnSandbox } from '../../support/protocols/place-balancer-v3.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const [usdc, dai, weth, wsteth, link, uni] = ['USDC', 'DAI', 'WETH', 'wstETH', 'LINK', 'UNI'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address, Address, Address]
const [ether, dollar] = [10n ** 18n, 10n ** 6n]
const aave = toAddress(String(ethereum.venues['aave-v3']?.pool))
const [factory = '0x'] = addressesOf(ethereum.venues['erc-4626']?.stataFactories)
const others = protocols
  .map(({ slug }) => slug)
  .filter((slug) => !['balancer-v3', 'erc-4626'].includes(slug))

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let indexed: TestService
let plain: TestService
let pools: readonly Pool[]
let waDai: Address

/** The static token of the reserve, of which the owner gets the worth of so much. */
async function stataOf(asset: Address, assets: bigint) {
  const word = await node.read(factory, 'function getStataToken(address)', [asset])
  const token = toAddress(`0x${word.slice(-40)}`)
  await node.rpc('anvil_dealERC20', [NodeWriter.owner, asset, numberToHex(assets)])
  await node.send(asset, 'function approve(address, uint256)', [token, assets])
  await node.send(token, 'function deposit(uint256, address)', [assets, NodeWriter.owner])
  const amount = BigInt(await node.read(token, 'function balanceOf(address)', [NodeWriter.owner]))
  const { bytecode } = compileTestContracts('StataTokens.sol')('StataRate')
  return { token, amount, rates: await node.deploy(bytecode, 'address', [token]) }
}

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const { bytecode } = compileTestContracts('StataTokens.sol')('StataTokenFactory')
  await node.place(factory, bytecode, 'address', [aave])
  await node.send(factory, 'function createStataTokens(address[])', [[usdc, dai, weth, wsteth]])
  const sides = [await stataOf(usdc, 5_000_000n * dollar), await stataOf(dai, 5_000_000n * ether)]
  const staked = [await stataOf(weth, 1_000n * ether), await stataOf(wsteth, 1_000n * ether)]
  waDai = sides[1]?.token ?? '0x'
  pools = await placeBalancerV3OnSandbox(sandbox.url, {
    boosted: [{ sides }, { sides: staked, isHooked: true }],
  })
  for (const token of [usdc, dai, weth, link]) {
    await node.rpc('anvil_dealERC20', [alice, token, numberToHex(10n ** 24n)])
    const allowed = [contractAddress('Router'), maxUint256]
    await node.send(token, 'function approve(address, uint256)', allowed, alice)
  }
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-boosted-index-'))
  const done = await runCli(['pools', 'sync'], { DATA_DIR: dataDir, RPC_URL_1: sandbox.url })
  expect(done.code, done.err).toBe(0)
  indexed = await startService({ RPC_URL_1: sandbox.url, DATA_DIR: dataDir, POOL_INDEX: 'on' })
  plain = await startService({ RPC_URL_1: sandbox.url })
}, 600_000)
afterAll(async () => {
  await indexed?.stop()
  await plain?.stop()
  await node?.close()
  await sandbox?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

/** Boosted pools and vaults alone: the other two pools are left out. */
const onlyThese = () => ({
  ignoreStandards: others.join(),
  excludePools: pools
    .slice(0, -2)
    .map(({ id }) => id)
    .join(),
})
/** The pool without hooks, and the one with them. */
const [boosted, hooked] = [() => pools.at(-2)?.id, () => pools.at(-1)?.id]

const ask = (
  service: TestService,
  [tokenIn, tokenOut, amountIn]: readonly [Address, Address, bigint],
  more: Readonly<Record<string, string>> = {},
) =>
  service.get('/api/v1/shortcuts/route', {
    tokenIn,
    tokenOut,
    amountIn: String(amountIn),
    fromAddress: alice,
    ...more,
  })

const [wrap, swap, unwrap] = ['deposit erc-4626', 'swap balancer-v3', 'redeem erc-4626']

test.each([
  ['USDC to DAI', () => usdc, () => dai, 123_456n * dollar + 7n, boosted, [wrap, swap, unwrap]],
  ['DAI to USDC', () => dai, () => usdc, 99_999n * ether + 1n, boosted, [wrap, swap, unwrap]],
  ['USDC to the wrapped DAI', () => usdc, () => waDai, 5_000n * dollar, boosted, [wrap, swap]],
  ['a dollar', () => usdc, () => dai, dollar, boosted, [wrap, swap, unwrap]],
  ['WETH to wstETH', () => weth, () => wsteth, 7n * ether, hooked, [wrap, swap, unwrap]],
] as const)('%s by a boosted pool, to the unit', async (_name, from, to, amountIn, pool, steps) => {
  const answer = await ask(indexed, [from(), to(), amountIn], onlyThese())
  expect(answer.status, answer.text).toBe(200)
  expect(stepsOf(answer)).toEqual(steps)
  expect(answer.text).toContain(pool())
  await expectExecution(sandbox.url, answer, to())
})

test('among all venues it is taken where it gives more', async () => {
  const answer = await ask(indexed, [weth, wsteth, 50n * ether])
  expect(answer.status, answer.text).toBe(200)
  expect(answer.text).toContain(hooked())
  await expectExecution(sandbox.url, answer, wsteth)
})

test('without an index it is not found, and what wraps nothing has the same route', async () => {
  const without = await ask(plain, [usdc, dai, dollar], onlyThese())
  expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
  const trade = [link, uni, 30n * ether] as const
  const [found, known] = [await ask(indexed, trade), await ask(plain, trade)]
  expect(found.status, found.text).toBe(200)
  expect(found.body.amountOut).toBe(known.body.amountOut)
  expect(found.body.route).toEqual(known.body.route)
})

test('a reserve that Aave has frozen takes no deposits, so a route leads out of it alone', async () => {
  const addressAt = async (contract: Address, getter: string) =>
    toAddress(`0x${(await node.read(contract, `function ${getter}()`)).slice(-40)}`)
  const provider = await addressAt(aave, 'ADDRESSES_PROVIDER')
  const configurator = await addressAt(provider, 'getPoolConfigurator')
  const configuration = await node.read(aave, 'function getConfiguration(address)', [usdc])
  await node.rpc('anvil_impersonateAccount', [configurator])
  await node.rpc('anvil_setBalance', [configurator, numberToHex(ether)])
  const frozen = BigInt(configuration) | (1n << 57n)
  const set = 'function setConfiguration(address, (uint256 data))'
  await node.send(aave, set, [usdc, [frozen]], configurator)
  const head = Number(await node.rpc('eth_blockNumber', []))
  const newest = async () => {
    const { body } = await indexed.get('/api/v1/networks')
    return body.find(({ id }: { id: number }) => id === 1)?.blockNumber
  }
  await expect.poll(newest).toBe(head)
  const answer = await ask(indexed, [usdc, dai, dollar], onlyThese())
  expect([answer.status, answer.body.code]).toEqual([422, 'NO_ROUTE'])
  const back = await ask(indexed, [dai, usdc, 1_000n * ether], onlyThese())
  expect(back.status, back.text).toBe(200)
  await expectExecution(sandbox.url, back, usdc)
})
