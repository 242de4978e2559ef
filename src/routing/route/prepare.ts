/** What a route is calculated from: the market that it may use, its terms, and what the sender has to spend. */
import { unlessUnreadable } from '../../domain/common-errors.js'
import type { RequestInput, RouteRequest } from '../../domain/engine.js'
import type { RefusedPool } from '../../domain/explanation.js'
import type { OrderInput } from '../../domain/order.js'
import { type Address, bpsDenominator, type Hex } from '../../domain/primitives.js'
import type { ProofMode } from '../../domain/router-settings.js'
import { runnerAddress } from '../../executor/compile.js'
import { quoteSender } from '../../executor/deployments.js'
import type { SignedPermit } from '../../executor/permit.js'
import type { Unreadable } from '../../protocols/pool.js'
import type { Task } from '../block/task.js'
import type { MarketPool } from '../market/market-view.js'
import type { Flow } from '../search/flow.js'
import { receiverOf } from './built.js'
import type { RouteLog } from './explain.js'
import { type OpenSearch, openSearch } from './open-search.js'
import { deadlineOf } from './order-deadline.js'
import { choosePermit, pullerOf } from './permit.js'
import { learnTokens } from './read-ahead.js'
import { type FundedSender, fundSender, type Sender } from './sender-state.js'
import { refuseUsedTag } from './used-tag.js'
import { unreadableWarnings } from './warnings.js'

export interface RouteArgs {
  readonly mode: 'route' | 'quote'
  readonly request: RouteRequest
  readonly accountId: Hex
  /** For a route inside a bundle, of which all candidates are simulated. */
  readonly within?: {
    /** Pools that it may use; absent: all. */
    readonly isAllowed?: (market: MarketPool) => boolean
    /** Whether a candidate can be carried out there. */
    readonly isPossible: (flow: Flow) => boolean
    /** True: the best of the proven candidates is taken as it is; its transaction is not asked for. */
    readonly needsNoTransaction?: boolean
  }
}

export interface PreparedRoute extends OpenSearch, RouteArgs {
  /** Is told what is looked at; undefined: nobody asks how the route comes about. */
  readonly log: RouteLog | undefined
  /** With their fees in raw units; of a stated output the input's amount is not known yet. */
  readonly statedInputs: readonly OrderInput[]
  /** Inside a bundle all candidates are simulated. */
  readonly proof: ProofMode
  readonly sender: Sender
  /** Null until the input of a stated output is known. */
  readonly funded: FundedSender | null
  /** Brings the one input, or its allowance; undefined: an allowance given before does. */
  readonly permit: SignedPermit | undefined
  /** Unix seconds; undefined: none. */
  readonly deadline: bigint | undefined
  /** Such a receiver may hold a token for many, and be paid for one of them by somebody else. */
  readonly receiverHasCode: boolean
  /** Sentences for the answer, about what was left out; the search and the proof add theirs. */
  readonly warnings: string[]
  /** Tokens that the caller names, and therefore trusts. */
  readonly named: ReadonlySet<Address>
}

/** @throws ForkrouteError as `fundSender`; INVALID_REQUEST for a deadline or a permit that cannot be kept. */
export async function prepareRoute(
  task: Task,
  args: RouteArgs,
  log: RouteLog | undefined,
): Promise<PreparedRoute> {
  const { request } = args
  const deadline = deadlineOf(task, request)
  const statedInputs = request.inputs.map(withFee)
  const [first] = statedInputs
  const permit =
    request.permit && first
      ? await choosePermit(task, request, request.amountOut ?? first.amount, deadline)
      : undefined
  const { strategy, fromAddress } = request
  const isChecked = args.mode === 'route' && request.executionMode === 'user'
  const sender = { strategy, fromAddress, isChecked, ...pullerOf(permit) }
  learnTokens(task, request)
  const [opened, funded, receiverHasCode] = await task.clock.stage('state', () =>
    Promise.all([
      openSearch(task, request, args.within?.isAllowed),
      request.amountOut === undefined
        ? fundSender(task, sender, request.inputs)
        : Promise.resolve(null),
      isReceiverContract(task, request),
      refuseUsedTag(task, request),
    ]),
  )
  const { usable, all } = opened
  log?.pricedBy(opened.priced)
  log?.considered(usable.pools)
  log?.refused([...usable.refused, ...usable.view.unreadable.map(unreadPool)])
  return {
    ...opened,
    ...args,
    log,
    statedInputs,
    proof: args.within ? 'all' : opened.router.proof,
    sender,
    funded,
    permit,
    deadline,
    receiverHasCode,
    warnings: [
      ...usable.warnings,
      ...(all.notes ?? []),
      ...unreadableWarnings(usable.view.unreadable),
    ],
    named: new Set([...request.inputs.map(({ token }) => token), ...request.tokensOut]),
  }
}

/** Whether the receiver has code; true where that cannot be read. Not read where it makes no difference. */
async function isReceiverContract(task: Task, request: RouteRequest): Promise<boolean> {
  const receiver = receiverOf(request)
  const isRunner = receiver === runnerAddress(request.strategy, request.fromAddress)
  if (isRunner || receiver === quoteSender) return false
  return (await task.archive.hasCode(receiver).catch(unlessUnreadable)) ?? true
}

/** The fee of an input in raw units, rounded down. */
export function withFee({ token, amount, feeBps }: RequestInput): OrderInput {
  return {
    token,
    amount,
    ...(feeBps !== undefined && { fee: (amount * feeBps) / bpsDenominator }),
  }
}

/** @returns the least amount that is at least `net` after its fee, with that fee. */
export function grossInput(token: Address, net: bigint, feeBps: bigint | undefined): OrderInput {
  if (feeBps === undefined) return { token, amount: net }
  const feeOf = (amount: bigint) => (amount * feeBps) / bpsDenominator
  let amount = (net * bpsDenominator) / (bpsDenominator - feeBps)
  while (amount - feeOf(amount) < net) amount++
  while (amount - 1n - feeOf(amount - 1n) >= net) amount--
  return { token, amount, fee: feeOf(amount) }
}

function unreadPool({ protocol, subject, message, isLeftOut }: Unreadable): RefusedPool {
  return {
    pool: subject.replace(/-lp$/, ''),
    protocol,
    reason: isLeftOut ? message : 'it could not be read at this block',
  }
}
