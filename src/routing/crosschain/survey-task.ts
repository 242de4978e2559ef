/** What a route over a bridge has to know of one side before anything is searched there. */
import type { Address } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import type { AccountKind, Survey, SurveyArgs } from './messages.js'

const delegation = '0xef0100'

export async function runSurvey(run: TaskRun, { accounts, tokens }: SurveyArgs): Promise<Survey> {
  const [kinds, priced] = await Promise.all([
    Promise.all(accounts.map((address) => kindOf(run, address))),
    run.block.pricedTokens(run.reader, tokens),
  ])
  return {
    kinds,
    prices: tokens.map((token) => priced.get(token) ?? null),
    gasPrice: run.gasPrice,
  }
}

async function kindOf(run: TaskRun, address: Address): Promise<AccountKind> {
  const code = await run.codeOf(address)
  if (code === '0x') return 'plain'
  return code.startsWith(delegation) ? 'delegated' : 'contract'
}
