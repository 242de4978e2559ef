/**
 * The account that a transaction is simulated from, in one place, for routes, bundles, stated outputs and executions.
 * `fundSender` checks its funds (user routes) or overrides them (quotes, backend mode) and gives it the code that a
 * delegate strategy runs; `senderState` has pools lend to it what no override can give. Two steps, since a route has many
 * transactions of one sender, and reads its funds before it knows the pools.
 */
import { concatHex, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { readDecimals } from '../../catalog/token-facts.js'
import { unreadable } from '../../domain/common-errors.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { larger } from '../../domain/lists.js'
import {
  type Address,
  isNative,
  nativeDecimals,
  type TokenAmount,
} from '../../domain/primitives.js'
import {
  mergeOverrides,
  type PrecedingCall,
  type ReadResult,
  type SimulationRequest,
  type StateOverrides,
  type StateReader,
} from '../../domain/state.js'
import { runnerAddress } from '../../executor/compile.js'
import { executorContracts, quoteSender } from '../../executor/deployments.js'
import { isDelegate, spenderOf } from '../../executor/strategies.js'
import type { Pool, Unreadable } from '../../protocols/pool.js'
import { quietly } from '../../telemetry/quietly.js'
import type { ArchiveReads } from '../block/archive-reads.js'
import type { Simulator } from '../block/simulator.js'
import type { Task } from '../block/task.js'
import { insufficientAllowance, insufficientBalance } from './lacking-funds.js'

const erc20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

/** What of a task decides about its sender. */
export interface SenderSource {
  readonly pin: Pick<Task['pin'], 'chainId' | 'number'>
  readonly reader: Pick<StateReader, 'call'>
  readonly archive: Pick<ArchiveReads, 'nativeBalance'>
  readonly simulator: Pick<Simulator, 'fund' | 'fundFromHolder'>
}

export interface Sender extends Pick<RouteRequest, 'strategy' | 'fromAddress'> {
  /** True: its own funds must suffice; false: what it lacks is given to it. */
  readonly isChecked: boolean
  /** Whom the sender must have allowed to take its inputs; null: nobody; absent: the contract of the strategy. */
  readonly puller?: Address | null
  /** Tokens that the runner holds although the transaction, simulated by itself, brings none of them there. */
  readonly loans?: readonly TokenAmount[]
  /** Transactions that are assumed to be sent before; those of a checked sender are looked for at the block. */
  readonly prerequisites?: readonly PrecedingCall[]
}

/** A sender with what it spends, from which the state of each of its transactions follows. */
export interface FundedSender {
  readonly sender: Sender
  /** Overrides that all simulated transactions of the sender share. */
  readonly overrides: StateOverrides
  /** Tokens whose balance cannot be overridden by slots: a holder must send them before each simulated transaction. */
  readonly unfunded: readonly TokenAmount[]
}

/** Pools that may lend to one transaction: those it does not use, since what they lend changes them. */
export interface Lenders {
  readonly pools: readonly Pool[]
  /** Look-ups that might have found a further one. */
  readonly unreadable: readonly Unreadable[]
}

/** What a simulation changes before the transaction runs. */
export type SimulationState = Required<Pick<SimulationRequest, 'before' | 'overrides'>>

/** The state with these overrides on top. */
export function withOverrides(
  { before, overrides }: SimulationState,
  ...more: readonly StateOverrides[]
): SimulationState {
  return { before, overrides: mergeOverrides(overrides, ...more) }
}

/**
 * @param inputs - raw units that are pulled from the sender.
 * @throws ForkrouteError as `checkFunds` for a checked sender; STATE_UNAVAILABLE where a loan cannot be overridden.
 */
export async function fundSender(
  task: SenderSource,
  sender: Sender,
  inputs: readonly TokenAmount[],
): Promise<FundedSender> {
  if (sender.isChecked) await checkFunds(task, sender, inputs)
  const given = sender.isChecked ? [] : await givenFunds(task, sender, inputs)
  const lent = await putLoans(task, sender)
  return {
    sender,
    overrides: mergeOverrides(
      codeOf(sender),
      ...given.flatMap(({ overrides }) => overrides ?? []),
      ...lent,
    ),
    unfunded: given.filter(({ overrides }) => overrides === null),
  }
}

/**
 * The state in which one transaction of the sender is simulated. What overrides cannot give is sent to it by pools that
 * hold it.
 *
 * @param lenders - is asked only where something has to be lent.
 * @throws ForkrouteError NOT_FUNDABLE where no pool can; STATE_UNAVAILABLE where one may not have been found.
 */
export async function senderState(
  task: Pick<SenderSource, 'simulator'>,
  funded: FundedSender,
  lenders: (unfunded: FundedSender['unfunded']) => Promise<Lenders>,
): Promise<SimulationState> {
  const { unfunded } = funded
  const { pools, unreadable: unread } = unfunded.length
    ? await lenders(unfunded)
    : { pools: [], unreadable: [] }
  const state = await stateWithLoans(task, funded, pools)
  if (!state) throw notFundable(funded, unread)
  return state
}

/** `senderState` with these pools as lenders; null where none of them can lend what is needed. */
export async function stateWithLoans(
  task: Pick<SenderSource, 'simulator'>,
  { sender, overrides, unfunded }: FundedSender,
  lenders: readonly Pool[],
): Promise<SimulationState | null> {
  const calls = await Promise.all(
    unfunded.map(({ token, amount }) => {
      const holders = lenders
        .filter(({ tokens }) => tokens.includes(token))
        .map(({ address }) => address)
      return task.simulator.fundFromHolder({
        token,
        owner: sender.fromAddress,
        amount,
        spender: spenderFor(sender),
        holders: [...new Set(holders)],
      })
    }),
  )
  if (!calls.every((plan) => plan !== null)) return null
  return { before: [...calls.flat(), ...(sender.prerequisites ?? [])], overrides }
}

/**
 * At the block nothing changes about it, so it is no error that passes; unless a look-up failed that could have found
 * a pool to lend.
 */
export function notFundable(
  { unfunded }: Pick<FundedSender, 'unfunded'>,
  unread: readonly Unreadable[],
): ForkrouteError {
  const tokens = unfunded.map(({ token }) => token)
  if (unread.some(({ pair }) => pair?.some((token) => tokens.includes(token)))) {
    return new ForkrouteError(
      'STATE_UNAVAILABLE',
      `No storage slot decides a balance of ${tokens.join(', ')}, and not every pool that might lend it could be looked up at this block.`,
      { tokens },
    )
  }
  const amounts = unfunded.map(({ amount }) => amount.toString())
  const missing = unfunded.map(({ token, amount }) => `${amount} of ${token}`).join(', ')
  return new ForkrouteError(
    'NOT_FUNDABLE',
    `The sender cannot be given ${missing} for the simulation: no storage slot decides such a balance, and no pool off the path holds so much to lend. Ask for less, or for a route from an address that holds it.`,
    { tokens, amounts, next: [{ parameter: 'amountIn' }, { parameter: 'fromAddress' }] },
  )
}

function spenderFor({ strategy, puller }: Sender): Address | null {
  return puller === undefined ? spenderOf(strategy) : puller
}

/**
 * What the sender spends, as the block has it.
 * @throws ForkrouteError INSUFFICIENT_BALANCE, INSUFFICIENT_ALLOWANCE, STATE_UNAVAILABLE, NO_ROUTE for a non-token.
 */
export async function checkFunds(
  task: SenderSource,
  sender: Sender,
  inputs: readonly TokenAmount[],
): Promise<void> {
  const owner = sender.fromAddress
  const spender = spenderFor(sender)
  const asked = { pin: task.pin, strategy: sender.strategy, owner, spender }
  const checks = await Promise.allSettled(
    inputs.map(async ({ token, amount: required }) => {
      const [balance, allowance] = isNative(token)
        ? [await task.archive.nativeBalance(owner), null]
        : await readErc20(task, token, owner, spender)
      if (balance < required) {
        const decimals = isNative(token) ? nativeDecimals : await decimalsOf(task, token)
        throw insufficientBalance({ ...asked, token, required, actual: balance }, decimals)
      }
      if (allowance !== null && allowance < required) {
        throw insufficientAllowance({ ...asked, token, required, actual: allowance })
      }
    }),
  )
  // The first token's problem is thrown, whichever read finished first, so that equal requests get equal errors.
  for (const check of checks) if (check.status === 'rejected') throw check.reason
}

/** Balance and allowance at the block, raw units; zero where they cannot be read. */
async function held(
  task: SenderSource,
  token: Address,
  owner: Address,
  spender: Address | null,
): Promise<[balance: bigint, allowance: bigint]> {
  if (owner === quoteSender) return [0n, 0n]
  if (isNative(token)) return [await task.archive.nativeBalance(owner), 0n]
  try {
    const [balance, allowance] = await readErc20(task, token, owner, spender)
    return [balance, allowance ?? 0n]
  } catch (error) {
    if (error instanceof ForkrouteError && notHeld.has(error.code)) return [0n, 0n]
    throw error
  }
}

/** These failures are left to the simulation to report. */
const notHeld: ReadonlySet<string> = new Set(['NO_ROUTE', 'STATE_UNAVAILABLE'])

/**
 * Overrides that give the sender at least amountIn of each token, and the spender its allowance; null where no slot
 * decides the balance. Existing funds are kept: spending the last of a balance or an allowance earns a gas refund that
 * keeping a rest does not.
 */
function givenFunds(task: SenderSource, sender: Sender, inputs: readonly TokenAmount[]) {
  const owner = sender.fromAddress
  const spender = spenderFor(sender)
  return Promise.all(
    inputs.map(async ({ token, amount }) => {
      const [balance, allowance] = await held(task, token, owner, spender)
      if (balance >= amount && (allowance >= amount || spender === null || isNative(token))) {
        return { token, amount, overrides: {} }
      }
      const overrides = await task.simulator.fund(token, owner, {
        balance: larger(balance, amount),
        ...(spender && { spender, allowance: larger(allowance, amount) }),
      })
      return { token, amount, overrides }
    }),
  )
}

async function putLoans(
  task: SenderSource,
  { strategy, fromAddress, loans = [] }: Sender,
): Promise<StateOverrides[]> {
  if (!loans.length) return []
  const runner = runnerAddress(strategy, fromAddress)
  const put = await Promise.all(
    loans.map(({ token, amount }) => task.simulator.fund(token, runner, { balance: amount })),
  )
  return put.map((overrides, index) => {
    if (overrides) return overrides
    const token = loans[index]?.token
    throw new ForkrouteError(
      'STATE_UNAVAILABLE',
      `The bundle cannot be simulated: no storage slot decides a balance of the borrowed token ${token}, so the loan cannot be put there.`,
      { token },
    )
  })
}

/**
 * What lets an account run a delegate's order: as EIP-7702 accounts do, so that their gas is exact (being paid in the
 * native token costs them more than code of their own). Our contracts are on the forks: the pool places them where
 * they are absent.
 */
function codeOf({ strategy, fromAddress }: Sender): StateOverrides {
  if (!isDelegate(strategy)) return {}
  return { [fromAddress]: { code: concatHex(['0xef0100', executorContracts.Delegate.address]) } }
}

async function readErc20(
  task: SenderSource,
  token: Address,
  owner: Address,
  spender: Address | null,
): Promise<[bigint, bigint | null]> {
  const calls = [
    {
      to: token,
      data: encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner] }),
    },
  ]
  if (spender) {
    const data = encodeFunctionData({
      abi: erc20,
      functionName: 'allowance',
      args: [owner, spender],
    })
    calls.push({ to: token, data })
  }
  const [balance, allowance] = await task.reader.call(calls)
  return [
    decode(token, 'balanceOf', balance),
    spender ? decode(token, 'allowance', allowance) : null,
  ]
}

/** Tokens that claim more are not believed. */
const mostDecimals = 36

/** Null where the token does not tell them. */
async function decimalsOf(task: SenderSource, token: Address): Promise<number | null> {
  const asked = readDecimals(task.reader, token)
  const decimals = await quietly(asked, 'Without decimals an amount is told in raw units alone.')
  return typeof decimals === 'number' && decimals <= mostDecimals ? decimals : null
}

function decode(
  token: Address,
  functionName: 'balanceOf' | 'allowance',
  result: ReadResult | undefined,
): bigint {
  if (result?.ok && result.value.length >= 66) {
    return decodeFunctionResult({ abi: erc20, functionName, data: result.value })
  }
  if (result?.ok || result?.reason === 'reverted') {
    throw new ForkrouteError(
      'NO_ROUTE',
      `${token} is no token at this block. Check the address, and that chainId names the chain of the token.`,
      { token, next: [{ parameter: 'tokenIn' }, { parameter: 'chainId' }] },
    )
  }
  throw unreadable(`${functionName} of ${token}`, { token })
}
