/** Bundles over HTTP on the sandbox chain; the returned transaction is carried out on a separate Anvil. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeToken } from '../../src/domain/primitives.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import { askBundle, executeBundle, output } from '../support/bundle.js'
import { startService, type TestService } from '../support/service.js'

const [weth, usdc, dai, wbtc, link, sta] = ['WETH', 'USDC', 'DAI', 'WBTC', 'LINK', 'STA'].map(
  (symbol) => sandboxToken(symbol).address,
) as [`0x${string}`, ...`0x${string}`[]] as `0x${string}`[] & { length: 6 }
const from = '0x00000000000000000000000000000000000f00d5'
const ether = (10n ** 18n).toString()
const svc = 'svc'

let service: TestService

beforeAll(async () => {
  service = await startService({ WORKERS: '2', SERVICE_NAME: svc })
})

afterAll(() => service.stop())

const route = (tokenIn: unknown, tokenOut: unknown, amountIn: unknown, more = {}) => ({
  protocol: svc,
  action: 'route',
  args: { tokenIn, tokenOut, amountIn, ...more },
})

describe('bundle', () => {
  test('one route delivers exactly what it says', async () => {
    const { status, body } = await askBundle(service, { fromAddress: from }, [
      route(weth, usdc, ether),
    ])
    expect(status, JSON.stringify(body)).toBe(200)
    const execution = await executeBundle(service, body)
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
    expect(execution.gasUsed.toString()).toBe(body.gas)
  })
})
