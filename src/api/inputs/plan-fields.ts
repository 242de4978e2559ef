/** The fields of a plan: allowed forms and parsed values. Every value arrives as text, as in `schemas.ts`. */
import { z } from 'zod'
import { backtestLimits as limits } from '../../domain/backtest.js'
import type { Dialect } from '../records/dialect.js'
import {
  Address,
  BlockTagText,
  ChainId,
  described,
  examples,
  Flag,
  integer,
  listOf,
  MaxSlippage,
  PoolId,
  SlippageOrAuto,
  withDefault,
} from '../schemas.js'
import { Proof } from './explanation.js'
import { names, shortcutInputs } from './route-fields.js'

const nameMessage = 'must be 1 to 64 printable characters'
const PlanName = z.string(nameMessage).regex(/^[^\p{C}]{1,64}$/u, nameMessage)

export type PlanDialect = Pick<Dialect, 'serviceName' | 'executionMode'>

/** Fields as on the wire; they are parsed into a `PlanRequest`. */
export function planInputs(dialect: PlanDialect) {
  const shortcuts = shortcutInputs(dialect)
  const named = {
    name: described(PlanName.optional(), 'Of its rows; default `request 1` and so on.'),
  }
  const {
    blockNumber: _block,
    deadlineMs: _haste,
    deadline: _deadline,
    once: _once,
    permit: _permit,
    explain: _explain,
    alternatives: _alternatives,
    // A plan states it per variant.
    proof: _proof,
    destinationBlockNumber: _there,
    ...routeShape
  } = shortcuts.route.shape
  const {
    blockNumber: _number,
    deadlineMs: _late,
    explain: _explained,
    alternatives: _others,
    proof: _proven,
    destinationBlockNumber: _elsewhere,
    // A request that names it is a route, which has a minimum.
    slippage: _slippage,
    maxSlippage: _maxSlippage,
    ...quoteShape
  } = shortcuts.quote.shape
  const chainId = described(ChainId.optional(), 'As that of the plan, where it is given.')
  const fromAddress = described(Address.optional(), 'Sender; its funds do not matter.')
  const route = z.object({ ...routeShape, ...named, chainId, fromAddress })
  const quote = z.object({ ...quoteShape, ...named, chainId, fromAddress })
  const variant = z.object({
    name: described(PlanName.optional(), 'Of its rows; default `variant 1` and so on.'),
    maxHops: described(integer(1, 4).optional(), 'Swaps in a row at most.'),
    candidates: described(integer(1, 512).optional(), 'Candidates that are simulated.'),
    splits: described(Flag.optional(), 'false: the whole amount goes one way.'),
    poolBlacklist: described(
      listOf(PoolId, 0, 1_000).default([]),
      'Pools (addresses or ids) that are not used.',
    ),
    proof: Proof,
    ignoreAggregators: names('Swap protocols to leave out.'),
    ignoreStandards: names('Protocols to leave out, by slug.'),
    slippage: SlippageOrAuto.optional(),
    maxSlippage: MaxSlippage.optional(),
  })
  const blocks = z.object({
    from: described(BlockTagText, 'First block of the range.', 'latest-20').meta({
      type: 'string',
    }),
    to: described(BlockTagText.optional(), 'Last block of the range; default latest.').meta({
      type: 'string',
    }),
    step: described(
      integer(1, limits.span).optional(),
      'Every n-th block from the first on; default 1, every block.',
    ),
    changesOf: described(
      listOf(Address, 1, 100).optional(),
      'Only blocks in which one of these pools left an event; not together with step.',
    ),
  })
  return { route, quote, variant, blocks }
}

/** The whole body, for the OpenAPI document. */
export function planBody(dialect: PlanDialect) {
  const { route, variant, blocks } = planInputs(dialect)
  const delay = integer(1, limits.delay)
  return z.object({
    name: described(PlanName.optional(), 'Of the job; default `backtest`.'),
    chainId: withDefault(ChainId, 1, 1),
    blocks: described(blocks, 'Where.', { from: 'latest-20', step: 5 }),
    requests: described(
      listOf(route, 1, limits.requests),
      'Each as GET /shortcuts/quote or /shortcuts/route takes it, without a block.',
      [{ tokenIn: [examples.weth], tokenOut: [examples.usdc], amountIn: [examples.oneEther] }],
    ),
    variants: described(
      listOf(variant, 1, limits.variants).optional(),
      'How routes are sought; default one, called `default`, as the service does it.',
    ),
    baseline: described(
      z.string().optional(),
      'Name of the variant that others are compared with; default the first.',
    ),
    delays: described(
      z.union([integer(0, limits.delays), listOf(delay, 0, limits.delays)]).optional(),
      'Each transaction is also executed so many blocks later: 3 for 1, 2 and 3; or a list. Default: never. ' +
        'Not with requests that have a destinationChainId.',
    ),
    deliverySeconds: described(
      listOf(integer(1, limits.deliverySeconds), 1, limits.deliveries).optional(),
      'What a request with a destinationChainId sends is delivered again as the destination was so many seconds after ' +
        'the block; one number or a list. Default: as long as the bridge usually takes.',
    ),
  })
}
