/** One request to instances of the service that know nothing of each other. */
import { describe, expect, test } from 'vitest'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { startService } from '../../support/service/service.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address) as [
  string,
  string,
]
const alice = sandboxAccount('alice').address

describe('determinism', () => {
  test('the same request at the same block on two fresh instances gives identical bytes', async () => {
    const query = {
      chainId: '1',
      fromAddress: alice,
      tokenIn: usdc,
      amountIn: '123456789012',
      tokenOut: weth,
      includeTransactionCost: 'true',
    }
    const texts: string[] = []
    for (const forks of ['1', '2']) {
      const fresh = await startService({ AUTH_MODE: 'open', FORKS_PER_BLOCK: forks })
      const answer = await fresh.get('/api/v1/shortcuts/route', query)
      await fresh.stop()
      expect(answer.status, answer.text).toBe(200)
      texts.push(answer.text)
    }
    expect(texts[1]).toBe(texts[0])
  })
})
