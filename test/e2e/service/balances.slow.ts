/** Balances of an address in thousands of tokens, some of which do not behave: exactly what each token says itself. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPositionStore } from '../../../src/catalog/position-store.js'
import { openCatalog } from '../../../src/catalog/store.js'
import { type Address, type Hex, nativeToken } from '../../../src/domain/primitives.js'
import { walletAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken, sandboxTokens } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const nobody: Address = '0x00000000000000000000000000000000000a11ce'
const manyTokens = 3_000

/** The n-th token of a kind; the addresses lie between each other, so that calls in bulk mix the kinds. */
function addressOf(kind: number, index: number): Address {
  return numberToHex((0xf702e8n << 136n) | (BigInt(index) << 16n) | BigInt(kind), { size: 20 })
}

/** Runtime code by what balanceOf does. */
const misbehaving = {
  reverts: '0x60006000fd',
  'uses up all gas': '0x5b600056',
  'answers a megabyte': '0x621000006000f3',
  'answers 31 bytes': '0x60ff600052601f6000f3',
  'answers two words': '0x60ff60005260406000f3',
  'answers nothing': '0x00',
  'has no code': '0x',
} as const satisfies Record<string, Hex>
const kinds = Object.keys(misbehaving)

/** Answers every call with the number, which is below 65,536. */
function constant(number: number): Hex {
  return `0x61${number.toString(16).padStart(4, '0')}60005260206000f3`
}

interface Balance {
  readonly token: Address
  readonly amount: string
  readonly price: string | null
  readonly symbol: string | null
}

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let service: TestService
let unlisted: Address
/** Token of a position, in no list; whatever it is asked it answers 18. */
const share = addressOf(99, 5)

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-balances-'))
  const place = (address: Address, code: Hex) => node.rpc('anvil_setCode', [address, code])
  await Promise.all([
    // Every hundredth says that everybody holds something.
    ...Array.from({ length: manyTokens }, (_, index) =>
      place(addressOf(0, index), constant(index % 100 === 99 ? index : 0)),
    ),
    ...Object.values(misbehaving).map((code, kind) =>
      place(addressOf(kind + 1, kind * 300 + 7), code),
    ),
  ])
  unlisted = await node.deploy(
    sandboxBytecode.StandardToken,
    'string, string, uint8, uint256, address',
    ['Unlisted', 'UNL', 18, 12_345n, nobody],
  )
  const catalog = openCatalog(dataDir)
  const tokens = [unlisted, sandboxToken('DAI').address].toSorted() as [Address, Address]
  const pool: Address = '0xf702e90000000000000000000000000000000001'
  catalog.importPools(1, [
    { protocol: 'uniswap-v2', id: pool, address: pool, tokens, parameters: { feeBps: 30 } },
  ])
  catalog.close()
  await place(share, constant(18))
  const head = await node.rpc<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const position = {
    protocol: 'erc-4626',
    key: share,
    token: share,
    primaryAddress: share,
    poolAddress: share,
    name: 'Vault',
    subtitle: 'Vault',
    parameters: {},
    underlyingTokens: [],
    rewardTokens: [],
  }
  const facts = {
    chainId: 1,
    address: share,
    symbol: null,
    name: null,
    decimals: 18,
    logoUri: null,
  }
  const figures = { tvl: null, apy: null, apyBase: null, apyReward: null }
  const store = openPositionStore(dataDir)
  store.save({
    chainId: 1,
    blockNumber: BigInt(head.number),
    blockHash: head.hash,
    takenAt: Math.floor(Date.now() / 1_000),
    positions: [{ position, token: facts, underlyingTokens: [], ...figures }],
  })
  store.close()
  const listed = [
    ...Array.from({ length: manyTokens }, (_, index) => addressOf(0, index)),
    ...kinds.map((_, kind) => addressOf(kind + 1, kind * 300 + 7)),
    ...sandboxTokens.map(({ address }) => address),
  ].map((address) => ({ chainId: 1, address, name: address, symbol: address, decimals: 18 }))
  const list = join(dataDir, 'list.json')
  await writeFile(list, JSON.stringify({ tokens: listed }))
  service = await startService({
    RPC_URL_1: sandbox.url,
    DATA_DIR: dataDir,
    TOKEN_LISTS: list,
    POSITIONS_MAX_AGE_SECONDS: '86400',
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function balances(query: Record<string, string>): Promise<Balance[]> {
  const answer = await service.get('/api/v1/wallet/balances', query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const amountsOf = (list: readonly Balance[]) => list.map(({ token, amount }) => [token, amount])

/** What each of the tokens says itself, those that say zero or nothing left out. */
async function asked(owner: Address): Promise<string[][]> {
  const found = await Promise.all(
    sandboxTokens.map(async ({ address }) => {
      const answer = await node.read(address, 'function balanceOf(address)', [owner])
      return [address, BigInt(answer).toString()]
    }),
  )
  return found.filter(([, amount]) => amount !== '0')
}

describe('GET /api/v1/wallet/balances', () => {
  const constants = Array.from({ length: manyTokens / 100 }, (_, index) => {
    const number = index * 100 + 99
    return [addressOf(0, number), String(number)]
  })

  test('holds every token with a balance, of lists, imported pools and positions, and no other', async () => {
    const found = await balances({ chainId: '1', eoaAddress: nobody, useEoa: 'true' })
    // Those of no list come last, by address.
    const others = [
      [unlisted, '12345'],
      [share, '18'],
    ]
    expect(amountsOf(found)).toEqual([...constants, ...others.toSorted()])
    const own = found.find(({ token }) => token === unlisted)
    expect(own).toMatchObject({ symbol: 'UNL', price: null })
  })

  test('tokens that do not behave are left out, whoever is asked together with them', async () => {
    const found = await balances({ chainId: '1', eoaAddress: alice, useEoa: 'true' })
    const [native, ...others] = found
    const wei = await node.rpc<Hex>('eth_getBalance', [alice, 'latest'])
    expect(native).toMatchObject({ token: nativeToken, amount: BigInt(wei).toString() })
    const expected = [...constants, ...(await asked(alice)), [share, '18']]
    expect(amountsOf(others).toSorted()).toEqual(expected.toSorted())
    const weth = others.find(({ token }) => token === sandboxToken('WETH').address)
    expect(weth?.price).toBe(native?.price)
  })

  test('of the smart wallet, on all chains', async () => {
    const wallet = walletAddress(alice)
    await node.rpc('anvil_setBalance', [wallet, numberToHex(7n)])
    await node.rpc('evm_mine', [])
    const found = async () =>
      (await balances({ chainId: 'all', eoaAddress: alice, useEoa: 'false' })).at(0)?.amount
    await expect.poll(found).toBe('7')
  })
})
