/** On a rollup a swap has to earn what its bytes cost on L1: the same pools, asked at two prices of L1. */
import { type Hex, hexToBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base } from '../../../src/chains/base.js'
import type { Address } from '../../../src/domain/primitives.js'
import { dataFeeOf, readDataFee } from '../../../src/routing/block/data-fee.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { basePrices, setOpStackPrice } from '../../support/chains/l1-prices.js'
import { executeOnFork } from '../../support/execute.js'
import { nodeReader } from '../../support/nodes/node-reader.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { examplesOf, partsShown } from '../../support/service/examples.js'
import { startService, type TestService } from '../../support/service/service.js'

const alice = sandboxAccount('alice').address
const usdc: Address = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const cbbtc: Address = '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf'
/** Three hundred dollars. */
const amountIn = 333_333n

let sandbox: Sandbox
let node: NodeWriter
let service: TestService
/** Numbers of the blocks at which bytes cost little and much. */
const blocks = new Map<keyof typeof basePrices, number>()

beforeAll(async () => {
  sandbox = await startSandbox({ chainId: base.id })
  node = await new NodeWriter(sandbox.url).start()
  // Empty blocks make gas cheaper, so of two the later one favours long routes.
  for (const price of ['very high', 'low'] as const) {
    blocks.set(price, await setOpStackPrice(node, basePrices[price]))
  }
  // The id of an account is bytes of the transaction, too.
  service = await startService({
    AUTH_MODE: 'open',
    RPC_URL_8453: sandbox.url,
    FORKS_PER_BLOCK: '1',
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
})

async function ask(price: keyof typeof basePrices, query: Record<string, string> = {}) {
  const blockNumber = blocks.get(price) ?? 0
  const answer = await service.get('/api/v1/shortcuts/route', {
    chainId: String(base.id),
    fromAddress: alice,
    tokenIn: cbbtc,
    amountIn: String(amountIn),
    tokenOut: usdc,
    blockNumber: String(blockNumber),
    includeTransactionCost: 'true',
    explain: 'true',
    ...query,
  })
  expect(answer.status, answer.text).toBe(200)
  const done = await executeOnFork({
    nodeUrl: sandbox.url,
    blockNumber,
    blockTimeSeconds: base.blockTimeSeconds,
    tx: answer.body.tx,
    watch: [{ token: usdc, owner: alice }],
  })
  expect(done).toMatchObject({
    status: 'success',
    gasUsed: BigInt(answer.body.gas),
    deltas: [BigInt(answer.body.amountOut)],
  })
  return answer.body
}

const bytesOf = ({ tx }: { readonly tx: { readonly data: Hex } }) => hexToBytes(tx.data).length

describe('the L1 data fee', () => {
  test('a high price of L1 lets a shorter route win, which gives less and is worth more', async () => {
    const [cheap, dear] = [await ask('low'), await ask('very high')]
    expect(bytesOf(dear)).toBeLessThan(bytesOf(cheap))
    expect(BigInt(dear.amountOut)).toBeLessThan(BigInt(cheap.amountOut))
  })

  test('the page shows what is answered', async () => {
    const examples = examplesOf('reference/l1-data-fees')
    expect(examples.map(({ query }) => Number(query.blockNumber))).toEqual([
      blocks.get('very high'),
      blocks.get('low'),
    ])
    for (const { path, query, shown } of examples) {
      const { status, text, body } = await service.get(path, query)
      expect(status, text).toBe(200)
      expect(partsShown(shown, body)).toEqual(shown)
    }
  })

  test('candidates are ranked by what is left after gas and the fee', async () => {
    const { candidates } = await ask('very high')
    const worth = candidates
      .filter(({ status }: { status: string }) => status === 'chosen' || status === 'measured')
      .map(({ valueAfterGas }: { valueAfterGas: string }) => BigInt(valueAfterGas))
    expect(worth.length).toBeGreaterThan(3)
    expect(worth).toEqual(worth.toSorted((a: bigint, b: bigint) => (a > b ? -1 : 1)))
  })

  test('the fee by which routes are compared is that of the answer, but for what is signed later', async () => {
    const answer = await ask('very high')
    const reader = await nodeReader(sandbox.url, blocks.get('very high'))
    const model = await readDataFee(base, { reader, callNode: async () => null })
    expect(model).not.toBeNull()
    if (!model) return
    const tx = { ...answer.tx, value: BigInt(answer.tx.value) }
    const gasPrice = BigInt(answer.gasCost.native) / BigInt(answer.gas)
    const terms = { model, chainId: base.id, gasPrice, tip: base.priorityFeePerGas }
    const ratio = Number(dataFeeOf(terms, tx)) / Number(answer.gasCost.l1DataFee.native)
    expect(ratio).toBeCloseTo(1, 1)
  })
})
