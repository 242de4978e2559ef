/** Opportunities on the sandbox: ranked, ready for the bundle endpoint, and carried out. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ListedPosition, openPositionStore } from '../../../src/catalog/position-store.js'
import { type Address, type Hex, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const [usdc, weth, dai] = ['USDC', 'WETH', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
const ether = 10n ** 18n

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let service: TestService
/** Vaults by name: yield in percent, and USD that they hold. */
const vaults: Record<string, Address> = {}
const plans = [
  ['small', usdc, 40, 20_000],
  ['steady', usdc, 5, 3_000_000],
  ['better', usdc, 7, 2_000_000],
  ['ether', weth, 3, 9_000_000],
  ['no yield', weth, null, 9_000_000],
] as const

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  const { bytecode } = compileTestContracts('Vaults.sol')('OffsetVault')
  const listed: ListedPosition[] = []
  for (const [name, asset, apy, tvl] of plans) {
    const vault = await node.deploy(bytecode, 'address, uint8', [asset, 0])
    vaults[name] = vault
    listed.push(listedVault(name, vault, asset, apy, tvl))
  }
  // Listed as a vault, and none: no route leads there.
  const claimed = listedVault('claimed', stranger, usdc, 90, 9_000_000)
  dataDir = await mkdtemp(join(tmpdir(), 'forkroute-opportunities-'))
  const head = await node.rpc<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const store = openPositionStore(dataDir)
  store.save({
    chainId: 1,
    blockNumber: BigInt(head.number),
    blockHash: head.hash,
    takenAt: Math.floor(Date.now() / 1_000),
    positions: [...listed, claimed],
  })
  store.close()
  service = await startService({
    RPC_URL_1: sandbox.url,
    DATA_DIR: dataDir,
    OPPORTUNITIES: 'on',
    OPPORTUNITIES_MIN_TVL_USD: '100000',
    POSITIONS_MAX_AGE_SECONDS: '86400',
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function listedVault(
  name: string,
  vault: Address,
  asset: Address,
  apy: number | null,
  tvl: number,
): ListedPosition {
  const facts = { chainId: 1, symbol: null, name, logoUri: null }
  const decimals = asset === usdc ? 6 : 18
  return {
    position: {
      protocol: 'erc-4626',
      key: vault,
      token: vault,
      primaryAddress: vault,
      poolAddress: vault,
      name,
      subtitle: name,
      parameters: {},
      underlyingTokens: [asset],
      rewardTokens: [],
    },
    token: { ...facts, address: vault, decimals },
    underlyingTokens: [{ ...facts, address: asset, decimals }],
    tvl,
    apy,
    apyBase: apy,
    apyReward: null,
  }
}

async function opportunities(path: string, query: Record<string, string> = {}) {
  const answer = await service.get(`/api/v1/opportunities/${path}`, query)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as Action[][]
}

const placeOf = ([action]: Action[]) =>
  Object.keys(vaults).find((name) => vaults[name] === action?.args.tokenOut)

describe('GET /api/v1/opportunities/tokenIn/{tokenAddress}', () => {
  test('the best yields first, without what is small or cannot be reached', async () => {
    const found = await opportunities(`tokenIn/${usdc}`, { amountIn: '5000000000' })
    expect(found.map(placeOf)).toEqual(['better', 'steady'])
    expect(found[0]).toEqual([
      {
        protocol: 'svc',
        action: 'route',
        args: {
          tokenIn: usdc,
          tokenOut: vaults.better,
          amountIn: '5000000000',
          amount: '5000000000',
          slippage: '50',
        },
      },
    ])
  })

  test('one whole token when no amount is given; native enters what is made of wrapped', async () => {
    const found = await opportunities(`tokenIn/${nativeToken}`, { slippage: '10' })
    expect(found.map(placeOf)).toEqual(['ether'])
    expect(found[0]?.[0]?.args).toMatchObject({
      tokenIn: nativeToken,
      amountIn: ether.toString(),
      slippage: '10',
    })
  })

  test('of a token that no position is made of: none', async () => {
    expect(await opportunities(`tokenIn/${dai}`)).toEqual([])
  })

  test('each is a body of the bundle endpoint, and its transaction enters the position', async () => {
    const found = await opportunities(`tokenIn/${usdc}`, { amountIn: '5000000000' })
    for (const actions of found) {
      const bundle = await askBundle(service, { chainId: '1', fromAddress: alice }, actions)
      expect(bundle.status, bundle.text).toBe(200)
      const vault = String(actions[0]?.args.tokenOut) as Address
      const done = await executeOnFork({
        nodeUrl: sandbox.url,
        blockNumber: bundle.body.blockNumber,
        tx: bundle.body.tx,
        watch: [
          { token: vault, owner: alice },
          { token: usdc, owner: alice },
        ],
      })
      expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(bundle.body.gas) })
      expect(done.deltas).toEqual([BigInt(bundle.body.amountsOut[vault]), -5_000_000_000n])
      expect(bundle.body.tx.to).toBe(contractAddress('Router'))
    }
  })
})

describe('GET /api/v1/opportunities/{address}', () => {
  test('by what each holding would earn: more ether at 3 % comes before less USDC at 7 %', async () => {
    const holder: Address = '0x00000000000000000000000000000000000b0b0b'
    await node.rpc('anvil_dealERC20', [holder, weth, `0x${(10n * ether).toString(16)}`])
    await node.rpc('anvil_dealERC20', [holder, usdc, `0x${(2_000_000_000n).toString(16)}`])
    await node.rpc('anvil_setBalance', [holder, `0x${(ether / 100n).toString(16)}`])
    await node.rpc('evm_mine', [])
    const at = Number(await node.rpc<Hex>('eth_blockNumber', []))
    const newest = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
    await expect.poll(newest).toBe(at)
    const found = await opportunities(holder)
    // The native balance stays for gas.
    expect(found.map((each) => [placeOf(each), each[0]?.args.amountIn])).toEqual([
      ['ether', (10n * ether).toString()],
      ['better', '2000000000'],
      ['steady', '2000000000'],
    ])
  })

  test('of an address without anything: none', async () => {
    expect(await opportunities(stranger)).toEqual([])
  })
})

test('off by default: 503 without retry-after', async () => {
  const plain = await startService({ RPC_URL_1: sandbox.url })
  const answer = await plain.get(`/api/v1/opportunities/${alice}`)
  await plain.stop()
  expect(answer.status).toBe(503)
  expect(answer.body.code).toBe('OPPORTUNITIES_DISABLED')
  expect(answer.headers.has('retry-after')).toBe(false)
})
