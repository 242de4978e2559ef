/**
 * `execute` with accounts that are more than a key, on an Anvil of the test's own: a wallet that carries out lists of
 * calls (EIP-5792), and a Safe with its real contracts.
 */
import {
  createPublicClient,
  createWalletClient,
  custom,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  keccak256,
  maxUint256,
  numberToHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { mainnet } from 'viem/chains'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createForkrouteClient, type ForkrouteClient } from '../../../src/client/client.js'
import { TransactionRevertedError } from '../../../src/client/errors.js'
import { safeTransaction } from '../../../src/client/safe.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { receiptOf } from '../../support/mined.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { openSafe, safeTransaction as signedByOwner } from '../../support/safe.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const carol = sandboxAccount('carol')
const owner = privateKeyToAccount(carol.privateKey)
const [usdc, dai] = ['USDC', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
]

let service: TestService
let anvil: TestAnvil
let forkroute: ForkrouteClient
let blockNumber: number
const chain = () => createPublicClient({ chain: mainnet, transport: http(anvil.url) })

beforeAll(async () => {
  service = await startService({ AUTH_MODE: 'key', SANDBOX_CHAINS: '1' })
  forkroute = createForkrouteClient({ url: service.url, key: service.key })
  blockNumber = (await service.get('/api/v1/networks')).body[0].blockNumber
})
afterAll(() => service?.stop())
beforeEach(async () => {
  anvil = await startAnvil([
    ...['--fork-url', service.nodeUrl, '--fork-block-number', String(blockNumber)],
    ...['--chain-id', '1', '--no-storage-caching', '--no-rate-limit'],
  ])
  const own = anvil
  onTestFinished(() => own.stop())
})

const balanceOf = (token: Address, of: Address) =>
  chain().readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [of] })
const allowance = () =>
  chain().readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [owner.address, contractAddress('Router')],
  })

interface List {
  readonly calls: readonly { readonly to: Address; readonly data?: Hex; readonly value?: Hex }[]
  readonly atomicRequired: boolean
  readonly chainId: Hex
}

/**
 * A wallet as dapps see it. Lists run through the code that the account has by EIP-7702, each as one transaction.
 * @param status - of the capability `atomic`; null: a wallet that knows nothing of lists.
 */
async function walletOf(status: 'supported' | 'ready' | null) {
  const { abi, bytecode } = compileTestContracts('Calls.sol')('CallList')
  const signer = createWalletClient({ account: owner, chain: mainnet, transport: http(anvil.url) })
  const deployed = await receiptOf(chain(), await signer.deployContract({ abi, bytecode }))
  const contractAddressOfList = deployed.contractAddress as Address
  const lists: List[] = []
  const hashes = new Map<string, Hex>()
  const carryOut = async (list: List) => {
    const args = [
      list.calls.map(({ to, data = '0x', value = '0x0' }) => ({ to, data, value: BigInt(value) })),
    ]
    const authorization = await signer.signAuthorization({
      contractAddress: contractAddressOfList,
      executor: 'self' as const,
    })
    const hash = await signer.sendTransaction({
      to: owner.address,
      authorizationList: [authorization],
      gas: 3_000_000n,
      data: encodeFunctionData({ abi, functionName: 'carryOut', args }),
    })
    lists.push(list)
    hashes.set(keccak256(hash), hash)
    return { id: keccak256(hash) }
  }
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (status && method === 'wallet_getCapabilities') return { '0x1': { atomic: { status } } }
    if (status && method === 'wallet_sendCalls') return carryOut((params as [List])[0])
    if (status && method === 'wallet_getCallsStatus') {
      const [id] = params as [string]
      const hash = hashes.get(id) as Hex
      const receipt = await receiptOf(chain(), hash)
      const isDone = receipt.status === 'success'
      return {
        version: '2.0.0',
        chainId: '0x1',
        id,
        atomic: true,
        status: isDone ? 200 : 500,
        receipts: [
          {
            logs: [],
            status: isDone ? '0x1' : '0x0',
            blockHash: receipt.blockHash,
            blockNumber: numberToHex(receipt.blockNumber),
            gasUsed: numberToHex(receipt.gasUsed),
            transactionHash: hash,
          },
        ],
      }
    }
    return anvil.rpc(method, (params ?? []) as unknown[])
  }
  await anvil.rpc('anvil_impersonateAccount', [owner.address])
  const wallet = createWalletClient({
    account: owner.address,
    chain: mainnet,
    transport: custom({ request }),
  })
  return { wallet, lists }
}

