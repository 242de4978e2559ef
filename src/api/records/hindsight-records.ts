/** Mined swaps beside our own on the wire. Amounts are decimal strings in the smallest unit. */
import { z } from 'zod'
import type { PlannedJob } from '../../domain/backtest.js'
import { defined } from '../../domain/defined.js'
import type {
  Hindsight,
  HindsightAnswer as HindsightFacts,
  MinedSwap,
  NoOwnSwap,
  OwnSwap,
  Sandwich as SandwichFacts,
} from '../../domain/hindsight.js'
import { BacktestEntry, toEntry } from './job-entry.js'
import { Address, BlockNumber, ChainId, SignedWei, Wei } from './record-parts.js'
import { Transaction, toTransaction, Warnings, warningsOf } from './transactions.js'

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const Bps = z.number()

const Pool = z
  .object({
    protocol: z.string().nullable().meta({
      description: 'Slug; null where no venue of the chain has made the pool.',
    }),
    address: Address.meta({ description: 'Contract that emitted the event of the swap.' }),
    id: z.string().nullable().meta({
      description: 'Of the pool, where the contract holds many; else null.',
    }),
  })
  .meta({ id: 'TouchedPool' })

const Swap = z
  .object({
    payer: Address.meta({
      description: 'Who gave tokenIn: the sender, or the contract that it called.',
    }),
    tokenIn: Address,
    amountIn: Wei,
    tokenOut: Address,
    amountOut: Wei,
    receiver: Address.meta({ description: 'Who got the proceeds.' }),
  })
  .meta({
    id: 'MinedSwap',
    description: 'By the token movements of the transaction; gas is counted apart.',
  })

const Own = z
  .object({
    amountOut: Wei.optional().meta({ description: 'Measured in the simulation of tx.' }),
    gas: Wei.optional().meta({ description: 'Gas that it used.' }),
    l1DataFee: Wei.nullable().optional().meta({
      description:
        'Wei for posting it to L1. Only on chains that charge it; null when the chain does not say.',
    }),
    route: z
      .array(
        z.object({
          protocol: z.string(),
          pool: z.string().meta({ description: 'Address, or id where it has one.' }),
        }),
      )
      .optional(),
    tx: Transaction.optional(),
    amountOutBps: Bps.optional().meta({
      description: 'Our amountOut less theirs, as a share of theirs, basis points.',
    }),
    netBps: Bps.nullable().optional().meta({
      description:
        'The same after the gas of both, at the gas price that the transaction paid, and after l1DataFee of both where both are known; null where gas cannot be valued.',
    }),
    result: z.enum(['won', 'lost', 'tied']).nullable().optional().meta({
      description: 'Ours against theirs by netBps; up to 0.1 bps is a tie. Null as netBps.',
    }),
    error: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .meta({ description: 'Why we have none; then the other fields are absent.' }),
  })
  .meta({ id: 'OwnSwap', description: 'Our transaction for the same pair and amount.' })

const Sandwich = z
  .object({
    attacker: Address.meta({
      description: 'The account or contract that the transactions around have in common.',
    }),
    fronts: z.array(Hash).meta({ description: 'Before it, in the order of the block.' }),
    backs: z.array(Hash).meta({ description: 'Behind it.' }),
    pools: z.array(Pool).meta({ description: 'In which both traded.' }),
    loss: SignedWei.nullable().meta({
      description:
        'What it gets without the fronts less what it got, raw units of tokenOut; null where it is not carried out then.',
    }),
    lossBps: Bps.nullable().meta({ description: 'Of what it gets without them, basis points.' }),
  })
  .meta({ id: 'Sandwich' })

