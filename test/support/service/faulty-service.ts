/** The service in front of a node of the sandbox that fails on demand. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { type FaultyNode, startFaultyNode } from '../nodes/faulty-node.js'
import { type SandboxContext, withSandbox } from '../sandbox.js'
import type { TestService } from './service.js'

const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'

export const fast = { HEAD_POLL_MS: '250' }
export const swap = { chainId: '1', tokenIn: weth, tokenOut: usdc, amountIn: `${10n ** 18n}` }

/** Call in a file; the node is well again after each test. */
export function withFaultyNode(): () => SandboxContext & { readonly node: FaultyNode } {
  const context = withSandbox()
  let node: FaultyNode
  beforeAll(async () => {
    node = await startFaultyNode(context().sandbox.url)
  })
  afterAll(() => node?.stop())
  afterEach(() => node.fail('none'))
  return () => ({ ...context(), node })
}

export const quote = (service: TestService, more: Record<string, string> = {}) =>
  service.get('/api/v1/shortcuts/quote', { ...swap, ...more })
