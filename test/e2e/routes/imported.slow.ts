/**
 * Private pools that the operator imported: routes lead through tokens that are no connectors of the chain.
 * The pools come from a factory of the test's own, so that no look-up finds them.
 */
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openCatalog } from '../../../src/catalog/store.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { createRpcClient, type RpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { executeOnFork } from '../../support/execute.js'
import { mined } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const ether = 10n ** 18n
const factory: Address = '0x00000000000000000000000000000000000fac70'
const publicFactory = ethereum.venues['uniswap-v2']?.factory as Address

const abi = parseAbi([
  'function createPair(address, address) returns (address)',
  'function getPair(address, address) view returns (address)',
  'function mint(address)',
  'function transfer(address, uint256)',
  'function approve(address, uint256)',
])

let service: TestService
let node: RpcClient
let tokens: { readonly a: Address; readonly x: Address; readonly y: Address; readonly b: Address }
const pools: Pool[] = []

beforeAll(async () => {
  service = await startService({ HEAD_POLL_MS: '250' })
  node = createRpcClient(service.nodeUrl)
  const code = await node.request<Hex>('eth_getCode', [publicFactory, 'latest'])
  await node.request('anvil_setCode', [factory, code])
  const [a, x, y, b] = [await token(), await token(), await token(), await token()]
  tokens = { a, x, y, b }
  for (const pair of [
    [a, x],
    [x, y],
    [y, b],
  ] as const) {
    pools.push(await pool(pair))
  }
  await send(a, encode('approve', [contractAddress('Router'), ether]))
  const catalog = openCatalog(service.dataDir)
  catalog.importPools(1, pools)
  catalog.close()
  const head = Number(await node.request<Hex>('eth_blockNumber', []))
  const pinned = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
  await vi.waitFor(async () => expect(await pinned()).toBe(head), { timeout: 60_000 })
})
afterAll(async () => {
  await node.close()
  await service.stop()
})

function encode(functionName: (typeof abi)[number]['name'], args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
}

async function send(to: Address | null, data: Hex): Promise<Address> {
  const { contractAddress } = await mined(node.request, { from: alice, to, data })
  return toAddress(contractAddress ?? '0x')
}

/** A standard token whose whole supply alice holds. */
function token(): Promise<Address> {
  const types = parseAbiParameters('string, string, uint8, uint256, address')
  const values = encodeAbiParameters(types, ['Private', 'PRV', 18, 1_000_000n * ether, alice])
  return send(null, `${sandboxBytecode.StandardToken}${values.slice(2)}`)
}

async function pool(pair: readonly [Address, Address]): Promise<Pool> {
  await send(factory, encode('createPair', pair))
  const found = await node.request<Hex>('eth_call', [
    { to: factory, data: encode('getPair', pair) },
    'latest',
  ])
  const address = toAddress(`0x${found.slice(-40)}`)
  for (const each of pair) await send(each, encode('transfer', [address, 100_000n * ether]))
  await send(address, encode('mint', [alice]))
  const ordered = pair[0] < pair[1] ? [...pair] : [pair[1], pair[0]]
  return {
    protocol: 'uniswap-v2',
    id: address,
    address,
    tokens: ordered,
    parameters: { feeBps: 30 },
  }
}

describe('imported pools', () => {
  test.each([
    ['one token in between', 'y' as const, 2],
    ['two tokens in between', 'b' as const, 3],
  ])('%s: the route is found and delivers exactly amountOut', async (_name, to, hops) => {
    const tokenOut = tokens[to]
    const answer = await service.get('/api/v1/shortcuts/route', {
      fromAddress: alice,
      tokenIn: tokens.a,
      tokenOut,
      amountIn: ether.toString(),
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.route.map(({ primary }: { primary: Address }) => primary)).toEqual(
      pools.slice(0, hops).map(({ address }) => address),
    )
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      watch: [{ token: tokenOut, owner: alice }],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([BigInt(answer.body.amountOut)])
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })
})