export const HindsightTransaction = z
  .object({
    chainId: ChainId,
    hash: Hash,
    blockNumber: BlockNumber,
    transactionIndex: z.int().min(0).meta({ description: 'Position in the block, from 0.' }),
    from: Address,
    to: Address.nullable(),
    status: z.enum(['success', 'reverted']),
    reason: z.string().nullable().meta({ description: 'Why it reverted; null: it did not.' }),
    revertsSince: BlockNumber.nullable().meta({
      description:
        'With since: the first of these blocks at whose end it would have reverted; null: none of them.',
    }),
    gasUsed: Wei.meta({ description: 'Gas, by the receipt.' }),
    gasPrice: Wei.meta({ description: 'Wei per gas that it paid.' }),
    l1DataFee: Wei.nullable().optional().meta({
      description:
        'Wei that it paid for being posted to L1. Only on chains that charge it; null where the receipt does not say, and without a swap.',
    }),
    swap: Swap.nullable().meta({ description: 'Null: it is no swap of one token for another.' }),
    noSwap: z.string().nullable().meta({
      description: 'Why it is no swap of one token for another; null: it is one.',
    }),
    through: z.array(Pool).meta({ description: 'Pools that it swapped in.' }),
    before: Own.nullable().meta({ description: 'At the end of the block before; null: no swap.' }),
    atItsPlace: Own.nullable().meta({
      description: 'Behind the transactions before it in its block; null: no swap.',
    }),
    sandwich: Sandwich.nullable().meta({ description: 'Null: none was found.' }),
  })
  .meta({ id: 'Hindsight', description: 'A mined transaction, and our own in its place.' })

export const HindsightAnswer = z
  .object({
    transactions: z.array(HindsightTransaction).meta({ description: 'In the order of the chain.' }),
    warnings: Warnings,
    job: BacktestEntry.optional().meta({
      description:
        'Where the blocks are a job; transactions is empty then, and the paths of backtests have them.',
    }),
  })
  .meta({ id: 'HindsightAnswer' })

export function toHindsight(answer: HindsightFacts): z.output<typeof HindsightAnswer> {
  return { transactions: answer.transactions.map(toTransactionRecord), ...warningsOf(answer) }
}

export function toHindsightJob(job: PlannedJob): z.output<typeof HindsightAnswer> {
  return { transactions: [], job: toEntry(job) }
}

function toTransactionRecord(one: Hindsight): z.output<typeof HindsightTransaction> {
  const { chainId, swap, before, atItsPlace, sandwich } = one
  return {
    chainId,
    hash: one.hash,
    blockNumber: Number(one.blockNumber),
    transactionIndex: one.transactionIndex,
    from: one.from,
    to: one.to,
    status: one.status,
    reason: one.reason,
    revertsSince: one.revertsSince === null ? null : Number(one.revertsSince),
    gasUsed: one.gasUsed.toString(),
    gasPrice: one.gasPrice.toString(),
    ...toDataFee(one),
    swap: swap && toSwap(swap),
    noSwap: one.noSwap,
    through: one.through.map((pool) => ({ ...pool })),
    before: before && toOwn(before, chainId),
    atItsPlace: atItsPlace && toOwn(atItsPlace, chainId),
    sandwich: sandwich && toSandwich(sandwich),
  }
}

function toSwap({ payer, tokenIn, amountIn, tokenOut, amountOut, receiver }: MinedSwap) {
  return {
    payer,
    tokenIn,
    amountIn: amountIn.toString(),
    tokenOut,
    amountOut: amountOut.toString(),
    receiver,
  }
}

function toDataFee({ l1DataFee }: Pick<Hindsight, 'l1DataFee'>) {
  return defined({ l1DataFee: l1DataFee === null ? null : l1DataFee?.toString() })
}

function toOwn(own: OwnSwap | NoOwnSwap, chainId: number): z.output<typeof Own> {
  if ('code' in own) return { error: { code: own.code, message: own.message } }
  return {
    amountOut: own.amountOut.toString(),
    gas: own.gas.toString(),
    ...toDataFee(own),
    route: own.route.map((leg) => ({ ...leg })),
    tx: toTransaction({ tx: own.tx, chainId }),
    amountOutBps: own.amountOutBps,
    netBps: own.netBps,
    result: own.result,
  }
}

function toSandwich({ attacker, fronts, backs, pools, loss, lossBps }: SandwichFacts) {
  return {
    attacker,
    fronts: [...fronts],
    backs: [...backs],
    pools: pools.map((pool) => ({ ...pool })),
    loss: loss === null ? null : loss.toString(),
    lossBps,
  }
}
