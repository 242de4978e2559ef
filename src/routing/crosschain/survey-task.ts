/** What a route over a bridge has to know of one side before anything is searched there. */
import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import type { BlockContext } from '../context/worker-context.js'
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
