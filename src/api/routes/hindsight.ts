/** Mined swaps beside our own: docs/reference/api.md#post-apiv1hindsight. */
import { z } from 'zod'
import { defined } from '../../domain/defined.js'
import { type HindsightPlan, hindsightLimits } from '../../domain/hindsight.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import { textOf } from '../input.js'
import { HindsightAnswer, toHindsight, toHindsightJob } from '../records/hindsight-records.js'
import { ChainId, described, Flag, integer, TransactionHash, withDefault } from '../schemas.js'

/** Blocks that are answered at once: each is run again on a fork, and each of its swaps is solved twice. */
const mostBlocks = 20
const { blocks: mostOfJob, since: mostSince } = hindsightLimits

const Block = integer(1, Number.MAX_SAFE_INTEGER)

const postHindsight = defineRoute({
  method: 'post',
  path: '/api/v1/hindsight',
  tag: 'Hindsight',
  operationId: 'postHindsight',
  summary: 'What mined swaps gave, and what our own transaction gives in their place.',
  description:
    'Any mined transaction, or all transactions of some blocks. What the sender gave and got is read from the token ' +
    'movements; our transaction for the same pair and amount is carried out at the end of the block before, and behind the ' +
    'transactions before it in its block. Needs a node with the state of the block before. NOT_FOUND: no node knows the ' +
    `transaction, or it is not mined. More than ${mostBlocks} blocks, or those asked for with job, are worked on in the background ` +
    'as backtests are: the answer has the job, which is followed, stopped and read by the paths of backtests.',
  input: z.object({
    chainId: withDefault(ChainId, 1, 1),
    hash: described(
      TransactionHash.optional(),
      'Hash of one transaction.',
      '0x5d6c1b2a3f4e59687a8b9cad0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b',
    ),
    fromBlock: described(Block.optional(), 'In place of hash: the first of the blocks.'),
    toBlock: described(
      Block.optional(),
      `The last of the blocks; absent: fromBlock. More than ${mostBlocks} of them are a job, which may have ${mostOfJob}.`,
    ),
    job: described(
      withDefault(Flag, false, false),
      'Makes the blocks a job, however few they are: the answer is then the job.',
    ),
    since: described(
      integer(1, mostSince).optional(),
      'For transactions that reverted: blocks to look back for the first one at whose end they would have reverted.',
    ),
  }),
  rules: ({ hash, fromBlock, toBlock, job }) => {
    const isGiven = (value: unknown) => value !== undefined && value !== null
    if (isGiven(hash) && (isGiven(fromBlock) || isGiven(toBlock))) {
      return ['hash must not be given together with fromBlock or toBlock']
    }
    if (!isGiven(hash) && !isGiven(fromBlock)) return ['hash or fromBlock is required']
    const blocks = isGiven(toBlock) ? Number(textOf(toBlock)) - Number(textOf(fromBlock)) : 0
    if (blocks < 0) return ['toBlock must not be before fromBlock']
    if (blocks >= mostOfJob) return [`toBlock must be at most ${mostOfJob - 1} after fromBlock`]
    if (isGiven(hash) && textOf(job) === 'true') {
      return ['job must not be given together with hash']
    }
    return []
  },
  response: HindsightAnswer,
  isCalculation: true,
  // It is read from mined transactions, which no cassette keeps.
  readsListings: true,
  errors: [
    'INVALID_REQUEST',
    'UNKNOWN_CHAIN',
    'UNKNOWN_BLOCK',
    'NOT_FOUND',
    'CHAIN_NOT_READY',
    'UPSTREAM_UNAVAILABLE',
    'STATE_UNAVAILABLE',
    'FORK_UNAVAILABLE',
    'THREAD_LOST',
    'OVERLOADED',
    'DEADLINE_EXCEEDED',
    'STORAGE_UNAVAILABLE',
    'TOO_MANY_BACKTESTS',
  ],
})

export const hindsightEndpoints: readonly Endpoint[] = [
  endpoint(postHindsight, async ({ engine, backtests, input, context }) => {
    const { chainId, hash, fromBlock = 1, toBlock = fromBlock, since, job } = input
    if (job || toBlock - fromBlock >= mostBlocks) {
      const plan: HindsightPlan = {
        kind: 'hindsight',
        name: `hindsight of blocks ${fromBlock} to ${toBlock}`,
        chainId,
        range: { from: BigInt(fromBlock), to: BigInt(toBlock) },
        ...defined({ since }),
      }
      return toHindsightJob(await backtests.create(plan, context.accountId))
    }
    const blocks = { kind: 'blocks', from: BigInt(fromBlock), to: BigInt(toBlock) } as const
    const of = hash ? ({ kind: 'transaction', hash } as const) : blocks
    return toHindsight(await engine.hindsight({ chainId, of, ...defined({ since }) }, context))
  }),
]
