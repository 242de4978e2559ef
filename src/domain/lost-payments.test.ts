import { expect, test } from 'vitest'
import { whyLost } from './lost-payments.js'

const [usdc, dai, account] = ['0xaa', '0xbb', '0xcc'] as const

test('a token’s own contract may not be paid, by one sentence for orders and actions; others may', () => {
  expect(whyLost(usdc, [dai, usdc])).toBe(
    "is the contract of a token that goes in or comes out: what a token's own contract is paid is lost",
  )
  expect(whyLost(account, [dai, usdc])).toBeNull()
})
