/**
 * The account that a transaction is simulated from, in one place: its funds are checked (user routes) or overridden
 * (quotes, backend mode), it has the code that a delegate strategy runs, and what no override can give is lent to it.
 */
import { concatHex, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { unreadable } from '../../domain/common-errors.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { larger } from '../../domain/lists.js'
import { type Address, isNative, type TokenAmount } from '../../domain/primitives.js'
import {
  mergeOverrides,
  type ReadResult,
  type SimulationRequest,
  type StateOverrides,
  type StateReader,
} from '../../domain/state.js'
import { executorContracts, quoteSender } from '../../executor/deployments.js'
import { isDelegate, spenderOf } from '../../executor/strategies.js'
import type { Pool } from '../../protocols/pool.js'
import type { ArchiveReads } from '../block/archive-reads.js'
import type { Simulator } from '../block/simulator.js'
import type { Task } from '../block/task.js'

const erc20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

/** What of a task decides about its sender. */
export interface SenderSource {
  readonly pin: Pick<Task['pin'], 'number'>
  readonly reader: Pick<StateReader, 'call'>
  readonly archive: Pick<ArchiveReads, 'nativeBalance'>
  readonly simulator: Pick<Simulator, 'fund' | 'fundFromHolder'>
}

/** What is pulled from whom. */
export interface Spending extends Pick<RouteRequest, 'strategy' | 'fromAddress'> {
  readonly inputs: readonly TokenAmount[]
  /** Whom the sender must have allowed to take them; null: nobody; absent: the contract of the strategy. */
  readonly puller?: Address | null
}

function spenderFor({ strategy, puller }: Omit<Spending, 'inputs'>): Address | null {
  return puller === undefined ? spenderOf(strategy) : puller
}

/**
 * What the sender spends, as the block has it.
 * @throws ForkrouteError INSUFFICIENT_BALANCE, INSUFFICIENT_ALLOWANCE, STATE_UNAVAILABLE, NO_ROUTE for a non-token.
 */
export async function checkedFunds(task: SenderSource, request: Spending): Promise<SenderFunds> {
  const owner = request.fromAddress
  const spender = spenderFor(request)
  const checks = await Promise.allSettled(
    request.inputs.map(async ({ token, amount: required }) => {
      const [balance, allowance] = isNative(token)
        ? [await task.archive.nativeBalance(owner), null]
        : await readErc20(task, token, owner, spender)
      if (balance < required) {
        throw new ForkrouteError(
          'INSUFFICIENT_BALANCE',
          `${owner} holds ${balance} of ${token} at block ${task.pin.number}, ${required} are needed.`,
          facts({ token, owner, spender, required, actual: balance }),
        )
      }
      if (allowance !== null && allowance < required) {
        throw new ForkrouteError(
          'INSUFFICIENT_ALLOWANCE',
          `${owner} allows ${spender} ${allowance} of ${token} at block ${task.pin.number}, ${required} are needed.`,
          facts({ token, owner, spender, required, actual: allowance }),
        )
      }
    }),
  )
  // The first token's problem is thrown, whichever read finished first, so that equal requests get equal errors.
  for (const check of checks) if (check.status === 'rejected') throw check.reason
  return { overrides: codeOf(request), unfunded: [] }
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

export interface SenderFunds {
  /** Overrides that all simulated transactions of the sender share. */
  readonly overrides: StateOverrides
  /** Tokens whose balance cannot be overridden by slots: a holder must send them before each simulated transaction. */
  readonly unfunded: readonly TokenAmount[]
}

/**
 * Overrides that give the sender at least amountIn of each token, and the spender its allowance. Existing funds are
 * kept: spending the last of a balance or an allowance earns a gas refund that keeping a rest does not.
 */
export async function assumedFunds(task: SenderSource, request: Spending): Promise<SenderFunds> {
  const owner = request.fromAddress
  const spender = spenderFor(request)
  const found = await Promise.all(
    request.inputs.map(async ({ token, amount }) => {
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
  return {
    overrides: mergeOverrides(
      codeOf(request),
      ...found.flatMap(({ overrides }) => overrides ?? []),
    ),
    unfunded: found.filter(({ overrides }) => overrides === null),
  }
}

/** What a simulation changes before the transaction runs. */
export type SimulationState = Required<Pick<SimulationRequest, 'before' | 'overrides'>>

/**
 * The state in which one transaction of the sender is simulated. What overrides cannot give is sent to it by pools that
 * hold it; null when no pool can.
 *
 * @param lenders - pools that the transaction does not use, since what they lend changes them.
 */
export async function senderState(
  task: Pick<SenderSource, 'simulator'>,
  sender: Omit<Spending, 'inputs'>,
  { overrides, unfunded }: SenderFunds,
  lenders: readonly Pool[],
): Promise<SimulationState | null> {
  const owner = sender.fromAddress
  const spender = spenderFor(sender)
  const calls = await Promise.all(
    unfunded.map(({ token, amount }) => {
      const holders = lenders
        .filter(({ tokens }) => tokens.includes(token))
        .map(({ address }) => address)
      return task.simulator.fundFromHolder({
        token,
        owner,
        amount,
        spender,
        holders: [...new Set(holders)],
      })
    }),
  )
  return calls.every((plan) => plan !== null) ? { before: calls.flat(), overrides } : null
}

/**
 * What lets an account run a delegate's order: as EIP-7702 accounts do, so that their gas is exact (being paid in the
 * native token costs them more than code of their own). Our contracts are on the forks: the pool places them where
 * they are absent.
 */
function codeOf({ strategy, fromAddress }: Omit<Spending, 'inputs'>): StateOverrides {
  if (!isDelegate(strategy)) return {}
  return { [fromAddress]: { code: concatHex(['0xef0100', executorContracts.Delegate.address]) } }
}

function facts(lacking: {
  readonly token: Address
  readonly owner: Address
  readonly spender: Address | null
  readonly required: bigint
  readonly actual: bigint
}) {
  const { token, owner, spender, required, actual } = lacking
  return { token, owner, spender, required: required.toString(), actual: actual.toString() }
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

function decode(
  token: Address,
  functionName: 'balanceOf' | 'allowance',
  result: ReadResult | undefined,
): bigint {
  if (result?.ok && result.value.length >= 66) {
    return decodeFunctionResult({ abi: erc20, functionName, data: result.value })
  }
  if (result?.ok || result?.reason === 'reverted') {
    throw new ForkrouteError('NO_ROUTE', `${token} is no token at this block.`, { token })
  }
  throw unreadable(`${functionName} of ${token}`, { token })
}
