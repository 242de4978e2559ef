/**
 * Withdrawals of the OP stack from the transaction to the payment: the original portal proves them by the storage of the
 * original message passer on the other chain, as its node gives it. Dispute games alone are stand-ins.
 */
import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
  parseEther,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { ethereumPlan } from '../../../src/sandbox/plans/ethereum.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { rawTransfers } from '../../support/bridges/raw-transfers.js'
import { receiptOf } from '../../support/mined.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const portal = '0x49048044d57e1c92a77f79988d21fa8faf74e97e'
const messengerOnEthereum = '0x866e82a600a1414e583f7f13623f1ac5d58b0afa'
const messenger = '0x4200000000000000000000000000000000000007'
const standardBridge = '0x4200000000000000000000000000000000000010'
const l1Block = '0x4200000000000000000000000000000000000015'
const passer = '0x4200000000000000000000000000000000000016'
const abi = parseAbi([
  'function sendMessage(address target, bytes message, uint32 minGasLimit) payable',
  'function bridgeERC20To(address localToken, address remoteToken, address to, uint256 amount, uint32 minGasLimit, bytes extraData)',
  'function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable',
  'function balanceOf(address owner) view returns (uint256)',
  'event MessagePassed(uint256 indexed nonce, address indexed sender, address indexed target, uint256 value, uint256 gasLimit, bytes data, bytes32 withdrawalHash)',
  'struct WithdrawalTransaction { uint256 nonce; address sender; address target; uint256 value; uint256 gasLimit; bytes data; }',
  'struct OutputRootProof { bytes32 version; bytes32 stateRoot; bytes32 messagePasserStorageRoot; bytes32 latestBlockhash; }',
  'function proveWithdrawalTransaction(WithdrawalTransaction withdrawal, uint256 disputeGameIndex, OutputRootProof outputRootProof, bytes[] withdrawalProof)',
  'function disputeGameFactory() view returns (address)',
])
const contracts = compileTestContracts('DisputeGames.sol')
const [alice, carol] = [sandboxAccount('alice'), sandboxAccount('carol')]
const amount = parseEther('1.5')
const maturity = 604_800
/** Takes nothing. */
const refusing: Hex = '0x60006000fd'
const dai = {
  here: basePlan.market.token('DAI').address,
  there: ethereumPlan.market.token('DAI').address,
}

let ethereum: Sandbox
let base: Sandbox
let service: TestService
let games: Address

const nodeOf = ({ url }: Sandbox) =>
  createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions)

beforeAll(async () => {
  ;[ethereum, base] = (await Promise.all(
    [1, 8453].map((chainId) => startSandbox({ chainId })),
  )) as [Sandbox, Sandbox]
  await nodeOf(base).setCode({ address: l1Block, bytecode: contracts('EtherPaysGas').runtime })
  const node = nodeOf(ethereum)
  const { bytecode } = contracts('DisputeGames')
  const deployed = await mined(ethereum, { data: bytecode })
  games = deployed.contractAddress as Address
  await node.setStorageAt({ address: portal, index: 56, value: padHex(games, { size: 32 }) })
  const named = await node.readContract({
    abi,
    address: portal,
    functionName: 'disputeGameFactory',
  })
  expect(named.toLowerCase()).toBe(games.toLowerCase())
  await node.setBalance({ address: portal, value: parseEther('100') })
  service = await startService({
    RPC_URL_1: ethereum.url,
    RPC_URL_8453: base.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
})

afterAll(async () => {
  await service?.stop()
  await ethereum?.stop()
  await base?.stop()
})

async function mined(
  of: Sandbox,
  tx: { readonly to?: Address; readonly data: Hex; readonly value?: bigint },
  { privateKey } = alice,
): Promise<TransactionReceipt> {
  const { client } = rawTransfers(of.chainId, of.url)
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, transport: http(of.url) })
  const hash = await wallet.sendTransaction({ gas: 6_000_000n, ...tx, chain: client.chain })
  const receipt = await receiptOf(client, hash)
  expect(receipt.status).toBe('success')
  return receipt
}

