import { describe, expect, test } from 'vitest'
import { pinOf } from '../../../test/support/pin.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Deadline } from '../../domain/deadline.js'
import { deadlineOf } from './order-deadline.js'

const timestamp = 1_700_000_000n
const pin = { ...pinOf(1, 100), timestamp }
const task = { pin, chain: ethereum }
const of = (deadline?: Deadline) => deadlineOf(task, { ...(deadline && { deadline }) })
const later = (seconds: bigint) => of({ kind: 'after', seconds })

describe('deadlineOf', () => {
  test('none without one', () => {
    expect(of()).toBeUndefined()
  })

  test('a duration counts from the block', () => {
    expect(later(600n)).toBe(timestamp + 600n)
  })

  test('a time is taken as it is', () => {
    expect(of({ kind: 'at', timestamp: timestamp + 90n })).toBe(timestamp + 90n)
  })

  test('the next block, 12 seconds later, must be able to meet it', () => {
    expect(later(12n)).toBe(timestamp + 12n)
    expect(() => later(11n)).toThrow('is before the block after 100, which is due at 1700000012')
    expect(() => of({ kind: 'at', timestamp })).toThrow('is before the block')
    expect(later(999_999_999n)).toBe(2_699_999_999n)
  })

  test('a duration that leads beyond what call data can hold is refused', () => {
    const late = { ...task, pin: { ...pin, timestamp: 4_000_000_000n } }
    const deadline = { kind: 'after', seconds: 900_000_000n } as const
    expect(() => deadlineOf(late, { deadline })).toThrow('is after 4294967295')
  })
})
