/** What L1 charges for bytes, by our formula and by the contract that OP-stack chains have. */
import fc from 'fast-check'
import {
  bytesToHex,
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Hex } from '../../../src/domain/primitives.js'
import {
  type DataFeeModel,
  dataFeeOfBytes,
  dataFeeOfSwap,
  operatorAbi,
  operatorFeeOf,
  readDataFee,
} from '../../../src/routing/block/data-fee.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import {
  gasPriceOracle,
  type L1Price,
  setArbitrumPrice,
  setOpStackPrice,
} from '../../support/chains/l1-prices.js'
import { nodeReader } from '../../support/nodes/node-reader.js'

const abi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])
const gwei = 10n ** 9n

let node: TestAnvil
beforeAll(async () => {
  node = await startAnvil(['--accounts', '1'])
})
afterAll(() => node?.stop())

const noNode = async () => null

async function modelAt(price: L1Price): Promise<DataFeeModel> {
  await setOpStackPrice(node, price)
  const model = await readDataFee(base, { reader: await nodeReader(node.url), callNode: noNode })
  if (!model) throw new Error('The oracle says nothing.')
  return model
}

async function told(bytes: Uint8Array): Promise<bigint> {
  const data = encodeFunctionData({ abi, args: [bytesToHex(bytes)] })
  const result = await node.rpc<Hex>('eth_call', [{ to: gasPriceOracle, data }, 'latest'])
  return decodeFunctionResult({ abi, data: result })
}

/** Bytes as call data has them: words that repeat, runs of zeros, and noise. */
const callData = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 700 }).map((length) => new Uint8Array(length)),
      fc
        .tuple(fc.uint8Array({ minLength: 3, maxLength: 20 }), fc.integer({ min: 2, max: 30 }))
        .map(([part, times]) =>
          Uint8Array.from(Array.from({ length: times }, () => [...part]).flat()),
        ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))

const fjord = {
  l1BaseFee: 17n * gwei,
  blobBaseFee: 3n * gwei,
  baseFeeScalar: 2_269n,
  blobBaseFeeScalar: 1_055_762n,
} as const

const prices: readonly L1Price[] = [
  { upgrade: 'bedrock', l1BaseFee: 31n * gwei, overhead: 188n, scalar: 684_000n },
  {
    upgrade: 'ecotone',
    l1BaseFee: 17n * gwei,
    blobBaseFee: 3n * gwei,
    baseFeeScalar: 1_368n,
    blobBaseFeeScalar: 810_949n,
  },
  { upgrade: 'fjord', ...fjord },
]

async function operatorFeeTold(gasUsed: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: operatorAbi, args: [gasUsed] })
  return BigInt(await node.rpc<Hex>('eth_call', [{ to: gasPriceOracle, data }, 'latest']))
}

describe.each(prices)('$upgrade', (price) => {
  test('the formula gives what GasPriceOracle answers, for any bytes', async () => {
    const model = await modelAt(price)
    expect(model.kind).toBe(price.upgrade)
    await fc.assert(
      fc.asyncProperty(callData, async (bytes) => {
        expect(dataFeeOfBytes(model, bytes)).toBe(await told(bytes))
      }),
      { numRuns: 150 },
    )
  })

  test('one more swap costs what its bytes do, if nothing of them repeats', async () => {
    const model = await modelAt(price)
    const noise = (words: number) =>
      Uint8Array.from(
        Array.from({ length: words }, (_one, index) => [
          ...keccak256(toHex(index), 'bytes'),
        ]).flat(),
      )
    const [less, more] = [await told(noise(20)), await told(noise(21))]
    expect(Number(dataFeeOfSwap(model)) / Number(more - less)).toBeCloseTo(1, 1)
  })
})

test.each([
  [{ upgrade: 'isthmus', operatorFeeScalar: 1_234_567n, operatorFeeConstant: 89n }],
  [{ upgrade: 'isthmus', operatorFeeScalar: 4_294_967_295n, operatorFeeConstant: 0n }],
  [{ upgrade: 'isthmus', operatorFeeScalar: 0n, operatorFeeConstant: 10n ** 15n }],
  [{ upgrade: 'jovian', operatorFeeScalar: 1_234_567n, operatorFeeConstant: 89n }],
] as const)('$upgrade: the operator asks what the oracle answers, for any gas', async (fee) => {
  const model = await modelAt({ ...fjord, ...fee })
  expect(model.kind).toBe('fjord')
  await fc.assert(
    fc.asyncProperty(fc.bigInt(0n, 100_000_000n), async (gasUsed) => {
      expect(operatorFeeOf(model, gasUsed)).toBe(await operatorFeeTold(gasUsed))
    }),
    { numRuns: 100 },
  )
})

test('the operator asks nothing where both figures are zero, and where the oracle has no such function', async () => {
  expect(await modelAt({ ...fjord, upgrade: 'isthmus' })).not.toHaveProperty('operator')
  expect(await modelAt({ ...fjord, upgrade: 'fjord' })).not.toHaveProperty('operator')
})

test('there is no formula where the oracle does not say', async () => {
  await node.rpc('anvil_setCode', [gasPriceOracle, '0x'])
  const reader = await nodeReader(node.url)
  expect(await readDataFee(base, { reader, callNode: noNode })).toBeNull()
  expect(await readDataFee({ l1DataFee: 'arbitrum' }, { reader, callNode: noNode })).toBeNull()
  expect(await readDataFee({}, { reader, callNode: noNode })).toBeNull()
})

test('Arbitrum: the price is that of the precompile, which a node alone can be asked for', async () => {
  await setArbitrumPrice(node, 5n * gwei)
  const reader = await nodeReader(node.url)
  const callNode = (to: Hex, data: Hex) => node.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
  const model = await readDataFee({ l1DataFee: 'arbitrum' }, { reader, callNode })
  expect(model).toEqual({ kind: 'arbitrum', pricePerUnit: 5n * gwei })
})
