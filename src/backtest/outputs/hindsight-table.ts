/** The table of hindsight, as CSV and Parquet have it: a row per transaction. */
import type {
  Hindsight,
  HindsightBlock,
  MinedSwap,
  NoOwnSwap,
  OwnSwap,
  Sandwich,
  TouchedPool,
} from '../../domain/hindsight.js'
import { type Field, type RecordTable, tableOf, type Value } from './records.js'

interface Source {
  readonly block: HindsightBlock
  readonly one: Hindsight
}

export function transactionsTable(): RecordTable<HindsightBlock> {
  return tableOf(fields, (block: HindsightBlock) =>
    block.transactions.map((one) => ({ block, one })),
  )
}

function ifSwap(value: (swap: MinedSwap) => Value): (source: Source) => Value {
  return ({ one: { swap } }) => swap && value(swap)
}

function ifSandwich(value: (sandwich: Sandwich) => Value): (source: Source) => Value {
  return ({ one: { sandwich } }) => sandwich && value(sandwich)
}

/** Columns of our transaction at one of its two places. */
function ownFields(place: 'before' | 'atItsPlace', prefix: string): readonly Field<Source>[] {
  const ifOwn =
    (value: (own: OwnSwap) => Value) =>
    ({ one }: Source) => {
      const own: OwnSwap | NoOwnSwap | null = one[place]
      return own && !('code' in own) ? value(own) : null
    }
  const errorOf = ({ one }: Source) => {
    const own = one[place]
    return own && 'code' in own ? own.code : null
  }
  return [
    [`${prefix}_amount_out`, 'amount', ifOwn(({ amountOut }) => amountOut.toString())],
    [`${prefix}_gas`, 'integer', ifOwn(({ gas }) => gas)],
    [`${prefix}_l1_data_fee`, 'amount', ifOwn(({ l1DataFee }) => l1DataFee?.toString() ?? null)],
    [`${prefix}_amount_out_bps`, 'double', ifOwn(({ amountOutBps }) => amountOutBps)],
    [`${prefix}_net_bps`, 'double', ifOwn(({ netBps }) => netBps)],
    [`${prefix}_result`, 'text', ifOwn(({ result }) => result)],
    [
      `${prefix}_route`,
      'text',
      ifOwn(({ route }) => route.map(({ protocol, pool }) => `${protocol}:${pool}`).join(';')),
    ],
    [`${prefix}_error`, 'text', errorOf],
  ]
}

const fields: readonly Field<Source>[] = [
  ['block_number', 'integer', ({ block }) => block.blockNumber],
  ['block_hash', 'text', ({ block }) => block.blockHash],
  ['timestamp', 'time', ({ block }) => block.timestamp],
  ['transaction_index', 'integer', ({ one }) => BigInt(one.transactionIndex)],
  ['hash', 'text', ({ one }) => one.hash],
  ['from', 'text', ({ one }) => one.from],
  ['to', 'text', ({ one }) => one.to],
  ['status', 'text', ({ one }) => one.status],
  ['reason', 'text', ({ one }) => one.reason],
  ['reverts_since', 'integer', ({ one }) => one.revertsSince],
  ['gas_used', 'integer', ({ one }) => one.gasUsed],
  ['gas_price', 'amount', ({ one }) => one.gasPrice.toString()],
  ['l1_data_fee', 'amount', ({ one }) => one.l1DataFee?.toString() ?? null],
  ['payer', 'text', ifSwap(({ payer }) => payer)],
  ['token_in', 'text', ifSwap(({ tokenIn }) => tokenIn)],
  ['amount_in', 'amount', ifSwap(({ amountIn }) => amountIn.toString())],
  ['token_out', 'text', ifSwap(({ tokenOut }) => tokenOut)],
  ['amount_out', 'amount', ifSwap(({ amountOut }) => amountOut.toString())],
  ['receiver', 'text', ifSwap(({ receiver }) => receiver)],
  ['no_swap', 'text', ({ one }) => one.noSwap],
  ['through', 'text', ({ one }) => one.through.map(poolText).join(';')],
  ...ownFields('before', 'before'),
  ...ownFields('atItsPlace', 'at_its_place'),
  ['sandwich_attacker', 'text', ifSandwich(({ attacker }) => attacker)],
  ['sandwich_fronts', 'text', ifSandwich(({ fronts }) => fronts.join(';'))],
  ['sandwich_backs', 'text', ifSandwich(({ backs }) => backs.join(';'))],
  ['sandwich_loss', 'amount', ifSandwich(({ loss }) => loss?.toString() ?? null)],
  ['sandwich_loss_bps', 'double', ifSandwich(({ lossBps }) => lossBps)],
]

/** Slug (empty where it is not known), address, and the id where the contract holds many pools. */
function poolText({ protocol, address, id }: TouchedPool): string {
  return [protocol ?? '', address, ...(id === null ? [] : [id])].join(':')
}
