/** What a route over a bridge has to know of one side before anything is searched there. */
import type { Address } from '../../domain/primitives.js'
import { findTarget, positionIdOf } from '../bundle/position-target.js'
import type { TaskRun } from '../context/task-context.js'
import type { AccountKind, Survey, SurveyArgs } from './messages.js'

const delegation = '0xef0100'

/** @throws ForkrouteError NOT_FOUND, INVALID_REQUEST for a position that cannot be entered. */
export async function runSurvey(
  run: TaskRun,
  { accounts, tokens, position: named }: SurveyArgs,
): Promise<Survey> {
  const target = named === undefined ? null : await findTarget(run, named)
  const { underlyingTokens = [] } = target?.position ?? {}
  const [kinds, prices] = await Promise.all([
    Promise.all(accounts.map((address) => kindOf(run, address))),
    run.block.pricedTokens(run.reader, [...tokens, ...underlyingTokens]),
  ])
  return {
    kinds,
    prices,
    gasPrice: run.gasPrice,
    ...(target && { position: { id: positionIdOf(run, target), underlyingTokens } }),
  }
}

async function kindOf(run: TaskRun, address: Address): Promise<AccountKind> {
  const code = await run.codeOf(address)
  if (code === '0x') return 'plain'
  return code.startsWith(delegation) ? 'delegated' : 'contract'
}
