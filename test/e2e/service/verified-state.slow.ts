/** Nodes that lie about state, against a service that has it proven: a real chain, whose blocks have real state roots. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { forgingProofs, lyingAboutSlots } from '../../support/nodes/lying-node.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Behaviour, count, startFaultyNode } from '../../support/nodes/rpc-node.js'
import { startService, type TestService } from '../../support/service/service.js'

let sandbox: Sandbox
let writer: NodeWriter
let trusting: TestService

beforeAll(async () => {
  sandbox = await startSandbox({})
  writer = await new NodeWriter(sandbox.url).start()
  // Anvil's proofs are right of blocks that it has mined itself.
  await writer.rpc('evm_mine', [])
  trusting = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await trusting?.stop()
  await writer?.close()
  await sandbox?.stop()
})

async function nodeThat(behave: Behaviour) {
  const node = await startFaultyNode(sandbox.url, { behave })
  onTestFinished(() => node.close())
  return node
}

async function serviceOf(env: Readonly<Record<string, string>>): Promise<TestService> {
  const service = await startService({ ...env, FORKS_PER_BLOCK: '1' })
  onTestFinished(() => service.stop())
  return service
}

/** A block that no service has read. */
async function newBlock(): Promise<string> {
  await writer.rpc('evm_mine', [])
  return String(Number(await writer.rpc('eth_blockNumber', [])))
}

async function quoteAt(service: TestService, blockNumber: string) {
  return service.get('/api/v1/shortcuts/quote', {
    chainId: '1',
    tokenIn: sandboxToken('WETH').address,
    tokenOut: sandboxToken('USDC').address,
    amountIn: String(10n ** 18n),
    blockNumber,
  })
}

async function metric(service: TestService, outcome: string): Promise<number> {
  const { text } = await service.get('/metrics')
  const line = text
    .split('\n')
    .find((each) => each.includes(`state_checks_total{chain="1",outcome="${outcome}"}`))
  return Number(line?.split(' ').at(-1))
}

test('sample: a node that lies about one slot in 50 is found, named and left out; then answers are right', async () => {
  const liar = await nodeThat(lyingAboutSlots(50))
  const service = await serviceOf({
    RPC_URL_1: `${liar.url},${sandbox.url}`,
    VERIFY_STATE: 'sample',
    VERIFY_STATE_ONE_IN: '1',
  })
  await quoteAt(service, await newBlock())
  await expect
    .poll(async () => (await service.get('/ready')).text)
    .toMatch(
      /node 1 of chain 1 is set aside: it said 0x[0-9a-f]+ for 0x[0-9a-f]{40} slot 0x[0-9a-f]+ at block \d+, whose state root proves 0x/,
    )
  expect(await metric(service, 'false')).toBeGreaterThan(0)
  const [asked, block] = [liar.requests.length, await newBlock()]
  const [checked, trusted] = [await quoteAt(service, block), await quoteAt(trusting, block)]
  expect(checked.status, checked.text).toBe(200)
  expect(checked.body.amountOut).toBe(trusted.body.amountOut)
  expect(liar.requests.length).toBe(asked)
})

test('all: what a node says next to its proofs changes no answer, and every value is proven', async () => {
  const liar = await nodeThat(lyingAboutSlots(2))
  const service = await serviceOf({ RPC_URL_1: liar.url, VERIFY_STATE: 'all' })
  const block = await newBlock()
  const [proven, trusted] = [await quoteAt(service, block), await quoteAt(trusting, block)]
  expect(proven.status, proven.text).toBe(200)
  expect(proven.body.amountOut).toBe(trusted.body.amountOut)
  expect(count(liar, 'eth_getProof')).toBeGreaterThan(0)
  expect(count(liar, 'eth_getStorageAt')).toBe(0)
})

test('all: a node whose proofs lead nowhere is set aside, and another one is asked', async () => {
  const forger = await nodeThat(forgingProofs)
  const service = await serviceOf({
    RPC_URL_1: `${forger.url},${sandbox.url}`,
    VERIFY_STATE: 'all',
  })
  const block = await newBlock()
  const [proven, trusted] = [await quoteAt(service, block), await quoteAt(trusting, block)]
  expect(proven.status, proven.text).toBe(200)
  expect(proven.body.amountOut).toBe(trusted.body.amountOut)
  expect((await service.get('/ready')).text).toMatch(
    /node 1 of chain 1 is set aside: its proof of 0x[0-9a-f]{40} does not lead to the state root of block \d+/,
  )
})

test('all: without proofs there is no answer', async () => {
  const node = await nodeThat(() => ({
    edit: (call, reply) =>
      call.method === 'eth_getProof'
        ? { id: call.id, error: { code: -32601, message: 'the method does not exist' } }
        : reply,
  }))
  const service = await serviceOf({
    RPC_URL_1: node.url,
    VERIFY_STATE: 'all',
    FIRST_PIN_WAIT_MS: '500',
  })
  const answer = await quoteAt(service, await newBlock())
  expect(answer.status, answer.text).toBe(503)
  expect(answer.body.message).toContain('gives no proofs (eth_getProof)')
})

test('a trusted block: what follows from it is answered, and of another chain nothing is', async () => {
  const number = await newBlock()
  const { hash } = await writer.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
  const other = `0x${'ab'.repeat(32)}`
  const [tied, untied] = [
    await serviceOf({ RPC_URL_1: sandbox.url, TRUSTED_BLOCK_1: `${number}:${hash}` }),
    await serviceOf({ RPC_URL_1: sandbox.url, TRUSTED_BLOCK_1: `${number}:${other}` }),
  ]
  const block = await newBlock()
  expect((await quoteAt(tied, block)).status).toBe(200)
  expect((await quoteAt(tied, String(Number(block) - 3))).status).toBe(200)
  const answer = await quoteAt(untied, block)
  expect(answer.status, answer.text).toBe(503)
  expect(answer.body.message).toContain(`does not follow from block ${number} with the hash`)
})