/** The service's answer once it has seen the newest blocks of both chains. */
async function checked(txHash: Hex) {
  const head = await nodeOf(ethereum).getBlockNumber()
  for (;;) {
    const { status, body, text } = await service.get('/api/v1/canonical/bridge/check', {
      chainId: '8453',
      txHash,
    })
    expect(status, text).toBe(200)
    if (body.destinationBlockNumber >= Number(head)) return body
  }
}

function passedBy({ logs }: TransactionReceipt) {
  const [event] = parseEventLogs({ abi, logs, eventName: 'MessagePassed' })
  if (!event) throw new RangeError('nothing was withdrawn')
  const { withdrawalHash, ...withdrawal } = event.args
  return { withdrawal, hash: withdrawalHash }
}

/** Proposes the newest block's output. @returns what proves the withdrawal by it. */
async function proposed(hash: Hex) {
  const node = nodeOf(base)
  const block = await node.getBlock()
  const slot = keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [hash, 0n]),
  )
  const proof = await node.getProof({
    address: passer,
    storageKeys: [slot],
    blockNumber: block.number,
  })
  const outputRootProof = {
    version: numberToHex(0, { size: 32 }),
    stateRoot: block.stateRoot,
    messagePasserStorageRoot: proof.storageHash,
    latestBlockhash: block.hash,
  }
  const words = Object.values(outputRootProof) as Hex[]
  const root = keccak256(
    encodeAbiParameters(
      words.map(() => ({ type: 'bytes32' })),
      words,
    ),
  )
  const { abi: gamesAbi } = contracts('DisputeGames')
  const data = encodeFunctionData({
    abi: gamesAbi,
    functionName: 'propose',
    args: [root, block.number],
  })
  await mined(ethereum, { to: games, data })
  const count = await nodeOf(ethereum).readContract({
    abi: gamesAbi,
    address: games,
    functionName: 'gameCount',
  })
  const index = (count as bigint) - 1n
  return { index, block: block.number, outputRootProof, proof: proof.storageProof[0]?.proof ?? [] }
}

async function resolved(index: bigint): Promise<void> {
  const node = nodeOf(ethereum)
  const read = { abi: contracts('DisputeGames').abi, address: games, args: [index] } as const
  const game = (await node.readContract({ ...read, functionName: 'games' })) as Address
  const data = encodeFunctionData({ abi: contracts('OutputGame').abi, functionName: 'resolve' })
  await mined(ethereum, { to: game, data })
}

async function later(seconds: number): Promise<void> {
  const node = nodeOf(ethereum)
  const { timestamp } = await node.getBlock()
  await node.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
  await node.mine({ blocks: 1 })
}

/** From the withdrawal to where it may be finalised, and what the service says at each step. */
async function matured(sent: TransactionReceipt) {
  const { withdrawal, hash } = passedBy(sent)
  const txHash = sent.transactionHash
  expect(await checked(txHash)).toMatchObject({
    status: 'inflight',
    withdrawal: { phase: 'initiated' },
    sourceEvent: { bridge: 'canonical', id: hash },
  })
  const output = await proposed(hash)
  const provable = await checked(txHash)
  expect(provable).toMatchObject({
    status: 'inflight',
    withdrawal: {
      phase: 'provable',
      disputeGameIndex: String(output.index),
      provenBlockNumber: String(output.block),
    },
  })
  const args = [withdrawal, output.index, output.outputRootProof, output.proof] as const
  const data = encodeFunctionData({ abi, functionName: 'proveWithdrawalTransaction', args })
  expect(provable.retry).toEqual({ to: portal, data, value: '0' })
  const proof = await mined(ethereum, { to: portal, data: provable.retry.data })
  const { timestamp } = await nodeOf(ethereum).getBlock({ blockNumber: proof.blockNumber })
  const proven = await checked(txHash)
  expect(proven).toMatchObject({
    status: 'inflight',
    withdrawal: { phase: 'proven', notBefore: Number(timestamp) + maturity + 1 },
    error: expect.stringContaining('not resolved yet'),
  })
  expect(proven).not.toHaveProperty('retry')
  await resolved(output.index)
  await later(maturity + 1)
  const ready = await checked(txHash)
  expect(ready).toMatchObject({
    status: 'inflight',
    withdrawal: { phase: 'finalizable' },
    retry: { to: portal, value: '0' },
  })
  return ready
}

