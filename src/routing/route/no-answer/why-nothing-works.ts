/**
 * Looks why every candidate failed, once all have: a token that refuses to be moved is told from pools that fail, since
 * no other request for that token will do better.
 */
import { encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import type { RouteRequest } from '../../../domain/engine.js'
import { ForkrouteError } from '../../../domain/errors.js'
import { type Address, isNative } from '../../../domain/primitives.js'
import type { SimulationRequest } from '../../../domain/state.js'
import { decodeRevert } from '../../../forks/revert.js'
import { readWord } from '../../../protocols/shared/read-word.js'
import { quietly } from '../../../telemetry/quietly.js'
import type { Clock } from '../../block/clock.js'
import type { Simulator } from '../../block/simulator.js'
import { swapsOf } from '../../search/flow.js'
import { type Attempt, receiverOf } from '../built.js'
import { nothingProven } from '../failures.js'

/** Pools of each end that transfers are tried with. */
const mostPools = 4

/** Holds nothing and is no pool. */
const bystander: Address = '0x00000000000000000000000000000000000b1a2d'

/** Errors that tokens refuse transfers with. */
const tokenErrors = parseAbi([
  'error Frozen()',
  'error Paused()',
  'error EnforcedPause()',
  'error Blacklisted(address account)',
  'error AccountFrozen(address account)',
  'error TransferFailed()',
  'error TransfersDisabled()',
  'error TradingNotEnabled()',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidSender(address sender)',
])

/** Who is to pay whom, and in which state. */
type Transfer = Pick<SimulationRequest, 'from' | 'before' | 'overrides'> & {
  readonly token: Address
  readonly to: Address
  readonly amount: bigint
}

interface Refusal {
  readonly token: Address
  readonly message: string
  readonly reason: string
  /** The parameter of the request that names the token. */
  readonly parameter: 'tokenIn' | 'tokenOut'
}

/** @returns STATE_UNAVAILABLE, DEADLINE_EXCEEDED or SIMULATION_REVERTED, which names the token where that is the reason. */
export async function whyNothingWorks(
  task: { readonly simulator: Pick<Simulator, 'simulate'>; readonly clock: Pick<Clock, 'isLate'> },
  attempts: readonly Attempt[],
  request: RouteRequest,
): Promise<ForkrouteError> {
  const error = nothingProven(attempts, request)
  if (error.code !== 'SIMULATION_REVERTED' || task.clock.isLate()) return error
  const refusal =
    (await inputRefusal(task, attempts, request)) ?? (await outputRefusal(task, attempts, request))
  if (!refusal) return error
  const { token, message, reason, parameter } = refusal
  return new ForkrouteError('SIMULATION_REVERTED', message, {
    ...error.details,
    token,
    reason,
    next: [{ parameter }],
  })
}

/** Whether the one token that goes in cannot be moved, or cannot be moved to any of the first pools. */
async function inputRefusal(
  task: { readonly simulator: Pick<Simulator, 'simulate'> },
  attempts: readonly Attempt[],
  { inputs, fromAddress }: RouteRequest,
): Promise<Refusal | null> {
  const [input, ...others] = inputs
  const [first] = attempts
  if (!input || others.length > 0 || isNative(input.token) || !first) return null
  const { token } = input
  const { before, overrides } = first.built.simulationState
  const amount = first.built.taken[0]?.amount ?? input.amount
  const paid = { token, amount, from: fromAddress, before, overrides }
  const pools = poolsThatTake(token, attempts)
  const [toBystander, ...toPools] = await reasonsOf(task, [
    { ...paid, to: bystander },
    ...pools.map((to): Transfer => ({ ...paid, to })),
  ])
  if (toBystander) {
    return {
      token,
      parameter: 'tokenIn',
      reason: toBystander,
      message: `${token} cannot be sold: it refuses even a plain transfer of ${amount} (${toBystander}).`,
    }
  }
  const [reason] = toPools
  if (!reason || toPools.some((each) => !each)) return null
  return {
    token,
    parameter: 'tokenIn',
    reason,
    message: `${token} cannot be sold: it refuses transfers to the pools that trade it (${reason}), though others may receive it. Tokens that can be bought and not sold are a known trap.`,
  }
}

/** Whether no pool can pay out the one token that comes out, of which at least one holds some. */
async function outputRefusal(
  task: { readonly simulator: Pick<Simulator, 'simulate'> },
  attempts: readonly Attempt[],
  request: RouteRequest,
): Promise<Refusal | null> {
  const [token, ...others] = request.tokensOut
  if (!token || others.length > 0 || isNative(token)) return null
  const pools = poolsThatGive(token, attempts)
  const reasons = await reasonsOf(
    task,
    pools.map((from) => ({
      token,
      from,
      to: receiverOf(request),
      amount: 1n,
      before: [],
      overrides: {},
    })),
  )
  const [reason] = reasons
  if (!reason || reasons.some((each) => !each)) return null
  // Some venues pay from elsewhere, or issue what they pay: that these hold nothing says nothing of the token.
  const held = await balancesOf(task, token, pools)
  if (held.every((balance) => balance === 0n)) return null
  return {
    token,
    parameter: 'tokenOut',
    reason,
    message: `${token} cannot be bought: it refuses transfers from the pools that trade it (${reason}).`,
  }
}

function poolsThatTake(token: Address, attempts: readonly Attempt[]): Address[] {
  const pools = attempts.flatMap(({ built }) =>
    built.candidate.edges.flatMap(({ hop }) =>
      hop.kind === 'swap' && hop.tokenIn === token ? [hop.market.loaded.pool.address] : [],
    ),
  )
  return [...new Set(pools)].slice(0, mostPools)
}

function poolsThatGive(token: Address, attempts: readonly Attempt[]): Address[] {
  const pools = attempts.flatMap(({ built }) =>
    swapsOf(built.candidate).flatMap(({ loaded }) =>
      loaded.pool.tokens.includes(token) ? [loaded.pool.address] : [],
    ),
  )
  return [...new Set(pools)].slice(0, mostPools)
}

/** Why each transfer is refused; null where it succeeds, or where that cannot be told. */
async function reasonsOf(
  task: { readonly simulator: Pick<Simulator, 'simulate'> },
  transfers: readonly Transfer[],
): Promise<(string | null)[]> {
  const results = await tried(
    task,
    transfers.map(({ token, to, amount, ...sender }) => ({
      ...sender,
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
      value: 0n,
    })),
  )
  return transfers.map((_transfer, index) => {
    const result = results?.[index]
    // What has used no gas was refused before it ran, which says nothing of the token.
    return result?.status === 'reverted' && result.gasUsed > 0n
      ? decodeRevert(result.returnData, tokenErrors)
      : null
  })
}

/** Raw units of the token that each holds; null where that cannot be told. */
async function balancesOf(
  task: { readonly simulator: Pick<Simulator, 'simulate'> },
  token: Address,
  owners: readonly Address[],
): Promise<(bigint | null)[]> {
  const results = await tried(
    task,
    owners.map((owner) => ({
      from: owner,
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
      value: 0n,
      before: [],
      overrides: {},
    })),
  )
  return owners.map((_owner, index) => {
    const result = results?.[index]
    return result?.status === 'success' ? readWord({ ok: true, value: result.returnData }) : null
  })
}

async function tried(
  { simulator }: { readonly simulator: Pick<Simulator, 'simulate'> },
  calls: readonly SimulationRequest[],
) {
  if (!calls.length) return []
  return quietly(
    simulator.simulate(calls),
    'A failure is told without its reason where a call cannot be tried, as in a cassette without its state.',
  )
}
