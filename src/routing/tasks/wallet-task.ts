/** Balances and approvals of a wallet at one block. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { unreadable } from '../../domain/common-errors.js'
import type { GasFacts } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { RoutingStrategy, UnsignedTransaction } from '../../domain/order.js'
import {
  type Address,
  type Hex,
  isNative,
  nativeToken,
  type Token,
} from '../../domain/primitives.js'
import { isDelegate, strategyContract } from '../../executor/strategies.js'
import type { Task } from '../block/task.js'
import { gasWarnings } from '../route/warnings.js'
import { bulkBalances, bulkCalls, toAmount } from './bulk-balances.js'

/** The most tokens of imported pools to check besides the listed ones. */
const maxImportedTokens = 5_000

export interface BalancesArgs {
  readonly owner: Address
  /** They are checked besides the listed tokens and those of imported pools. */
  readonly tokens: readonly Address[]
}

export interface Balance {
  readonly token: Token
  /** Raw units. */
  readonly amount: bigint
  readonly priceUsd: number | null
}

/**
 * Non-zero balances: native first, then in list order, then other tokens by address. Checks the tokens of the lists,
 * those of imported pools, and `tokens`. Addresses that are no token or cannot be read are left out.
 */
export async function readBalances(
  task: Task,
  { owner, tokens }: BalancesArgs,
): Promise<Balance[]> {
  const known = tokensOf(task, tokens)
  const { reader, archive } = task
  const callNode = (to: Address, data: Hex) => archive.callNode(to, data)
  const [native, balances] = await Promise.all([
    archive.nativeBalance(owner),
    bulkBalances({ reader, callNode }, owner, known),
  ])
  const held = known.flatMap((address): [Address, bigint][] => {
    const amount = balances.get(address)
    return amount === undefined ? [] : [[address, amount]]
  })
  const all: readonly [Address, bigint][] = native ? [[nativeToken, native], ...held] : held
  const found = await Promise.all(
    all.map(async ([address, amount]) => {
      const found = await task.facts.tokenWithPrice(task.reader, address)
      return found && { token: found.token, amount, priceUsd: found.price?.priceUsd ?? null }
    }),
  )
  return found.filter((balance) => balance !== null)
}

function tokensOf(task: Task, more: readonly Address[]): Address[] {
  const { id } = task.chain
  const { tokens } = task.settings
  const listed = tokens.flatMap(({ chainId, address }) => (chainId === id ? [address] : []))
  const others = [...more, ...task.facts.tokensOfKnownPools(maxImportedTokens)]
  return [...new Set([...listed, ...others.toSorted()])].filter((token) => !isNative(token))
}

/**
 * Which tokens are on the chain at the block: those that tell a balance.
 * @returns in the order asked; the native token is always among them.
 */
export async function findPresentTokens(
  task: Task,
  { tokens }: { readonly tokens: readonly Address[] },
): Promise<Address[]> {
  const { reader, archive } = task
  const contracts = tokens.filter((token) => !isNative(token))
  const answers = await bulkCalls(
    { reader, callNode: (to, data) => archive.callNode(to, data) },
    contracts.map((to) => ({ to, data: balanceOfNobody })),
  )
  const present = new Set(contracts.filter((_, index) => toAmount(answers[index] ?? null) !== null))
  return tokens.filter((token) => isNative(token) || present.has(token))
}

/** The call of an ERC-20 that every token answers. */
const balanceOfNobody = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'balanceOf',
  args: ['0x000000000000000000000000000000000000dEaD'],
})

const needless =
  'No allowance is needed: with a delegate strategy the account spends its own tokens.'

export interface ApprovalArgs {
  readonly owner: Address
  readonly token: Address
  readonly strategy: RoutingStrategy
  /** Raw units. */
  readonly amount: bigint
}

export interface Approval extends GasFacts {
  readonly tx: UnsignedTransaction
  readonly spender: Address
}

/** The transaction with which the owner allows the strategy's contract to spend its token. */
export async function buildApproval(
  task: Task,
  { owner, token, strategy, amount }: ApprovalArgs,
): Promise<Approval> {
  const spender = strategyContract(strategy)
  // A call to an address without code would succeed without effect.
  if (!(await task.archive.hasCode(token))) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `tokenAddress ${token} is no contract at this block. Check the address, and that chainId names the chain of the token.`,
      { token, next: [{ parameter: 'tokenAddress' }, { parameter: 'chainId' }] },
    )
  }
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender, amount],
  })
  const [result] = await task.simulator.simulate([
    { from: owner, to: token, data, value: 0n, overrides: {} },
  ])
  if (result?.status === 'success') {
    const warnings = [...(isDelegate(strategy) ? [needless] : []), ...gasWarnings(task)]
    const tx = { from: owner, to: token, data, value: 0n }
    return { tx, gas: result.gasUsed, spender, ...(warnings.length > 0 && { warnings }) }
  }
  if (result?.status === 'reverted') {
    const { reason } = result
    const allowance = await allowanceToClear(task, { owner, token, spender, amount })
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      allowance === null
        ? `The token refuses the approval: ${reason}.`
        : `The token refuses the approval: ${owner} allows ${spender} ${allowance} already, and this token changes an allowance only from zero. Approve 0 first, then ${amount}.`,
      { token, spender, reason, ...(allowance !== null && { allowance: allowance.toString() }) },
    )
  }
  throw unreadable(`The state of ${token}`, { token })
}

/** The allowance that must become zero before the token accepts another; null where that is not why it refuses. */
async function allowanceToClear(
  task: Task,
  args: {
    readonly owner: Address
    readonly token: Address
    readonly spender: Address
    readonly amount: bigint
  },
): Promise<bigint | null> {
  const { owner, token, spender, amount } = args
  const approval = (value: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, value] })
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'allowance',
    args: [owner, spender],
  })
  const [allowed] = await task.reader.call([{ to: token, data }])
  if (!allowed?.ok || !/^0x[0-9a-f]{64}$/.test(allowed.value) || BigInt(allowed.value) === 0n) {
    return null
  }
  const call = { from: owner, to: token }
  const [cleared] = await task.simulator.simulate([
    {
      ...call,
      data: approval(amount),
      value: 0n,
      overrides: {},
      before: [{ ...call, data: approval(0n) }],
    },
  ])
  return cleared?.status === 'success' ? BigInt(allowed.value) : null
}
