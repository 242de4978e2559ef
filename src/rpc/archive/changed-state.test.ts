import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../domain/primitives.js'
import { balanceKey, codeKey, type ItemKey, nonceKey, storageKey } from '../node/state-item.js'
import type { ChainSource } from './chain-source.js'
import { ChangedSource, changedValues } from './changed-state.js'

const account: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'
const at = { number: 1n, hash: `0x${'1'.repeat(64)}` as Hex }

const fifth: Hex = `0x${'0'.repeat(63)}5`

/** Everything is seven there; keeps what it was asked and told. */
function chain() {
  const asked: ItemKey[] = []
  const told: string[] = []
  const tell = (name: string) => () => void told.push(name)
  const source = {
    read: (key: ItemKey) => {
      asked.push(key)
      return { ok: true as const, value: '0x7' as const }
    },
    ahead: async (key: ItemKey) => asked.push(key) > 0,
    held: () => [[storageKey(other, '0x1'), '0x7']] as const,
    learned: { get: () => 'known', put: tell('put') },
    poolSets: { keysOf: () => [], watch: tell('watch'), miss: tell('miss'), learn: tell('learn') },
    forkReads: {
      keys: () => [storageKey(other, '0x1')],
      asked: tell('asked'),
      requests: 1,
      accounts: () => [other],
      askedAccount: tell('askedAccount'),
      lacksAccount: tell('lacksAccount'),
    },
    heldAccounts: () => [other],
  }
  return { source: source as unknown as ChainSource, asked, told }
}

describe('ChangedSource', () => {
  test('answers what was changed by itself, and everything else from the chain', () => {
    const { source, asked } = chain()
    const values = changedValues({
      [account]: {
        balance: 0n,
        nonce: 3,
        code: '0xFE',
        stateDiff: { [fifth]: `0x${'0'.repeat(63)}9` },
      },
    })
    const changed: ChainSource = new ChangedSource(source, values)
    const read = (key: ItemKey) => changed.read(key, at)
    expect(read(balanceKey(account))).toEqual({ ok: true, value: '0x0' })
    expect(read(nonceKey(account))).toEqual({ ok: true, value: '0x3' })
    expect(read(codeKey(account))).toEqual({ ok: true, value: '0xfe' })
    expect(read(storageKey(account, '0x05'))).toEqual({ ok: true, value: '0x9' })
    expect(asked).toEqual([])
    const kept = [storageKey(account, '0x6'), balanceKey(other), storageKey(other, '0x5')]
    for (const key of kept) expect(read(key)).toEqual({ ok: true, value: '0x7' })
    expect(asked).toEqual(kept)
  })

  test('with state, every slot of the account that is not named is zero', async () => {
    const { source, asked } = chain()
    const word: Hex = `0x${'f'.repeat(64)}`
    const state = { [fifth]: word }
    const changed: ChainSource = new ChangedSource(source, changedValues({ [account]: { state } }))
    expect(changed.read(storageKey(account, '0x5'), at)).toEqual({
      ok: true,
      value: word,
    })
    expect(changed.read(storageKey(account, '0x6'), at)).toEqual({ ok: true, value: '0x0' })
    expect(await changed.ahead(storageKey(account, '0x7'), at)).toBe(true)
    expect(asked).toEqual([])
    expect(changed.read(codeKey(account), at)).toEqual({ ok: true, value: '0x7' })
  })

  test('nothing that is read or learnt there is told to the chain', () => {
    const { source, told } = chain()
    const changed: ChainSource = new ChangedSource(
      source,
      changedValues({ [account]: { nonce: 1 } }),
    )
    changed.learned.put('topic', 'value')
    changed.poolSets.watch(at.hash)
    changed.poolSets.miss('key', at.hash)
    changed.poolSets.learn([], at.hash)
    changed.forkReads.asked('key')
    changed.forkReads.askedAccount(other)
    changed.forkReads.lacksAccount(other)
    expect(told).toEqual([])
    expect(changed.learned.get('topic')).toBe('known')
    expect([changed.forkReads.keys(), changed.held([], at)]).toEqual([[], []])
    expect([changed.forkReads.accounts(), changed.heldAccounts([other], at)]).toEqual([[], []])
  })
})
