/**
 * Bundles that begin with a signature or an NFT: with keys of the sandbox's accounts, sent on an Anvil of the test's own.
 */
import { encodeFunctionData, erc721Abi, type Hex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, permit2Address } from '../../../src/domain/primitives.js'
import { runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { transferPermitTypedData } from '../../../src/executor/permit2.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, output } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const { address: bob, privateKey } = sandboxAccount('bob')
const recipient: Address = '0x00000000000000000000000000000000000cafe0'
const usdc = sandboxToken('USDC').address
const dai = sandboxToken('DAI').address
const amount = 321_000_000n
const deadline = 2n ** 40n

let sandbox: Sandbox
let node: NodeWriter
let nft: Address
let service: TestService

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  nft = await node.deploy(compileTestContracts('Nfts.sol')('Nft').bytecode)
  await node.send(nft, 'function mint(address)', [bob])
  service = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
})

/** Takes USDC by a signature for the runner of the strategy, and swaps it to DAI. */
async function permitted(
  routingStrategy: string,
  executionMode: string,
  { address: owner, privateKey: key } = sandboxAccount('bob'),
  change: object = {},
): Promise<Answer> {
  const strategy = routingStrategy === 'svcwallet-v2' ? 'wallet-v2' : 'router'
  const permit = { token: usdc, amount, nonce: 5n, deadline }
  const spender = runnerAddress(strategy, owner)
  const message = transferPermitTypedData({ ...permit, chainId: 1, spender })
  const signature = await privateKeyToAccount(key).signTypedData(message)
  const [nonce, until] = [permit.nonce, deadline].map(String)
  const actions: Action[] = [
    {
      protocol: 'svc',
      action: 'permittransferfrom',
      args: {
        token: usdc,
        amount: amount.toString(),
        nonce,
        deadline: until,
        signature,
        ...change,
      },
    },
    {
      protocol: 'svc',
      action: 'route',
      args: { tokenIn: usdc, tokenOut: dai, amountIn: output(0) },
    },
  ]
  return askBundle(service, { fromAddress: owner, routingStrategy, executionMode }, actions)
}

/** Until the service stands on a new block of the node, which has all that was done to it. */
async function standsOnHead(): Promise<void> {
  await node.rpc('evm_mine', [])
  const head = Number(await node.rpc<Hex>('eth_blockNumber', []))
  const newest = async () => (await service.get('/api/v1/networks')).body[0].blockNumber
  await expect.poll(newest).toBe(head)
}

/** Sends the answer's prerequisites and its transaction, signed by bob. */
function execute({ body }: Answer, watch: readonly { token: Address; owner: Address }[]) {
  const prerequisites: { to: Address; data: Hex }[] = body.prerequisites ?? []
  return executeOnFork({
    nodeUrl: sandbox.url,
    blockNumber: body.blockNumber,
    watch,
    tx: { ...body.tx, key: privateKey },
    first: prerequisites.map((call) => ({ from: bob, value: '0', key: privateKey, ...call })),
  })
}

