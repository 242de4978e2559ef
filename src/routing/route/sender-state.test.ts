import { decodeFunctionData, encodeAbiParameters, erc20Abi } from 'viem'
import { describe, expect, test } from 'vitest'
import { token } from '../../../test/support/routing/candidates.js'
import { type Address, type Hex, nativeToken } from '../../domain/primitives.js'
import type { PrecedingCall, ReadResult, StateOverrides } from '../../domain/state.js'
import { runnerAddress } from '../../executor/compile.js'
import { contractAddress, executorContracts } from '../../executor/deployments.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import { fundSender, type Sender, type SenderSource, senderState } from './sender-state.js'

const [usdc, dai, sender, otherSender] = ['a', 'b', '1', '2'].map(token) as [
  Address,
  Address,
  Address,
  Address,
]
const router = contractAddress('Router')

/** Raw units of one token: what the sender holds, and what it allows the router. */
type Held = Readonly<Record<Address, readonly [balance: bigint, allowance: bigint]>>

/** A task at a block with these funds; tokens of `slotless` cannot be overridden, and `lenders` lend. */
function taskWith(
  held: Held,
  {
    slotless = [],
    lenders = [],
  }: { readonly slotless?: Address[]; readonly lenders?: Address[] } = {},
) {
  const funded: unknown[] = []
  const task: SenderSource = {
    pin: { chainId: 1, number: 100n },
    reader: {
      call: async (calls) =>
        calls.map(({ to, data }): ReadResult => {
          const found = held[to]
          if (!found) return { ok: true, value: '0x' }
          const { functionName } = decodeFunctionData({ abi: erc20Abi, data })
          const amount = functionName === 'balanceOf' ? found[0] : found[1]
          return { ok: true, value: encodeAbiParameters([{ type: 'uint256' }], [amount]) }
        }),
    },
    archive: { nativeBalance: async () => held[nativeToken]?.[0] ?? 0n },
    simulator: {
      fund: async (asked, owner, funds) => {
        funded.push({ token: asked, owner, ...funds })
        return slotless.includes(asked) ? null : overrideOf(asked)
      },
      fundFromHolder: async ({ token: lent, holders }): Promise<PrecedingCall[] | null> => {
        const holder = holders.find((one) => lenders.includes(one))
        return holder ? [{ from: holder, to: lent, data: '0x' }] : null
      },
    },
  }
  return { task, funded }
}

const slot: Hex = `0x${'0'.repeat(64)}`
const overrideOf = (address: Address): StateOverrides => ({
  [address]: { stateDiff: { [slot]: slot } },
})

const funding = async (
  task: SenderSource,
  sender: Sender,
  inputs: readonly [Address, bigint][],
) => {
  const amounts = inputs.map(([each, amount]) => ({ token: each, amount }))
  const { overrides, unfunded } = await fundSender(task, sender, amounts)
  return { overrides, unfunded }
}

const assumed: Sender = { strategy: 'router', fromAddress: sender, isChecked: false }
const checked: Sender = { ...assumed, isChecked: true }

describe('the funds of a checked sender', () => {
  test('the block’s own funds are used where they suffice', async () => {
    const { task, funded } = taskWith({ [usdc]: [100n, 100n], [nativeToken]: [5n, 0n] })
    const inputs: [Address, bigint][] = [
      [usdc, 100n],
      [nativeToken, 5n],
    ]
    expect(await funding(task, checked, inputs)).toEqual({ overrides: {}, unfunded: [] })
    expect(funded).toEqual([])
  })

  test('a balance that is one too small is told with what is needed', async () => {
    const { task } = taskWith({ [usdc]: [99n, 100n] })
    await expect(funding(task, checked, [[usdc, 100n]])).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { token: usdc, owner: sender, required: '100', actual: '99' },
    })
  })

  test('an allowance that is one too small is told with its spender', async () => {
    const { task } = taskWith({ [usdc]: [100n, 99n] })
    await expect(funding(task, checked, [[usdc, 100n]])).rejects.toMatchObject({
      code: 'INSUFFICIENT_ALLOWANCE',
      details: { token: usdc, spender: router, required: '100', actual: '99' },
    })
  })

  test('what to do about it is told as data: the approval, the backend mode, a quote', async () => {
    const { task } = taskWith({ [usdc]: [100n, 99n] })
    const lacking = funding(task, checked, [[usdc, 100n]])
    const query = { chainId: '1', fromAddress: sender, tokenAddress: usdc, amount: '100' }
    await expect(lacking).rejects.toMatchObject({
      details: {
        next: [
          { endpoint: 'GET /api/v1/wallet/approve', query },
          { parameter: 'executionMode', value: 'backend' },
          { endpoint: 'GET /api/v1/shortcuts/quote' },
        ],
      },
    })
  })

  test('no allowance is asked of a sender whose permit brings it', async () => {
    const { task } = taskWith({ [usdc]: [100n, 0n] })
    const { unfunded } = await funding(task, { ...checked, puller: null }, [[usdc, 100n]])
    expect(unfunded).toEqual([])
  })

  test('of several problems the first token’s is told', async () => {
    const { task } = taskWith({ [usdc]: [0n, 0n], [dai]: [0n, 0n] })
    const inputs: [Address, bigint][] = [
      [dai, 1n],
      [usdc, 1n],
    ]
    await expect(funding(task, checked, inputs)).rejects.toMatchObject({ details: { token: dai } })
  })

  test('an address that does not answer like a token is no token', async () => {
    const { task } = taskWith({})
    await expect(funding(task, checked, [[usdc, 1n]])).rejects.toMatchObject({ code: 'NO_ROUTE' })
  })
})

