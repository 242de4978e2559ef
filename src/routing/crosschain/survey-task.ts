/** What a route over a bridge has to know of one side before anything is searched there. */
import type { Address } from '../../domain/primitives.js'
import type { AccountKind } from '../block/block-facts.js'
import type { Task } from '../block/task.js'
import { findTarget, positionIdOf, sharesOf } from '../bundle/position-target.js'
import type { PricedToken } from '../market/valuation.js'

export interface SurveyArgs {
  readonly accounts: readonly Address[]
  readonly tokens: readonly Address[]
  /** Id or address of a position that is to be entered. */
  readonly position?: string
}

/** A position that can be entered. */
export interface SurveyedPosition {
  readonly id: string
  readonly underlyingTokens: readonly Address[]
  /** Basis points of the value, one per token. */
  readonly shares: readonly number[]
}

export interface Survey {
  /** In the order of the accounts. */
  readonly kinds: readonly AccountKind[]
  /** Prices of the tokens, and of those of the position; absent where none is known. */
  readonly prices: ReadonlyMap<Address, PricedToken>
  readonly position?: SurveyedPosition
  /** Wei per gas in the next block, tip included. */
  readonly gasPrice: bigint
}

const delegation = '0xef0100'

/** @throws ForkrouteError NOT_FOUND, INVALID_REQUEST for a position that cannot be entered. */
export async function runSurvey(
  task: Task,
  { accounts, tokens, position: named }: SurveyArgs,
): Promise<Survey> {
  const target = named === undefined ? null : await findTarget(task, named)
  const { underlyingTokens = [] } = target?.position ?? {}
  const [kinds, prices, shares = []] = await Promise.all([
    Promise.all(accounts.map((address) => kindOf(task, address))),
    task.facts.pricedTokens(task.reader, [...tokens, ...underlyingTokens]),
    target ? sharesOf(task, target) : undefined,
  ])
  return {
    kinds,
    prices,
    gasPrice: task.gasPrice,
    ...(target && { position: { id: positionIdOf(task, target), underlyingTokens, shares } }),
  }
}

async function kindOf(task: Task, address: Address): Promise<AccountKind> {
  const kinds = task.facts.accountKinds
  const known = kinds.get(address)
  if (known) return known
  const code = await task.archive.codeOf(address)
  const kind = code === '0x' ? 'plain' : code.startsWith(delegation) ? 'delegated' : 'contract'
  kinds.set(address, kind)
  return kind
}