describe('a wallet that carries out lists of calls', () => {
  const trade = { tokenIn: [usdc], tokenOut: [dai], fromAddress: owner.address }
  const asked = (amountIn: bigint) =>
    forkroute.route({ ...trade, amountIn: [amountIn], executionMode: 'backend', blockNumber })

  test('approval and route are one list, which it must carry out as a whole', async () => {
    const { wallet, lists } = await walletOf('supported')
    const before = await balanceOf(dai, owner.address)
    const sent: string[] = []
    const route = await asked(10n ** 8n)
    const done = await forkroute.execute(wallet, route, {
      onSent: (_hash, purpose) => sent.push(purpose),
    })
    expect(done).toMatchObject({ approvals: [], callsId: expect.stringMatching(/^0x/) })
    expect(sent).toEqual(['route'])
    expect(lists).toMatchObject([
      { chainId: '0x1', atomicRequired: true, calls: [{ to: usdc }, { to: route.tx.to }] },
    ])
    expect(done.amountsOut[0]).toBe((await balanceOf(dai, owner.address)) - before)
    expect(done.amountsOut[0]).toBeGreaterThanOrEqual(done.minAmountsOut[0] ?? maxUint256)
    expect(await allowance()).toBe(0n)
  })

  test('where the route reverts, nothing is left of the approval', async () => {
    const { wallet } = await walletOf('supported')
    const route = await asked((await balanceOf(usdc, owner.address)) + 1n)
    await expect(forkroute.execute(wallet, route)).rejects.toThrow(TransactionRevertedError)
    expect(await allowance()).toBe(0n)
  })

  test('an alternative is executed as the best is, and with one tag the best then reverts', async () => {
    const { wallet } = await walletOf(null)
    const route = await forkroute.route({
      ...trade,
      amountIn: [10n ** 8n],
      executionMode: 'backend',
      blockNumber,
      alternatives: 1,
      once: '0x0123456789abcdef0123456789abcdef',
    })
    const [other] = route.alternatives ?? []
    if (!other) throw new Error('There is no alternative.')
    const done = await forkroute.execute(wallet, other)
    expect(done.amountsOut).toEqual([other.amountOut])
    await expect(forkroute.execute(wallet, route)).rejects.toThrow(TransactionRevertedError)
  })

  test('a route that needs no approval is an ordinary transaction', async () => {
    const { wallet, lists } = await walletOf('supported')
    const route = await forkroute.route({
      ...trade,
      tokenIn: [nativeToken],
      amountIn: [10n ** 17n],
      blockNumber,
    })
    expect(await forkroute.execute(wallet, route)).toMatchObject({ approvals: [], callsId: null })
    expect(lists).toEqual([])
  })

  test.each([null, 'ready'] as const)(
    'with the capability %s it approves first: the code of an account is its owner’s business',
    async (status) => {
      const { wallet, lists } = await walletOf(status)
      const done = await forkroute.execute(wallet, await asked(10n ** 8n))
      expect(done).toMatchObject({ callsId: null, approvals: [expect.stringMatching(/^0x/)] })
      expect(done.amountsOut[0]).toBeGreaterThanOrEqual(done.minAmountsOut[0] ?? maxUint256)
      expect(lists).toEqual([])
    },
  )
})

