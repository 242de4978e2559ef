import { concat, keccak256, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../domain/primitives.js'
import { accessOf, deriveSlot, rulesOf, type TraceStep } from './slot-rules.js'

const token: Address = '0x00000000000000000000000000000000000000aa'
const books: Address = '0x00000000000000000000000000000000000000bb'
const owner: Address = '0x1111111111111111111111111111111111111111'
const spender: Address = '0x2222222222222222222222222222222222222222'
const other: Address = '0x3333333333333333333333333333333333333333'
const word = (value: bigint) => numberToHex(value, { size: 32 })

/** The step of hashing exactly these bytes, which lie at memory offset 0. */
function hashStep(preimage: Hex, depth = 1): TraceStep {
  const size = (preimage.length - 2) / 2
  const padded = preimage.slice(2).padEnd(Math.ceil(size / 32) * 64, '0')
  const memory = padded.match(/.{64}/g)?.map((hex) => `0x${hex}`) ?? []
  return { op: 'KECCAK256', depth, stack: [numberToHex(size), '0x0'], memory }
}

function loadStep(slot: Hex, depth = 1): TraceStep {
  return { op: 'SLOAD', depth, stack: ['0x1', slot] }
}

/** The slots of another owner. */
function derived(steps: TraceStep[]): Hex[] {
  return rulesOf(steps, token, { owner }).map((rule) => deriveSlot(rule, { owner: other }))
}

describe('rulesOf', () => {
  test('a Solidity mapping: key, then slot', () => {
    const preimage = (key: Address) => concat([pad(key), word(3n)])
    const steps = [hashStep(preimage(owner)), loadStep(keccak256(preimage(owner)))]
    expect(derived(steps)).toEqual([keccak256(preimage(other))])
  })

  test("a Vyper mapping: slot, then key; a key of 20 bytes amid others: Solady's", () => {
    for (const preimage of [
      (key: Address) => concat([word(3n), pad(key)]),
      (key: Address) => concat([key, '0x000000000000000087a211a2']),
    ]) {
      const steps = [hashStep(preimage(owner)), loadStep(keccak256(preimage(owner)))]
      expect(derived(steps)).toEqual([keccak256(preimage(other))])
    }
  })

  test('a member of a struct behind the hash', () => {
    const preimage = (key: Address) => concat([pad(key), word(3n)])
    const member = (key: Address) => word(BigInt(keccak256(preimage(key))) + 2n)
    expect(derived([hashStep(preimage(owner)), loadStep(member(owner))])).toEqual([member(other)])
  })

  test('an allowance: nested hashes, for another owner and another spender', () => {
    const inner = (key: Address) => concat([pad(key), word(4n)])
    const outer = (key: Address, to: Address) => concat([pad(to), keccak256(inner(key))])
    const steps = [
      hashStep(inner(owner)),
      hashStep(outer(owner, spender)),
      loadStep(keccak256(outer(owner, spender))),
    ]
    const [rule] = rulesOf(steps, token, { owner, spender })
    expect(rule && deriveSlot(rule, { owner: other, spender: token })).toBe(
      keccak256(outer(other, token)),
    )
  })

  test('the last load comes first, loads that do not depend on the owner not at all', () => {
    const preimage = (slot: bigint) => concat([pad(owner), word(slot)])
    const steps = [
      loadStep(word(0n)),
      hashStep(preimage(1n)),
      loadStep(keccak256(preimage(1n))),
      hashStep(preimage(2n)),
      loadStep(keccak256(preimage(2n))),
    ]
    const slots = rulesOf(steps, token, { owner }).map((rule) => deriveSlot(rule, { owner }))
    expect(slots).toEqual([keccak256(preimage(2n)), keccak256(preimage(1n))])
  })

  test('storage belongs to the called contract, or to the caller of a delegatecall', () => {
    const preimage = concat([pad(owner), word(1n)])
    const slot = keccak256(preimage)
    const call = (op: string): TraceStep => ({ op, depth: 1, stack: ['0x0', books, '0xffff'] })
    const inside = [hashStep(preimage, 2), loadStep(slot, 2)]
    const contract = (op: string) => rulesOf([call(op), ...inside], token, { owner })[0]?.contract
    expect(contract('STATICCALL')).toBe(books)
    expect(contract('CALL')).toBe(books)
    expect(contract('DELEGATECALL')).toBe(token)
  })
})

describe('accessOf', () => {
  const mapping = (key: Address, slot: bigint) => concat([pad(key), word(slot)])
  const nested = (key: Address, to: Address) => concat([pad(to), keccak256(mapping(key, 4n))])

  test('a switch is a slot of its own; balances of both parties are one formula; an allowance needs both', () => {
    const steps: TraceStep[] = [
      loadStep(word(7n)),
      ...[owner, spender].flatMap((party) => [
        hashStep(mapping(party, 3n)),
        loadStep(keccak256(mapping(party, 3n))),
      ]),
      hashStep(mapping(owner, 4n)),
      hashStep(nested(owner, spender)),
      { ...loadStep(keccak256(nested(owner, spender))), op: 'SSTORE' },
    ]
    const access = accessOf(steps, token, { owner, spender })
    expect(access.slots).toEqual([{ contract: token, slot: word(7n) }])
    const balances = access.byParty.map((rule) => deriveSlot(rule, { owner: other }))
    expect(new Set(balances)).toEqual(new Set([keccak256(mapping(other, 3n))]))
    const allowances = access.byPair.map((rule) =>
      deriveSlot(rule, { owner: spender, spender: other }),
    )
    expect(allowances).toEqual([keccak256(nested(spender, other))])
  })

  test('code that runs elsewhere is named: with storage of its own, or on that of the token', () => {
    const to = (address: Address) => ['0x0', '0x0', address, '0xffff']
    const steps: TraceStep[] = [
      { op: 'DELEGATECALL', depth: 1, stack: to(other) },
      loadStep(word(1n), 2),
      { op: 'STATICCALL', depth: 2, stack: to(books) },
      loadStep(word(2n), 3),
    ]
    const { contracts, slots } = accessOf(steps, token, { owner, spender })
    expect(contracts).toEqual([other, books])
    expect(slots).toEqual([
      { contract: token, slot: word(1n) },
      { contract: books, slot: word(2n) },
    ])
  })
})
