/** What a route over a bridge has to know of one side before anything is searched there. */
import type { Address } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import type { PricedToken } from '../market/valuation.js'

/** `delegated`: an account that runs code of a contract (EIP-7702), to which many contracts pay as to one without code. */
export type AccountKind = 'plain' | 'delegated' | 'contract'

export interface SurveyArgs {
  readonly accounts: readonly Address[]
  readonly tokens: readonly Address[]
}

export interface Survey {
  /** In the order of the accounts. */
  readonly kinds: readonly AccountKind[]
  /** In the order of the tokens; null where no price is known. */
  readonly prices: readonly (PricedToken | null)[]
  /** Wei per gas in the next block, tip included. */
  readonly gasPrice: bigint
}

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
