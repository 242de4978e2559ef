/** Permits and NFTs through the contracts that run orders, on a fork of the sandbox chain, with real signatures. */
import { encodeFunctionData, erc20Abi, erc721Abi, type Hex, numberToHex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExecutorStep, Order, RoutingStrategy } from '../../../src/domain/order.js'
import { type Address, permit2Address, zeroAddress } from '../../../src/domain/primitives.js'
import { buildTransaction, runnerAddress } from '../../../src/executor/compile.js'
import { transferPermitTypedData } from '../../../src/executor/permit2.js'
import {
  approveNft,
  permitTransfer,
  transferNft,
} from '../../../src/routing/bundle/bundle-steps.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { withSandbox } from '../../support/sandbox.js'
import { compileTestContracts } from '../../support/test-contracts.js'
import { type Receipt, send } from './executor-contracts.js'

const { address: alice, privateKey } = sandboxAccount('alice')
const dave = sandboxAccount('dave').address
const recipient: Address = '0x00000000000000000000000000000000000cafe0'
const usdc = sandboxToken('USDC').address
const deadline = 2n ** 40n
const { bytecode, abi: nftAbi } = compileTestContracts('Nfts.sol')('Nft')
const [mint] = parseAbi(['function mint(address to) returns (uint256 id)'])

const sandboxContext = withSandbox()
let anvil: TestAnvil
let nft: Address
let minted = 0n

beforeAll(async () => {
  anvil = await startAnvil(['--fork-url', sandboxContext().sandbox.url, '--no-storage-caching'])
  for (const account of [alice, dave]) await anvil.rpc('anvil_impersonateAccount', [account])
  const receipt = await send(anvil, { from: alice, data: bytecode })
  nft = (receipt as Receipt & { contractAddress: Address }).contractAddress
  await act(alice, usdc, encodeApproval(permit2Address, 2n ** 256n - 1n))
})
afterAll(() => anvil?.stop())

function encodeApproval(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}

async function act(from: Address, to: Address, data: Hex): Promise<void> {
  expect((await send(anvil, { from, to, data })).status).toBe('0x1')
}

async function read(to: Address, data: Hex): Promise<bigint> {
  return BigInt(await anvil.rpc<Hex>('eth_call', [{ to, data }, 'latest']))
}

function balance(owner: Address): Promise<bigint> {
  const args = [owner] as const
  return read(usdc, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args }))
}

async function ownerOf(id: bigint): Promise<bigint> {
  const args = [id] as const
  return read(nft, encodeFunctionData({ abi: erc721Abi, functionName: 'ownerOf', args }))
}

async function mintTo(owner: Address): Promise<bigint> {
  const args = [owner] as const
  await act(dave, nft, encodeFunctionData({ abi: [mint], args }))
  return ++minted
}

/** A list of steps as the planning of a bundle keeps it, for one runner. */
function planned(strategy: RoutingStrategy, from: Address) {
  const steps: ExecutorStep[] = []
  const runner = runnerAddress(strategy, from)
  return { steps, runner, add: (step: ExecutorStep) => steps.push(step) - 1 }
}

/** Sends the order; an account of a delegate strategy has the Delegate's code (EIP-7702) and calls itself. */
async function run(
  strategy: RoutingStrategy,
  from: Address,
  steps: readonly ExecutorStep[],
  changes: Partial<Order> = {},
): Promise<boolean> {
  const order: Order = {
    inputs: [],
    feeReceiver: zeroAddress,
    steps,
    outputs: [],
    receiver: recipient,
    refundReceiver: from,
    sweep: [],
    deadline,
    accountId: numberToHex(1n, { size: 32 }),
    referralCode: numberToHex(2n, { size: 16 }),
    ...changes,
  }
  const tx = buildTransaction({ strategy, from, order })
  const isDelegate = strategy.startsWith('delegate')
  if (isDelegate) await anvil.rpc('anvil_setCode', [from, `0xef0100${tx.to.slice(2)}`])
  const to = isDelegate ? from : tx.to
  const receipt = await send(anvil, { from, to, data: tx.data, value: numberToHex(tx.value) })
  if (isDelegate) await anvil.rpc('anvil_setCode', [from, '0x'])
  return receipt.status === '0x1'
}

