/**
 * The sender's funds: checked (user routes), or overridden for the simulation (quotes, backend mode).
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { unreadable } from '../../domain/common-errors.js'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { type Address, isNative, type TokenAmount } from '../../domain/primitives.js'
import {
  mergeOverrides,
  type PrecedingCall,
  type ReadResult,
  type StateOverrides,
} from '../../domain/state.js'
import { quoteSender } from '../../executor/deployments.js'
import { spenderOf } from '../../executor/strategies.js'
import type { Pool } from '../../protocols/pool.js'
import type { TaskRun } from '../context/task-context.js'

const erc20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

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
 * Throws when balance or allowance at the block is below amountIn; the simulation uses the real funds.
 * @throws ForkrouteError INSUFFICIENT_BALANCE, INSUFFICIENT_ALLOWANCE, STATE_UNAVAILABLE, NO_ROUTE for a non-token.
 */
export async function checkFunds(run: TaskRun, request: Spending): Promise<Funds> {
  const owner = request.fromAddress
  const spender = spenderFor(request)
  const checks = await Promise.allSettled(
    request.inputs.map(async ({ token, amount: required }) => {
      const [balance, allowance] = isNative(token)
        ? [await run.nativeBalance(owner), null]
        : await readErc20(run, token, owner, spender)
      if (balance < required) {
        throw new ForkrouteError(
          'INSUFFICIENT_BALANCE',
          `${owner} holds ${balance} of ${token} at block ${run.pin.number}, ${required} are needed.`,
          facts(token, owner, spender, required, balance),
        )
      }
      if (allowance !== null && allowance < required) {
        throw new ForkrouteError(
          'INSUFFICIENT_ALLOWANCE',
          `${owner} allows ${spender} ${allowance} of ${token} at block ${run.pin.number}, ${required} are needed.`,
          facts(token, owner, spender, required, allowance),
        )
      }
    }),
  )
  // Of several problems always the first token's, whichever read finished first.
  for (const check of checks) if (check.status === 'rejected') throw check.reason
  return { overrides: {}, unfunded: [] }
}

/** Balance and allowance at the block, raw units; zero where they cannot be read. */
async function held(
  run: TaskRun,
  token: Address,
  owner: Address,
  spender: Address | null,
): Promise<[balance: bigint, allowance: bigint]> {
  if (owner === quoteSender) return [0n, 0n]
  if (isNative(token)) return [await run.nativeBalance(owner), 0n]
  try {
    const [balance, allowance] = await readErc20(run, token, owner, spender)
    return [balance, allowance ?? 0n]
  } catch (error) {
    if (error instanceof ForkrouteError && notHeld.has(error.code)) return [0n, 0n]
    throw error
  }
}

/** These failures are left to the simulation to report. */
const notHeld: ReadonlySet<string> = new Set(['NO_ROUTE', 'STATE_UNAVAILABLE'])

export interface Funds {
  readonly overrides: StateOverrides
  /** Tokens whose balance cannot be overridden by slots: a holder must send them before each simulated transaction. */
  readonly unfunded: readonly TokenAmount[]
}

/**
 * Overrides that give the sender at least amountIn of each token, and the spender its allowance. Existing funds are
 * kept: spending the last of a balance or an allowance earns a gas refund that keeping a rest does not.
 */
export async function overrideFunds(run: TaskRun, request: Spending): Promise<Funds> {
  const owner = request.fromAddress
  const spender = spenderFor(request)
  const found = await Promise.all(
    request.inputs.map(async ({ token, amount }) => {
      const [balance, allowance] = await held(run, token, owner, spender)
      if (balance >= amount && (allowance >= amount || spender === null || isNative(token))) {
        return { token, amount, overrides: {} }
      }
      const overrides = await run.fund(token, owner, {
        balance: larger(balance, amount),
        ...(spender && { spender, allowance: larger(allowance, amount) }),
      })
      return { token, amount, overrides }
    }),
  )
  return {
    overrides: mergeOverrides(...found.flatMap(({ overrides }) => overrides ?? [])),
    unfunded: found.filter(({ overrides }) => overrides === null),
  }
}

/**
 * Calls that run before a candidate and fund what overrides cannot: the tokens are sent by pools that hold them and
 * are not on the candidate's path. Null when there is no such pool.
 *
 * @param onPath - addresses of the candidate's pools.
 */
export async function callsThatFund(
  run: TaskRun,
  request: Omit<Spending, 'inputs'>,
  { unfunded }: Funds,
  pools: readonly Pool[],
  onPath: ReadonlySet<Address>,
): Promise<readonly PrecedingCall[] | null> {
  const owner = request.fromAddress
  const spender = spenderFor(request)
  const calls = await Promise.all(
    unfunded.map(({ token, amount }) => {
      const holders = pools
        .filter(({ address, tokens }) => tokens.includes(token) && !onPath.has(address))
        .map(({ address }) => address)
      return run.fundFromHolder(token, owner, amount, spender, [...new Set(holders)])
    }),
  )
  return calls.every((plan) => plan !== null) ? calls.flat() : null
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function facts(
  token: Address,
  owner: Address,
  spender: Address | null,
  required: bigint,
  actual: bigint,
) {
  return { token, owner, spender, required: required.toString(), actual: actual.toString() }
}

async function readErc20(
  run: TaskRun,
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
  const [balance, allowance] = await run.reader.call(calls)
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
