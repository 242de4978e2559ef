/**
 * MetaMorpho's vaults as the index of pools finds them: listed among the positions, entered as any vault, and believed
 * and passed through by nobody. The vaults are real; what announces them is a factory of ours at the address of theirs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concatHex, encodeAbiParameters, maxUint256, numberToHex, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type BlockPin, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { openIndexReader } from '../../../src/pool-index/lookup.js'
import { sourcesOf } from '../../../src/pool-index/sources.js'
import { addressesOf } from '../../../src/protocols/shared/parameters.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { expectExecution, stepsOf } from '../../support/answers.js'
import { runCli } from '../../support/cli.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const packages = [
  {
    name: '@morpho-org/morpho-blue-bundlers',
    version: '1.1.2',
    integrity:
      'sha512-LdxnmFXZKS0kqr6BbFD3tGh0ECuNBT8N5iKrMs9ijstbs4t9pa+pEMd4msX5PVNCWAx377eJQ+SGNgnGjnJqug==',
    files: {
      metaMorpho: {
        path: 'package/types/factories/lib/metamorpho/src/MetaMorpho__factory.js',
        field: '_bytecode',
      },
    },
  },
]
const usdc = sandboxToken('USDC').address
const alice = sandboxAccount('alice').address
const { owner } = NodeWriter
const plainPin = { chainId: 1 } as BlockPin
const morpho = toAddress(String(ethereum.venues['morpho-blue']?.morpho))
const [market = '0x'] = [ethereum.venues['morpho-blue']?.markets].flat().map(String)
const [, factory = '0x' as Address] = addressesOf(ethereum.venues['erc-4626']?.factories)
const day = 86_400
const params = '(address loan, address collateral, address oracle, address irm, uint256 lltv)'

let sandbox: Sandbox
let node: NodeWriter
let dataDir: string
let indexed: TestService
let plain: TestService
let real: Address
let fake: Address
/** Blocks before the vaults and after the first. */
let before: bigint
let made: bigint

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  await node.rpc('anvil_impersonateAccount', [alice])
  const allowed = [contractAddress('Router'), maxUint256]
  await node.send(usdc, 'function approve(address, uint256)', allowed, alice)
  await node.place(factory, compileTestContracts('OddVaults.sol')('VaultFactory').bytecode)
  before = BigInt(await node.rpc<Hex>('eth_blockNumber', []))
  const { metaMorpho = '0x' } = await loadArtifacts('.cache/sandbox', () => {}, packages)
  const args = encodeAbiParameters(
    parseAbiParameters('address, address, uint256, address, string, string'),
    [owner, morpho, BigInt(day), usdc, 'Steady USDC', 'sUSDC'],
  )
  real = await create(concatHex([metaMorpho, args]))
  made = BigInt(await node.rpc<Hex>('eth_blockNumber', []))
  const { bytecode } = compileTestContracts('Vaults.sol')('OffsetVault')
  const own = encodeAbiParameters(parseAbiParameters('address, uint8'), [usdc, 0])
  fake = await create(concatHex([bytecode, own]))
  await open(real)
  dataDir = mkdtempSync(join(tmpdir(), 'forkroute-index-'))
  const done = await runCli(['pools', 'sync'], { DATA_DIR: dataDir, RPC_URL_1: sandbox.url })
  expect(done.code, done.err).toBe(0)
  indexed = await startService({ RPC_URL_1: sandbox.url, DATA_DIR: dataDir, POOL_INDEX: 'on' })
  plain = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await indexed?.stop()
  await plain?.stop()
  await node?.close()
  await sandbox?.stop()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

async function create(code: Hex): Promise<Address> {
  const made = await node.read(factory, 'function create(bytes, address)', [code, usdc])
  await node.send(factory, 'function create(bytes, address)', [code, usdc])
  return toAddress(`0x${made.slice(-40)}`)
}

