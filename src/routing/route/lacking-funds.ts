/** Errors of a sender who does not hold, or does not allow, what the request spends: with what to do about it. */
import { defined } from '../../domain/defined.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { NextStep } from '../../domain/next-step.js'
import type { RoutingStrategy } from '../../domain/order.js'
import { type Address, type BlockPin, isNative } from '../../domain/primitives.js'
import { spenderOf } from '../../executor/strategies.js'

/** What is missing of one token, raw units. */
export interface LackingFunds {
  readonly pin: Pick<BlockPin, 'chainId' | 'number'>
  readonly strategy: RoutingStrategy
  readonly token: Address
  readonly owner: Address
  /** Contract that takes the token; null: none does. */
  readonly spender: Address | null
  readonly required: bigint
  readonly actual: bigint
}

/** Simulates with funds that are put there. */
const withFunds: NextStep = { parameter: 'executionMode', value: 'backend' }

/** @param decimals - of the token; null where it does not tell them. */
export function insufficientBalance(
  lacking: LackingFunds,
  decimals: number | null,
): ForkrouteError {
  const { pin, token, owner, required, actual } = lacking
  const unit =
    decimals !== null && decimals > 0
      ? ` Amounts are in the smallest unit: ${10n ** BigInt(decimals)} is one whole token.`
      : ''
  return new ForkrouteError(
    'INSUFFICIENT_BALANCE',
    `${owner} holds ${actual} of ${token} at block ${pin.number}, ${required} are needed.${unit} To go on without the funds, ask for executionMode=backend, or for a quote.`,
    {
      ...facts(lacking),
      ...defined({ decimals: decimals ?? undefined }),
      next: [withFunds, { endpoint: 'GET /api/v1/shortcuts/quote' }],
    },
  )
}

export function insufficientAllowance(lacking: LackingFunds): ForkrouteError {
  const { pin, token, owner, spender, required, actual } = lacking
  const approval = approvalOf(lacking)
  const advice = approval.length
    ? 'Send the transaction of GET /api/v1/wallet/approve first; to go on without the allowance, ask for executionMode=backend, or for a quote.'
    : `Let ${owner} approve ${spender} first; to go on without the allowance, ask for executionMode=backend, or for a quote.`
  return new ForkrouteError(
    'INSUFFICIENT_ALLOWANCE',
    `${owner} allows ${spender} ${actual} of ${token} at block ${pin.number}, ${required} are needed. ${advice}`,
    {
      ...facts(lacking),
      next: [...approval, withFunds, { endpoint: 'GET /api/v1/shortcuts/quote' }],
    },
  )
}

/** The approval that is missing, where an endpoint makes it: of the contract of a strategy, which a permit has not. */
function approvalOf({ pin, strategy, token, owner, spender, required }: LackingFunds): NextStep[] {
  const isMade = strategy === 'router' && spender === spenderOf(strategy) && !isNative(token)
  if (!isMade) return []
  const query = {
    chainId: String(pin.chainId),
    fromAddress: owner,
    tokenAddress: token,
    amount: required.toString(),
  }
  return [{ endpoint: 'GET /api/v1/wallet/approve', query }]
}

function facts({ token, owner, spender, required, actual }: LackingFunds) {
  return { token, owner, spender, required: required.toString(), actual: actual.toString() }
}