describe('permitTransfer', () => {
  const amount = 25_000_000n

  async function signed(spender: Address, nonce: bigint) {
    const permit = { token: usdc, amount, nonce, deadline }
    const account = privateKeyToAccount(privateKey)
    const message = transferPermitTypedData({ ...permit, chainId: 1, spender })
    return { ...permit, signature: await account.signTypedData(message) }
  }

  test.each<[RoutingStrategy, bigint]>([
    ['router', 11n],
    ['router-legacy', 12n],
    ['wallet-v2', 13n],
  ])('%s: the runner gets the tokens by a signature, once', async (strategy, nonce) => {
    const { steps, ...context } = planned(strategy, alice)
    const permit = await signed(context.runner, nonce)
    const { outputs, prerequisites } = permitTransfer(context, { owner: alice, ...permit })
    expect(prerequisites).toMatchObject([
      { to: usdc, data: encodeApproval(permit2Address, amount) },
    ])
    const [output] = outputs
    if (!output) throw new Error('a permit has an output')
    // Half of what the permit brought, by reference; the rest is what is left over.
    const half = { ...(output.amount as { ref: 'output'; step: number }), bps: 5_000 }
    steps.push({ kind: 'transfer', token: usdc, to: recipient, amount: half })
    const before = await Promise.all([alice, recipient, context.runner].map(balance))
    expect(await run(strategy, alice, steps, { sweep: [usdc], receiver: dave })).toBe(true)
    const after = await Promise.all([alice, recipient, context.runner].map(balance))
    // Legacy orders have no receiver for refunds: the rest is the receiver's.
    const kept = strategy === 'router-legacy' ? amount : amount / 2n
    expect(after.map((value, index) => value - (before[index] ?? 0n))).toEqual([
      -kept,
      amount / 2n,
      0n,
    ])
    expect(await run(strategy, alice, steps, { sweep: [usdc] })).toBe(false)
  })

  test('a signature for one runner is worth nothing to another', async () => {
    const permit = await signed(runnerAddress('router', alice), 21n)
    const { steps, ...context } = planned('router', dave)
    permitTransfer(context, { owner: alice, ...permit })
    expect(await run('router', dave, steps, { sweep: [usdc] })).toBe(false)
  })

  test('an amount above the permitted is refused', async () => {
    const { steps, ...context } = planned('router', alice)
    const permit = await signed(context.runner, 22n)
    permitTransfer(context, { owner: alice, ...permit, amount: amount + 1n })
    expect(await run('router', alice, steps, { sweep: [usdc] })).toBe(false)
  })
})

describe('transferNft', () => {
  test.each<RoutingStrategy>(['router', 'wallet-v2'])(
    '%s: an NFT of the sender goes to the recipient once the runner is approved',
    async (strategy) => {
      const id = await mintTo(alice)
      const { steps, ...context } = planned(strategy, alice)
      const made = transferNft(context, { token: nft, holder: alice, recipient, id })
      expect(await run(strategy, alice, steps)).toBe(false)
      for (const { to, data } of made.prerequisites ?? []) await act(alice, to, data)
      expect(await run(strategy, alice, steps)).toBe(true)
      expect(await ownerOf(id)).toBe(BigInt(recipient))
    },
  )

  test('delegate: an NFT of the account needs no approval', async () => {
    const id = await mintTo(alice)
    const { steps, ...context } = planned('delegate', alice)
    const made = transferNft(context, { token: nft, holder: alice, recipient, id })
    expect(made.prerequisites).toBeUndefined()
    expect(await run('delegate', alice, steps)).toBe(true)
    expect(await ownerOf(id)).toBe(BigInt(recipient))
  })

  test('an NFT that an earlier step mints goes on by reference to its id', async () => {
    const { steps, add, runner } = planned('router', alice)
    const output = { kind: 'word', index: 0 } as const
    const step = add({ kind: 'call', target: nft, abi: mint, args: [runner], output })
    transferNft(
      { add, runner },
      { token: nft, holder: runner, recipient, id: { ref: 'output', step } },
    )
    expect(await run('router', alice, steps)).toBe(true)
    expect(await ownerOf(++minted)).toBe(BigInt(recipient))
  })

  test('a recipient with code that knows no NFTs is refused', async () => {
    const id = await mintTo(alice)
    const { steps, ...context } = planned('delegate', alice)
    transferNft(context, { token: nft, holder: alice, recipient: usdc, id })
    expect(await run('delegate', alice, steps)).toBe(false)
    expect(await ownerOf(id)).toBe(BigInt(alice))
  })
})

describe('approveNft', () => {
  test('the spender may take an NFT that the runner holds', async () => {
    const id = await mintTo(runnerAddress('wallet-v2', alice))
    const { steps, ...context } = planned('wallet-v2', alice)
    approveNft(context, { token: nft, spender: dave, id })
    expect(await run('wallet-v2', alice, steps)).toBe(true)
    const args = [context.runner, recipient, id] as const
    const data = encodeFunctionData({ abi: nftAbi, functionName: 'transferFrom', args })
    await act(dave, nft, data)
    expect(await ownerOf(id)).toBe(BigInt(recipient))
  })
})
