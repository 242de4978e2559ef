/**
 * A pool of Curve between tokens that are no connectors, on Ethereum and on Arbitrum: look-ups find no way by it, and the
 * index does, since a factory told that its coins have pools together. The pool runs Curve's bytecode; registry and
 * factories are of the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitrum } from '../../../src/chains/arbitrum.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { runCli } from '../../support/cli.js'
import { executeOnFork } from '../../support/execute.js'
import { mined } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
/** What the pool's bytecode has built in. */
const decimals = [18, 6, 6, 18]
const units = (amount: bigint, places: number) => amount * 10n ** BigInt(places)

const abi = parseAbi([
  'function createPair(address, address) returns (address)',
  'function getPair(address, address) view returns (address)',
  'function mint(address)',
  'function transfer(address, uint256)',
  'function approve(address, uint256)',
  'function add_liquidity(uint256[4], uint256)',
  'function tell(address[4])',
  'function tellNg(address[])',
  'function add(address, address[4], uint256[4])',
])

const encode = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

describe.each([
  { chain: ethereum, factory: 'stableFactory', tell: 'tell' },
  { chain: arbitrum, factory: 'stableNgFactory', tell: 'tellNg' },
] as const)('pools of Curve in the index of $chain.name, by its $factory', (scene) => {
  const { chain } = scene
  const venue = chain.venues.curve ?? {}
  const [registry, factory] = [venue.metaRegistry, venue[scene.factory]] as [Address, Address]
  const v2Factory = chain.venues['uniswap-v2']?.factory as Address
  const folders: string[] = []
  const services: TestService[] = []
  let sandbox: Sandbox
  let client: RpcClient
  let coins: readonly Address[]
  let outside: Address
  let pool: Address
  let indexed: TestService
  let plain: TestService
  /** The last block before the registry knew the pool. */
  let before: number

  beforeAll(async () => {
    ;[sandbox] = (await startSandboxes([chain.id])) as [Sandbox]
    client = createRpcClient(sandbox.url)
    const own = compileTestContracts('Curve.sol')('TestCurveRegistry')
    for (const address of [registry, factory]) {
      await client.request('anvil_setCode', [address, own.runtime])
    }
    coins = [await token(18), await token(6), await token(6), await token(18)]
    outside = await token(18)
    pool = await curvePool()
    await pair(outside, coins[0] as Address)
    before = await head()
    await send(registry, 'add', [pool, coins, decimals.map(BigInt)])
    await send(factory, scene.tell, [coins])
    await send(outside, 'approve', [contractAddress('Router'), units(1_000n, 18)])
    const dataDir = folder()
    const done = await runCli(['pools', 'sync', '--chain', String(chain.id)], environment(dataDir))
    expect(done.code, done.err).toBe(0)
    indexed = await start({ POOL_INDEX: 'on' }, dataDir)
    plain = await start({})
  })
  afterAll(async () => {
    for (const service of services) await service.stop()
    for (const dir of folders) rmSync(dir, { recursive: true, force: true })
    await client?.close()
    await sandbox?.stop()
  })

  function folder(): string {
    const dir = mkdtempSync(join(tmpdir(), 'forkroute-curve-index-'))
    folders.push(dir)
    return dir
  }

  const environment = (dir: string) => ({ DATA_DIR: dir, [`RPC_URL_${chain.id}`]: sandbox.url })

  async function start(
    settings: Readonly<Record<string, string>>,
    dir: string = folder(),
  ): Promise<TestService> {
    const env = { ...environment(dir), AUTH_MODE: 'open', WORKERS: '1' }
    const service = await startService({ ...env, ...settings })
    services.push(service)
    return service
  }

  const head = async () => Number(await client.request<Hex>('eth_blockNumber', []))

  const mine = (to: Address | null, data: Hex) => mined(client.request, { from: alice, to, data })

  const send = (to: Address, functionName: string, args: readonly unknown[]) =>
    mine(to, encode(functionName, args))

  async function deploy(code: Hex, types: string, values: readonly unknown[]): Promise<Address> {
    const args = encodeAbiParameters(parseAbiParameters(types), values as never)
    return toAddress((await mine(null, `${code}${args.slice(2)}`)).contractAddress ?? '0x')
  }

  /** A standard token whose whole supply alice holds. */
  function token(places: number): Promise<Address> {
    const values = ['Plain', 'PLN', places, units(10_000_000n, places), alice]
    return deploy(sandboxBytecode.StandardToken, 'string, string, uint8, uint256, address', values)
  }

  async function pair(a: Address, b: Address): Promise<void> {
    await send(v2Factory, 'createPair', [a, b])
    const asked = { to: v2Factory, data: encode('getPair', [a, b]) }
    const word = await client.request<Hex>('eth_call', [asked, 'latest'])
    const address = toAddress(`0x${word.slice(-40)}`)
    for (const each of [a, b]) await send(each, 'transfer', [address, units(100_000n, 18)])
    await send(address, 'mint', [alice])
  }

  /** The pool names its shares and the shares name their minter: the next address is known in advance. */
  async function curvePool(): Promise<Address> {
    const { curvePool: code = '0x' } = await loadArtifacts('.cache/sandbox', () => {})
    const asked = [alice, 'latest'] as const
    const sent = BigInt(await client.request<Hex>('eth_getTransactionCount', asked))
    const next = getContractAddress({ from: alice, nonce: sent + 1n })
    const shares = await deploy(sandboxBytecode.PoolShares, 'string, string, address', [
      ...['Shares', 'LP', next],
    ])
    const types = 'address[4], address[4], address, uint256, uint256'
    const address = await deploy(code, types, [coins, coins, shares, 256n, 4_000_000n])
    for (const each of coins) await send(each, 'approve', [address, 2n ** 256n - 1n])
    await send(address, 'add_liquidity', [decimals.map((places) => units(1_000_000n, places)), 0n])
    return address
  }

  const query = () => ({
    chainId: String(chain.id),
    tokenIn: outside,
    tokenOut: coins[3] as Address,
    amountIn: units(1_000n, 18).toString(),
  })

  test('are found by their coins, and the route delivers exactly what it says', async () => {
    const without = await plain.get('/api/v1/shortcuts/quote', query())
    expect([without.status, without.body.code]).toEqual([422, 'NO_ROUTE'])
    const answer = await indexed.get('/api/v1/shortcuts/route', { ...query(), fromAddress: alice })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.warnings ?? []).toEqual([])
    expect(answer.body.route).toMatchObject([{ protocol: 'uniswap-v2' }, { protocol: 'curve' }])
    expect(answer.text).toContain(pool)
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: answer.body.createdAt,
      blockTimeSeconds: sandboxPlan(chain.id).blockSeconds,
      tx: answer.body.tx,
      watch: [{ token: query().tokenOut, owner: alice }],
    })
    expect([done.status, done.deltas]).toEqual(['success', [BigInt(answer.body.amountOut)]])
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })

  test('and not before the block in which the factory told of them', async () => {
    const early = { ...query(), blockNumber: String(before) }
    const answer = await indexed.get('/api/v1/shortcuts/quote', early)
    expect([answer.status, answer.body.code]).toEqual([422, 'NO_ROUTE'])
  })
})
