import { describe, expect, test } from 'vitest'
import { explainVault } from './errors.js'

const owner = '0x90f79bf6eb2c4f870365e785982e1f101e93b906'

describe('explainVault', () => {
  test.each([
    ['EnforcedPause()', 'the vault is paused'],
    [`ERC4626ExceededMaxDeposit(${owner}, 100, 70)`, 'the vault takes at most 70 more'],
    [`ERC4626ExceededMaxWithdraw(${owner}, 100, 70)`, 'the vault gives at most 70'],
    [
      `ERC4626ExceededMaxRedeem(${owner}, 100, 70)`,
      'the vault takes at most 70 of its shares back',
    ],
    [`ERC4626ExceededMaxMint(${owner}, 100, 70)`, null],
    ['AllCapsReached()', null],
  ])('%s', (reason, words) => {
    expect(explainVault(reason)).toBe(words)
  })
})