describe('permittransferfrom', () => {
  test.each(['router', 'router-legacy', 'svcwallet-v2'])(
    '%s: tokens come by a signature alone, once Permit2 is approved',
    async (strategy) => {
      const answer = await permitted(strategy, 'backend')
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.prerequisites).toMatchObject([{ to: usdc }])
      const done = await execute(answer, [
        { token: usdc, owner: bob },
        { token: dai, owner: bob },
        { token: usdc, owner: answer.body.tx.to },
      ])
      expect(done.status).toBe('success')
      expect(done.deltas).toEqual([-amount, BigInt(answer.body.amountsOut[dai]), 0n])
      expect(done.gasUsed).toBe(BigInt(answer.body.gas))
    },
  )

  test('what comes by a signature goes to the receiver that the action names', async () => {
    const permit = { token: usdc, amount, nonce: 6n, deadline }
    const message = transferPermitTypedData({
      ...permit,
      chainId: 1,
      spender: runnerAddress('router', bob),
    })
    const args = {
      token: usdc,
      amount: amount.toString(),
      nonce: '6',
      deadline: deadline.toString(),
      sender: bob,
      receiver: recipient,
      signature: await privateKeyToAccount(privateKey).signTypedData(message),
    }
    const answer = await askBundle(service, { fromAddress: bob }, [
      { protocol: 'permit2', action: 'permittransferfrom', args },
    ])
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.amountsOut).toEqual({ [usdc]: amount.toString() })
    const done = await execute(answer, [
      { token: usdc, owner: bob },
      { token: usdc, owner: recipient },
      { token: usdc, owner: answer.body.tx.to },
    ])
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([-amount, amount, 0n])
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })

  test('an EIP-7702 account with the code of Delegate signs with its own key, as before', async () => {
    const dave = sandboxAccount('dave')
    const code = `0xef0100${contractAddress('Delegate').slice(2)}`
    await node.rpc('anvil_setCode', [dave.address, code])
    await standsOnHead()
    const answer = await permitted('router', 'backend', dave)
    expect(answer.status, answer.text).toBe(200)
    const { body } = answer
    const own = { from: dave.address, value: '0', key: dave.privateKey }
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: body.blockNumber,
      tx: { ...body.tx, key: dave.privateKey },
      first: body.prerequisites.map((call: { to: Address; data: Hex }) => ({ ...own, ...call })),
      watch: [
        { token: usdc, owner: dave.address },
        { token: dai, owner: dave.address },
      ],
    })
    expect(done.status).toBe('success')
    expect(done.deltas).toEqual([-amount, BigInt(body.amountsOut[dai])])

    // Its code does not make others' signatures good.
    const stolen = { ...dave, privateKey: sandboxAccount('carol').privateKey }
    const refused = await permitted('router', 'backend', stolen)
    expect(refused.status, refused.text).toBe(422)
    expect(refused.body.message).toContain('permittransferfrom')
  })

  test.each([
    ['InvalidSignatureLength()', { signature: '0x1234' }],
    ['InvalidSigner()', { amount: '1' }],
    ['SignatureExpired(1)', { deadline: '1' }],
  ])('Permit2 refuses with %s, and the answer says so', async (reason, change) => {
    const answer = await permitted('router', 'backend', undefined, change)
    expect(answer.status, answer.text).toBe(422)
    expect(answer.text).toContain(reason)
  })

  test('user: without the approval of Permit2 the bundle fails, and says where', async () => {
    const answer = await permitted('router', 'user')
    expect(answer.status, answer.text).toBe(422)
    expect(answer.body.code).toBe('SIMULATION_REVERTED')
    expect(answer.body.message).toContain('permittransferfrom')
  })

  test('user: with it the bundle needs no allowance of ours', async () => {
    await node.rpc('anvil_impersonateAccount', [bob])
    const approve = 'function approve(address, uint256)'
    await node.send(usdc, approve, [permit2Address, 2n ** 255n], bob)
    await standsOnHead()
    const answer = await permitted('router', 'user')
    expect(answer.status, answer.text).toBe(200)
    const { body } = answer
    const done = await executeOnFork({
      nodeUrl: sandbox.url,
      blockNumber: body.blockNumber,
      tx: { ...body.tx, key: privateKey },
      watch: [{ token: dai, owner: bob }],
    })
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
    expect(done.deltas).toEqual([BigInt(body.amountsOut[dai])])
  })
})

describe('transfer of an NFT', () => {
  test('goes from the sender to the recipient once the runner is approved', async () => {
    const args = { token: nft, recipient, id: '1' }
    const actions = [{ protocol: 'svc', action: 'transfer', args }]
    const answer = await askBundle(service, { fromAddress: bob }, actions)
    expect(answer.status, answer.text).toBe(200)
    const approval = [runnerAddress('router', bob), 1n] as const
    const data = encodeFunctionData({ abi: erc721Abi, functionName: 'approve', args: approval })
    expect(answer.body.prerequisites).toMatchObject([{ to: nft, data }])
    const done = await execute(answer, [{ token: nft, owner: recipient }])
    expect(done).toMatchObject({ status: 'success', deltas: [1n] })
    expect(done.gasUsed).toBe(BigInt(answer.body.gas))
  })

  test('an NFT of somebody else stays where it is', async () => {
    const args = { token: nft, recipient, id: numberToHex(1) }
    const actions = [{ protocol: 'svc', action: 'transfer', args: { ...args, id: '1' } }]
    const carol = sandboxAccount('carol').address
    const answer = await askBundle(service, { fromAddress: carol }, actions)
    expect(answer.status, answer.text).toBe(422)
    expect(answer.body.code).toBe('SIMULATION_REVERTED')
  })
})

test('transferfrom is a transfer of what the sender of the bundle has', async () => {
  const args = { token: usdc, amount: '1000000', receiver: recipient }
  const ask = (action: string, more: object) =>
    askBundle(service, { fromAddress: bob }, [
      { protocol: 'erc20', action, args: { ...args, ...more } },
    ])
  const [plain, named, stolen] = await Promise.all([
    ask('transfer', {}),
    ask('transferfrom', { sender: bob }),
    ask('transferfrom', { sender: recipient }),
  ])
  expect(named.status, named.text).toBe(200)
  expect(named.body.tx).toEqual(plain.body.tx)
  expect(stolen.body.message).toBe(`action 0, sender must be the sender of the bundle, ${bob}`)
})
