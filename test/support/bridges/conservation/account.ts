/** Closes the books of all chains: per bridge and token what was sent, paid, kept, lost, and what does not add up. Pure. */
import type { Address } from '../../../../src/domain/primitives.js'
import type { ChainBooks, Movement } from './books.js'
import type { BridgeHere } from './forms.js'

export interface Row {
  readonly bridge: BridgeHere
  readonly symbol: string
  readonly transfers: number
  /** Raw units, as all of these. */
  readonly sent: bigint
  readonly paid: bigint
  readonly refunded: bigint
  /** By relayers and bridges, out of what was sent. */
  readonly kept: bigint
  /** Paid for what a reorg has unmade: at the cost of whoever delivered. */
  readonly lost: bigint
  /** What balances say beyond all that: must be 0. */
  readonly difference: bigint
}

export interface Account {
  readonly rows: readonly Row[]
  /** Sentences; none: every unit is accounted for. */
  readonly problems: readonly string[]
}

const native: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export function accountOf(books: readonly ChainBooks[]): Account {
  const movements = books.flatMap((one) => one.movements)
  const problems: string[] = []
  const keys = new Set(movements.map(({ bridge, symbol }) => `${bridge} ${symbol}`))
  const rows = [...keys].toSorted().map((key): Row => {
    const [bridge, symbol] = key.split(' ') as [BridgeHere, string]
    const own = movements.filter((one) => one.bridge === bridge && one.symbol === symbol)
    const { pairs, lost, open } = matched(own)
    const refunds = own.filter(({ kind }) => kind === 'refunded')
    const [sent, refunded] = [sum(own.filter(({ kind }) => kind === 'sent')), sum(refunds)]
    const unpaid = sum(open)
    if (unpaid !== refunded) problems.push(`${key}: ${unpaid} were not paid, ${refunded} refunded`)
    for (const [from, to] of pairs) {
      if (!isPaidAsSent(from, to)) {
        problems.push(`${key}: ${from.transactionHash} was paid ${to.amount}, not ${from.other}`)
      }
    }
    const paid = pairs.reduce(
      (total, [from, to]) => total + (bridge === 'canonical' ? from.amount : to.amount),
      0n,
    )
    const kept = sent - refunded - paid
    const losses = lost.reduce((total, { amount, other }) => total + amount + other, 0n)
    const difference = differenceOf(books, {
      bridge,
      symbol,
      own,
      sent,
      refunded,
      losses,
      paid,
      kept,
    })
    if (difference !== 0n) problems.push(`${key}: balances differ by ${difference}`)
    return {
      bridge,
      symbol,
      transfers: pairs.length + open.length,
      sent,
      paid,
      refunded,
      kept,
      lost: losses,
      difference,
    }
  })
  const deposited = sum(
    movements.filter(({ bridge, kind }) => bridge === 'canonical' && kind === 'sent'),
  )
  for (const { places, deltas, unexplainedEther } of books) {
    const expected = places.chainId === 8453 ? deposited : 0n
    if (unexplainedEther !== expected) {
      problems.push(`chain ${places.chainId}: ${unexplainedEther - expected} wei are not explained`)
    }
    for (const holder of places.own) {
      for (const [key, delta] of deltas) {
        if (key.startsWith(holder) && delta !== 0n) problems.push(`${delta} are left at ${key}`)
      }
    }
  }
  return { rows, problems }
}

/** What was promised, to the unit; over CCTP at least that, and all of the rest is its fee. */
function isPaidAsSent(from: Movement, to: Movement): boolean {
  // The messenger names a message by its hash, in which the value is.
  if (from.bridge === 'canonical') return true
  if (from.bridge !== 'cctp') return to.amount === from.other
  return to.amount >= from.other && to.amount + to.other === from.amount
}

/** Each payment with what was sent for it, once; what was paid for nothing that stands, and what was never paid. */
function matched(own: readonly Movement[]) {
  const left = new Map<string, Movement[]>()
  for (const one of own.filter(({ kind }) => kind === 'sent')) {
    left.set(one.id, [...(left.get(one.id) ?? []), one])
  }
  const pairs: (readonly [Movement, Movement])[] = []
  const lost: Movement[] = []
  for (const payment of own.filter(({ kind }) => kind === 'paid')) {
    const [first, ...more] = left.get(payment.id) ?? []
    if (first) pairs.push([first, payment])
    else lost.push(payment)
    left.set(payment.id, more)
  }
  return { pairs, lost, open: [...left.values()].flat() }
}

function differenceOf(
  books: readonly ChainBooks[],
  of: Pick<Row, 'bridge' | 'symbol' | 'sent' | 'refunded' | 'paid' | 'kept'> & {
    readonly own: readonly Movement[]
    readonly losses: bigint
  },
): bigint {
  const { bridge, symbol, own, sent, refunded, losses, paid, kept } = of
  const total = (held: (one: ChainBooks) => readonly (readonly [Address, Address])[]) =>
    books.reduce(
      (all, one) =>
        held(one).reduce(
          (some, [holder, token]) => some + (one.deltas.get(`${holder} ${token}`) ?? 0n),
          all,
        ),
      0n,
    )
  if (bridge === 'across') {
    const inPools = total(({ places }) => {
      const token = places.acrossTokens.get(symbol)
      return token ? [[places.spokePool, token]] : []
    })
    const atRelayer = total(({ places }) => {
      const token = places.acrossTokens.get(symbol)
      return token ? [[places.relayer, token]] : []
    })
    const relayed = sum(own.filter(({ isRelayers }) => isRelayers))
    return inPools - (sent - refunded) + (atRelayer + relayed)
  }
  if (bridge === 'oft') return ofOfts(books, symbol, own)
  if (bridge === 'stargate') {
    const inPools = total(({ places }) =>
      places.pools.filter((one) => one.symbol === symbol).map(({ pool, token }) => [pool, token]),
    )
    return inPools - (sent - paid) + losses
  }
  if (bridge === 'cctp') {
    // What attesters keep is paid, too.
    return total(({ places }) => [[places.minter, places.usdc]]) - (sent - paid - kept) + losses
  }
  return total(({ places }) => (places.portal ? [[places.portal, native]] : [])) - sent
}

/** What is locked is what was sent there and not paid, and what is minted is what was paid and not sent: each by itself. */
function ofOfts(books: readonly ChainBooks[], symbol: string, own: readonly Movement[]): bigint {
  let difference = 0n
  for (const { places, deltas } of books) {
    const here = own.filter(({ chainId }) => chainId === places.chainId)
    const of = (kind: Movement['kind']) => sum(here.filter((one) => one.kind === kind))
    const left = of('sent') - of('paid')
    for (const { pool, token, isLocking } of places.ofts.filter((one) => one.symbol === symbol)) {
      const held = deltas.get(isLocking ? `${pool} ${token}` : `supply ${token}`) ?? 0n
      const missing = held - (isLocking ? left : -left)
      difference += missing < 0n ? -missing : missing
    }
  }
  return difference
}

function sum(movements: readonly Movement[]): bigint {
  return movements.reduce((total, { amount }) => total + amount, 0n)
}