describe('the funds of an assumed sender', () => {
  test('what is missing is given, and more than is needed is kept', async () => {
    const { task, funded } = taskWith({ [usdc]: [40n, 900n] })
    const funds = await funding(task, assumed, [[usdc, 100n]])
    expect(funded).toEqual([
      { token: usdc, owner: sender, balance: 100n, spender: router, allowance: 900n },
    ])
    expect(funds).toEqual({ overrides: overrideOf(usdc), unfunded: [] })
  })

  test('nothing is changed where the sender has what it spends', async () => {
    const { task, funded } = taskWith({ [usdc]: [100n, 100n] })
    expect(await funding(task, assumed, [[usdc, 100n]])).toEqual({ overrides: {}, unfunded: [] })
    expect(funded).toEqual([])
  })

  test('a token whose balance no slot decides is left to be lent', async () => {
    const { task } = taskWith({ [usdc]: [0n, 0n], [dai]: [0n, 0n] }, { slotless: [dai] })
    const funds = await funding(task, assumed, [
      [usdc, 1n],
      [dai, 7n],
    ])
    expect(funds.unfunded.map(({ token: each, amount }) => [each, amount])).toEqual([[dai, 7n]])
    expect(funds.overrides).toEqual(overrideOf(usdc))
  })

  test('the sender of a delegate order has the delegate’s code, and its own funds still', async () => {
    const { task } = taskWith({ [usdc]: [0n, 0n] })
    const { overrides } = await funding(task, { ...assumed, strategy: 'delegate' }, [[usdc, 1n]])
    const code = `0xef0100${executorContracts.Delegate.address.slice(2)}`
    expect(overrides[sender]?.code?.toLowerCase()).toBe(code)
    expect(overrides[usdc]).toEqual(overrideOf(usdc)[usdc])
  })
})

describe('loans', () => {
  const loans = [{ token: dai, amount: 7n }]

  test('the runner holds what is lent, also that of a checked sender', async () => {
    const { task, funded } = taskWith({ [usdc]: [100n, 100n] })
    const { overrides } = await funding(task, { ...checked, loans }, [[usdc, 100n]])
    expect(funded).toEqual([{ token: dai, owner: runnerAddress('router', sender), balance: 7n }])
    expect(overrides).toEqual(overrideOf(dai))
  })

  test('nothing can be simulated where the balance of the runner cannot be overridden', async () => {
    const { task } = taskWith({}, { slotless: [dai] })
    await expect(funding(task, { ...assumed, loans }, [])).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
  })
})

describe('senderState', () => {
  const [small, large] = ['c', 'd'].map(token) as [Address, Address]
  const pool = (address: Address, tokens: readonly Address[]): Pool => ({
    protocol: 'uniswap-v2',
    id: address,
    address,
    tokens: [...tokens],
    parameters: {},
  })
  const funds = {
    sender: assumed,
    overrides: overrideOf(usdc),
    unfunded: [{ token: dai, amount: 7n }],
  }
  const lookUp = (pair: readonly [Address, Address]): Unreadable => ({
    protocol: 'uniswap-v2',
    subject: 'pair',
    pair,
    message: 'pruned',
  })

  test('a pool that holds the token sends it before the transaction, and before what the sender sends first', async () => {
    const { task } = taskWith({}, { lenders: [large] })
    const pools = [pool(small, [usdc]), pool(large, [dai, usdc])]
    const approval: PrecedingCall = { from: sender, to: usdc, data: '0x' }
    const funded = { ...funds, sender: { ...assumed, prerequisites: [approval] } }
    expect(await senderState(task, funded, async () => ({ pools, unreadable: [] }))).toEqual({
      before: [{ from: large, to: dai, data: '0x' }, approval],
      overrides: overrideOf(usdc),
    })
  })

  test('is permanently impossible when every look-up for a lender was answered', async () => {
    const { task } = taskWith({}, { lenders: [small, otherSender] })
    const unreadable = [lookUp([usdc, otherSender])]
    const lenders = async () => ({ pools: [pool(small, [usdc])], unreadable })
    await expect(senderState(task, funds, lenders)).rejects.toMatchObject({
      status: 422,
      details: { tokens: [dai], amounts: ['7'] },
    })
  })

  test('may become possible while a look-up of the token failed', async () => {
    const { task } = taskWith({})
    const lenders = async () => ({ pools: [], unreadable: [lookUp([usdc, dai])] })
    await expect(senderState(task, funds, lenders)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
    })
  })

  test('nobody is asked where overrides give all', async () => {
    const { task } = taskWith({})
    const given = { ...funds, unfunded: [] }
    const lenders = () => Promise.reject(new Error('No lender is needed.'))
    expect(await senderState(task, given, lenders)).toEqual({
      before: [],
      overrides: funds.overrides,
    })
  })
})