describe('an allowance that is given', () => {
  /** What is approved on the way, and what is left of it. */
  async function approved(
    input: Partial<Parameters<ForkrouteClient['route']>[0]> & { readonly tokenIn: string[] },
  ) {
    const wallet = createWalletClient({
      account: owner,
      chain: mainnet,
      transport: http(anvil.url),
      pollingInterval: 50,
    })
    const route = await forkroute.route({
      fromAddress: owner.address,
      tokenOut: [dai],
      executionMode: 'backend',
      blockNumber,
      ...input,
    })
    const { approvals, receipt } = await forkroute.execute(wallet, route)
    expect(receipt.status).toBe('success')
    const given = await Promise.all(
      approvals.map(async (hash) => {
        const { to, input: data } = await chain().getTransaction({ hash })
        return { token: to, args: decodeFunctionData({ abi: erc20Abi, data }).args }
      }),
    )
    return { route, given, left: await allowance() }
  }
  const amount = 123_456_789n
  const router = getAddress(contractAddress('Router'))

  test('is of the amount of the route, and the route uses it up', async () => {
    const { given, left } = await approved({ tokenIn: [usdc], amountIn: [amount] })
    expect(given).toEqual([{ token: usdc, args: [router, amount] }])
    expect(left).toBe(0n)
  })

  test('replaces a smaller one, by way of zero', async () => {
    const signer = createWalletClient({
      account: owner,
      chain: mainnet,
      transport: http(anvil.url),
    })
    const hash = await signer.writeContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'approve',
      args: [router, 7n],
    })
    await receiptOf(chain(), hash)
    const { given, left } = await approved({ tokenIn: [usdc], amountIn: [amount] })
    expect(given.map(({ args }) => args)).toEqual([
      [router, 0n],
      [router, amount],
    ])
    expect(left).toBe(0n)
  })

  test('of each of several tokens is of its amount', async () => {
    const [weth, amountIn] = [sandboxToken('WETH').address, [amount, 10n ** 15n]]
    const { given } = await approved({ tokenIn: [usdc, weth], amountIn })
    expect(given).toEqual([
      { token: usdc, args: [router, amount] },
      { token: weth, args: [router, 10n ** 15n] },
    ])
  })

  test('for an exact output is of the amount that was found for it, and the route uses it up', async () => {
    const { route, given, left } = await approved({ tokenIn: [usdc], amountOut: [10n ** 20n] })
    expect(route.amountIn).toBeLessThan(route.maxAmountIn ?? 0n)
    expect(given).toEqual([{ token: usdc, args: [router, route.amountIn] }])
    expect(left).toBe(0n)
  })

  test('to Permit2 is of what the permit is signed for', async () => {
    const { route, given } = await approved({
      tokenIn: [dai],
      tokenOut: [usdc],
      amountIn: [amount * 10n ** 12n],
      permit: true,
    })
    const permit2 = route.permit?.typedData.domain.verifyingContract
    expect(given).toEqual([
      { token: dai, args: [getAddress(String(permit2)), amount * 10n ** 12n] },
    ])
  })

  test('in a list of calls is of the amount of the route', async () => {
    const { wallet, lists } = await walletOf('supported')
    const route = await forkroute.route({
      fromAddress: owner.address,
      tokenIn: [usdc],
      tokenOut: [dai],
      amountIn: [amount],
      executionMode: 'backend',
      blockNumber,
    })
    await forkroute.execute(wallet, route)
    const data = lists[0]?.calls[0]?.data ?? '0x'
    expect(decodeFunctionData({ abi: erc20Abi, data }).args).toEqual([router, amount])
  })
})

test.each([
  ['native', nativeToken, 10n ** 17n],
  ['USDC', usdc, 10n ** 8n],
])(
  'a Safe with its real contracts carries out a route for %s as a delegatecall',
  async (_name, tokenIn, amountIn) => {
    const node = await new NodeWriter(anvil.url).start()
    onTestFinished(() => node.close())
    const safe = await openSafe(node, carol.address)
    await anvil.rpc('anvil_setBalance', [safe, numberToHex(10n ** 18n)])
    const holder = createWalletClient({
      account: owner,
      chain: mainnet,
      transport: http(anvil.url),
    })
    const gift = {
      address: usdc,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [safe, 10n ** 8n],
    } as const
    await receiptOf(chain(), await holder.writeContract(gift))

    const route = await forkroute.route({
      fromAddress: safe,
      tokenIn: [tokenIn],
      tokenOut: [dai],
      amountIn: [amountIn],
      routingStrategy: 'delegate',
      executionMode: 'backend',
      blockNumber,
    })
    const { to, data, value, operation } = safeTransaction(route)
    expect(operation).toBe(1)
    const outer = await signedByOwner({
      safe,
      ownerKey: carol.privateKey,
      chainId: 1,
      nonce: 0n,
      to: to as Address,
      data,
      value: BigInt(value),
      operation: 'delegatecall',
    })
    const hash = await holder.sendTransaction({ ...outer, gas: 3_000_000n })
    expect((await receiptOf(chain(), hash)).status).toBe('success')
    const gained = await balanceOf(dai, safe)
    expect(gained).toBeGreaterThanOrEqual([route.minAmountOut].flat()[0] ?? maxUint256)
    expect(gained).toBe([route.amountOut].flat()[0])
  },
)