/** Lets the vault lend in one market, as its curator does. */
async function open(vault: Address): Promise<void> {
  const words = await node.read(morpho, 'function idToMarketParams(bytes32)', [market])
  const [loan, collateral, oracle, irm, lltv] = (words.slice(2).match(/.{64}/g) ?? []).map(
    (word, k) => (k === 4 ? BigInt(`0x${word}`) : `0x${word.slice(24)}`),
  )
  const one = { loan, collateral, oracle, irm, lltv }
  await node.send(vault, `function submitCap(${params}, uint256)`, [one, 10n ** 15n])
  const { timestamp } = await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await node.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + day + 1])
  await node.rpc('evm_mine', [])
  await node.send(vault, `function acceptCap(${params})`, [one])
  await node.send(vault, 'function setSupplyQueue(bytes32[])', [[market]])
}

interface Row {
  readonly tokenAddress: Address | null
  readonly protocol: { readonly slug: string } | null
  readonly name: string
}

const vaultsOf = async (service: TestService): Promise<readonly Row[]> => {
  const { body } = await service.get('/api/v1/positions', { chainId: '1' })
  return (body as readonly Row[]).filter(({ protocol }) => protocol?.slug === 'erc-4626')
}

describe('vaults of MetaMorpho’s factories', () => {
  test('are positions where there is an index, and are not without', async () => {
    const [found, others] = [await vaultsOf(indexed), await vaultsOf(plain)]
    const more = found.filter(
      ({ tokenAddress }) => !others.some((one) => one.tokenAddress === tokenAddress),
    )
    expect(more.map(({ tokenAddress }) => tokenAddress).toSorted()).toEqual([real, fake].toSorted())
    expect(found.length).toBe(others.length + 2)
    expect(more.find(({ tokenAddress }) => tokenAddress === real)).toMatchObject({
      name: 'Steady USDC',
    })
  })

  test('are those that were made up to the block', async () => {
    const reader = openIndexReader(dataDir)
    const sources = sourcesOf(ethereum).sources.flatMap(({ key, onlyListed }) =>
      onlyListed ? key : [],
    )
    expect(sources).toHaveLength(2)
    const at = async (block: bigint) => {
      const asked = [numberToHex(block), false]
      const { number, hash } = await node.rpc<{ number: Hex; hash: Hex }>(
        'eth_getBlockByNumber',
        asked,
      )
      const pin: BlockPin = { ...plainPin, number: BigInt(number), hash }
      return reader?.listed(pin, sources, 'erc-4626').pools.map(({ id }) => id)
    }
    const head = BigInt(await node.rpc<Hex>('eth_blockNumber', []))
    expect(await Promise.all([at(before), at(made), at(head)])).toEqual([[], [real], [real, fake]])
    reader?.close()
  })

  test('one is entered by its address, with an index and without, to the wei', async () => {
    const request = { tokenIn: usdc, tokenOut: real, amountIn: '25000000', fromAddress: alice }
    for (const service of [indexed, plain]) {
      const answer = await service.get('/api/v1/shortcuts/route', { ...request, slippage: '0' })
      expect(answer.status, answer.text).toBe(200)
      expect(stepsOf(answer)).toEqual(['deposit erc-4626'])
      await expectExecution(sandbox.url, answer, real)
    }
  })

  test('none has a price, and no route leads through one', async () => {
    const { body: prices } = await indexed.get('/api/v1/prices/1', { addresses: [real, usdc] })
    expect(prices).toEqual([null, expect.objectContaining({ price: expect.any(Number) })])
    const tokenOut = sandboxToken('WETH').address
    const request = { tokenIn: usdc, tokenOut, amountIn: '25000000', fromAddress: alice }
    const { status, text } = await indexed.get('/api/v1/shortcuts/route', request)
    expect(status, text).toBe(200)
    for (const vault of [real, fake]) expect(text).not.toContain(vault)
  })
})
