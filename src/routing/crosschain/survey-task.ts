/** What a route over a bridge has to know of one side before anything is searched there. */
import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/primitives.js'
import { findTarget, positionIdOf, sharesOf } from '../bundle/position-target.js'
import type { TaskRun } from '../context/task-context.js'
import type { BlockContext } from '../context/worker-context.js'
import type { AccountKind, Survey, SurveyArgs } from './messages.js'

const delegation = '0xef0100'

/** @throws ForkrouteError NOT_FOUND, INVALID_REQUEST for a position that cannot be entered. */
export async function runSurvey(
  run: TaskRun,
  { accounts, tokens, position: named }: SurveyArgs,
): Promise<Survey> {
  const target = named === undefined ? null : await findTarget(run, named)
  const { underlyingTokens = [] } = target?.position ?? {}
  const [kinds, prices, shares = []] = await Promise.all([
    Promise.all(accounts.map((address) => kindOf(run, address))),
    run.block.pricedTokens(run.reader, [...tokens, ...underlyingTokens]),
    target ? sharesOf(run, target) : undefined,
  ])
  return {
    kinds,
    prices,
    gasPrice: run.gasPrice,
    ...(target && { position: { id: positionIdOf(run, target), underlyingTokens, shares } }),
  }
}

const kindsKept = 1_000
/** What was seen at each block. */
const seen = new WeakMap<BlockContext, LRUCache<Address, AccountKind>>()

async function kindOf(run: TaskRun, address: Address): Promise<AccountKind> {
  const { block } = run
  const kinds = seen.get(block) ?? new LRUCache({ max: kindsKept })
  seen.set(block, kinds)
  const known = kinds.get(address)
  if (known) return known
  const code = await run.codeOf(address)
  const kind = code === '0x' ? 'plain' : code.startsWith(delegation) ? 'delegated' : 'contract'
  kinds.set(address, kind)
  return kind
}
