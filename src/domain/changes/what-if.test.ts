import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { nextBlockTime, stateKey, toPinChanges } from './what-if.js'

const pin = { ...storageReader({}).block, timestamp: 100n }
const account = '0x00000000000000000000000000000000000000aa'

describe('stateKey', () => {
  test('differs for changed state, and not for a changed block alone', () => {
    const block = { timestamp: 200n, baseFeePerGas: 1n }
    const at = (stateId: string | null) => ({
      ...pin,
      changes: toPinChanges({ accounts: { [account]: { nonce: 1 } }, block }, stateId),
    })
    expect(stateKey(at(null))).toBe(stateKey(pin))
    expect(new Set([pin, at('a'), at('b')].map(stateKey)).size).toBe(3)
  })
})

describe('toPinChanges', () => {
  test('names the accounts whose storage or code differs', () => {
    const of = (change: object) =>
      toPinChanges({ accounts: { [account]: change }, block: {} }, 'id')
    expect(of({ balance: 1n, nonce: 1 })).toMatchObject({ hasCode: false, contracts: [] })
    expect(of({ state: {} })).toMatchObject({ hasCode: false, contracts: [account] })
    expect(of({ stateDiff: {} })).toMatchObject({ hasCode: false, contracts: [account] })
    expect(of({ code: '0x' })).toMatchObject({ hasCode: true, contracts: [account] })
  })
})

describe('nextBlockTime', () => {
  test('is what was asked for, else a block time later, of a second at least', () => {
    expect(nextBlockTime(pin, 12)).toBe(112n)
    expect(nextBlockTime(pin, 0.25)).toBe(101n)
    const changes = toPinChanges({ accounts: {}, block: { timestamp: 5_000n } }, null)
    expect(nextBlockTime({ ...pin, changes }, 12)).toBe(5_000n)
  })
})