/** Sent by somebody else than who withdrew and proved. */
const finalized = ({ retry }: { retry: { to: Address; data: Hex } }) =>
  mined(ethereum, { to: retry.to, data: retry.data }, carol)

/** A route back over the canonical bridge, named by itself unless the query says another. */
async function routed(query: Record<string, string>) {
  const head = await nodeOf(base).getBlockNumber()
  for (;;) {
    const answer = await service.get('/api/v1/shortcuts/route', {
      chainId: '8453',
      destinationChainId: '1',
      fromAddress: alice.address,
      tokenIn: nativeToken,
      tokenOut: nativeToken,
      amountIn: String(amount),
      bridge: 'canonical',
      ...query,
    })
    if (answer.status !== 200 || answer.body.blockNumber >= Number(head)) return answer
  }
}

describe('GET /shortcuts/route', () => {
  test.each([
    {
      name: 'ether',
      receiver: '0x00000000000000000000000000000000000cafe5',
      tokenOut: nativeToken,
    },
    {
      name: 'a token that it swaps to before',
      receiver: '0x00000000000000000000000000000000000cafe6',
      tokenOut: dai.there,
    },
  ] as const)('$name is withdrawn as the answer says', async ({ receiver, tokenOut }) => {
    const { status, body, text } = await routed({ receiver, tokenOut })
    expect(status, text).toBe(200)
    expect(body.bridgingEstimates).toMatchObject([
      {
        bridge: 'canonical',
        estimatedSeconds: maturity + 3_600,
        afterwards: [
          { action: 'prove', chainId: 1, sender: 'anyone', afterSeconds: 3_600 },
          { action: 'finalize', chainId: 1, sender: 'anyone', afterSeconds: maturity + 3_600 },
        ],
      },
    ])
    const { to, data, value } = body.tx
    const sent = await mined(base, { to, data, value: BigInt(value) })
    expect(sent.gasUsed).toBe(BigInt(body.gas))
    await finalized(await matured(sent))
    expect(await checked(sent.transactionHash)).toMatchObject({ status: 'delivered' })
    const node = nodeOf(ethereum)
    const read = { abi, address: tokenOut, functionName: 'balanceOf', args: [receiver] } as const
    const gained =
      tokenOut === nativeToken
        ? await node.getBalance({ address: receiver })
        : await node.readContract(read)
    expect(gained).toBe(BigInt(body.amountOut))
  })

  test('a withdrawal is found by the name of its bridge alone', async () => {
    const unnamed = await routed({ bridge: '', ignoreBridges: allBut('canonical') })
    expect(unnamed).toMatchObject({
      status: 422,
      body: {
        code: 'NO_ROUTE',
        message: expect.stringContaining('where it is named alone'),
        details: { next: [{ parameter: 'bridge', value: 'canonical' }] },
      },
    })
    const other = await routed({
      bridge: 'canonical',
      crosschainRouteMode: 'destination',
      tokenOut: dai.there,
    })
    expect(other.status).toBe(422)
    expect(other.body.details.lanes).toMatchObject([
      { bridge: 'canonical', symbol: 'ETH', message: expect.stringContaining('days later') },
    ])
  })

  test('a token that names another pair is refused, since it would be lost', async () => {
    const node = nodeOf(base)
    const minted = dai.here
    const usdbc = basePlan.market.token('USDbC').address
    const code = async (address: Address) => (await node.getCode({ address })) ?? '0x'
    const [own, other] = [await code(minted), await code(usdbc)]
    await node.setCode({ address: minted, bytecode: other })
    await node.mine({ blocks: 1 })
    const { status, body } = await routed({
      tokenIn: minted,
      tokenOut: dai.there,
      executionMode: 'backend',
    })
    await node.setCode({ address: minted, bytecode: own })
    await node.mine({ blocks: 1 })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'NO_ROUTE' })
    expect(body.message).toContain('does not say that')
  })
})

