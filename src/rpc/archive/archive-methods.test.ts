import { describe, expect, test } from 'vitest'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { createForkReads } from '../hints/fork-reads.js'
import type { BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { balanceKey, codeKey, type ItemKey, nonceKey } from '../node/state-item.js'
import { answerCall } from './archive-methods.js'
import type { ChainSource } from './chain-source.js'

const known: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'
const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`
const json = { number: '0x9', hash: hashOf(9n), transactions: ['0x1'] }
const pinned = { pin: { number: 9n, hash: hashOf(9n) }, json } as unknown as VerifiedBlock
const from = { number: '0x5', hash: hashOf(5n) }

/** Accounts as they are by block; what is undefined is lacking, as in a cassette. */
function chainOf(valueAt: (key: ItemKey, block: BlockRef) => Hex | undefined) {
  const forkReads = createForkReads()
  const source = {
    forkReads,
    read(key: ItemKey, block: BlockRef) {
      const value = valueAt(key, block)
      if (value === undefined) throw new ForkrouteError('UPSTREAM_UNAVAILABLE', 'lacking')
      return { ok: true, value }
    },
    heldAccounts: (accounts: readonly Address[]) => accounts,
  }
  return { source: source as unknown as ChainSource, forkReads }
}

const moved = (source: ChainSource, accounts: readonly Address[]) =>
  answerCall(source, pinned, {
    method: 'forkroute_moved',
    params: [from, accounts],
    isForks: true,
  })

describe('forkroute_moved', () => {
  const plain = (key: ItemKey): Hex => (key === codeKey(known) ? '0xfe' : '0x7')

  test('names the accounts that differ, the header without its lists, and what other forks asked for', async () => {
    const { source, forkReads } = chainOf((key, { number }) =>
      key === balanceKey(known) && number === 9n ? '0x8' : plain(key),
    )
    forkReads.askedAccount(known)
    forkReads.askedAccount(other)
    const header = { ...json, transactions: [] }
    const accounts = [[known, '0x8', '0x7']]
    expect(await moved(source, [known])).toEqual({ header, accounts, others: [other] })
    expect(await moved(source, [other])).toEqual({ header, accounts: [], others: [known] })
  })

  test('an account with other code cannot be told', async () => {
    const { source } = chainOf((key, { number }) =>
      key === codeKey(known) && number === 9n ? '0xef' : plain(key),
    )
    expect(await moved(source, [known])).toBeNull()
  })

  test('an account that the block lacks cannot be told, and is not named again', async () => {
    const { source, forkReads } = chainOf((key, { number }) =>
      key === nonceKey(known) && number === 9n ? undefined : plain(key),
    )
    forkReads.askedAccount(known)
    expect(await moved(source, [known])).toBeNull()
    forkReads.askedAccount(known)
    expect(await moved(source, [])).toMatchObject({ others: [] })
  })
})

describe('answerCall', () => {
  test('a fork that moved on names the block that it forked from, and gets the pinned one', async () => {
    const { source } = chainOf((_key, { number }) => `0x${number.toString(16)}`)
    const ask = (method: string, params: readonly unknown[]) =>
      answerCall(source, pinned, { method, params, isForks: true, forkedAt: 5n })
    expect(ask('eth_getStorageAt', [known, '0x5', '0x5'])).toBe(hashOf(9n))
    expect(await ask('eth_getBalance', [known, '0x5'])).toBe('0x9')
    expect(await ask('eth_getAccountInfo', [known, '0x5'])).toMatchObject({ balance: '0x9' })
  })
})