describe('GET /canonical/bridge/check', () => {
  test('tells how far a withdrawal of ether is, and anybody finalises it by the transaction of the answer', async () => {
    const receiver: Address = '0x00000000000000000000000000000000000cafe1'
    const args = [receiver, '0x', 200_000] as const
    const data = encodeFunctionData({ abi, functionName: 'sendMessage', args })
    const sent = await mined(base, { to: messenger, data, value: amount })
    const ready = await matured(sent)
    expect(ready.sourceEvent).toMatchObject({
      token: nativeToken,
      amount: String(amount),
      receiver,
      hasMessage: false,
    })
    const { transactionHash } = await finalized(ready)
    const done = await checked(sent.transactionHash)
    expect(done).toMatchObject({
      status: 'delivered',
      destinationTxHash: transactionHash,
      withdrawal: { phase: 'finalized' },
    })
    expect(done).not.toHaveProperty('retry')
    expect(await nodeOf(ethereum).getBalance({ address: receiver })).toBe(amount)
  })

  test('a token is burnt, and what was locked for it is paid', async () => {
    const receiver: Address = '0x00000000000000000000000000000000000cafe2'
    const args = [dai.here, dai.there, receiver, amount, 200_000, '0x'] as const
    const data = encodeFunctionData({ abi, functionName: 'bridgeERC20To', args })
    const sent = await mined(base, { to: standardBridge, data })
    const ready = await matured(sent)
    expect(ready.sourceEvent).toMatchObject({ token: dai.there, amount: String(amount), receiver })
    await finalized(ready)
    expect(await checked(sent.transactionHash)).toMatchObject({ status: 'delivered' })
    const read = { abi, address: dai.there, functionName: 'balanceOf', args: [receiver] } as const
    expect(await nodeOf(ethereum).readContract(read)).toBe(amount)
  })

  test('where the receiver takes no ether it waits in the messenger, and is freed there', async () => {
    const receiver: Address = '0x00000000000000000000000000000000000cafe3'
    const node = nodeOf(ethereum)
    await node.setCode({ address: receiver, bytecode: refusing })
    const args = [receiver, '0x', 200_000] as const
    const data = encodeFunctionData({ abi, functionName: 'sendMessage', args })
    const sent = await mined(base, { to: messenger, data, value: amount })
    await finalized(await matured(sent))
    const held = await checked(sent.transactionHash)
    expect(held).toMatchObject({
      status: 'inflight',
      withdrawal: { phase: 'finalized' },
      retry: { to: messengerOnEthereum, value: '0' },
      error: expect.stringContaining('waits in the messenger'),
    })
    await node.setCode({ address: receiver, bytecode: '0x' })
    await finalized(held)
    expect(await checked(sent.transactionHash)).toMatchObject({ status: 'delivered' })
    expect(await node.getBalance({ address: receiver })).toBe(amount)
  })

  test('past the messenger, a call that fails is not made again', async () => {
    const receiver: Address = '0x00000000000000000000000000000000000cafe4'
    await nodeOf(ethereum).setCode({ address: receiver, bytecode: refusing })
    const args = [receiver, 100_000n, '0x'] as const
    const data = encodeFunctionData({ abi, functionName: 'initiateWithdrawal', args })
    const sent = await mined(base, { to: passer, data, value: amount })
    await finalized(await matured(sent))
    const lost = await checked(sent.transactionHash)
    expect(lost).toMatchObject({ status: 'failed', withdrawal: { phase: 'finalized' } })
    expect(lost).not.toHaveProperty('retry')
  })
})
