/** Bundles behind a front-run that takes more than the slippage: what they promise is enforced wherever it goes. */
import { beforeAll, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { type Action, askBundle, executeBundle } from '../../support/bundle.js'
import {
  donation,
  executeBehind,
  type Move,
  minimumReasons,
  swap,
} from '../../support/front-run.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, uni, crv] = [addressOf('WETH'), addressOf('UNI'), addressOf('CRV')]
const from: Address = '0x00000000000000000000000000000000000f0b27'
const other: Address = '0x00000000000000000000000000000000000f0b28'
const ether = 10n ** 18n

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

async function ask(actions: readonly Action[], more: Readonly<Record<string, string>> = {}) {
  const { status, body } = await askBundle(service, { fromAddress: from, ...more }, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** It works by itself, and reverts at a minimum behind the move. */
async function expectRevert(actions: readonly Action[], move: Move) {
  const body = await ask(actions)
  expect((await executeBundle(service, body)).status).toBe('success')
  const { status, reason } = await executeBehind(service, body, move)
  expect({ status, reason }).toEqual({
    status: 'reverted',
    reason: expect.stringMatching(minimumReasons),
  })
}

const mint = {
  protocol: 'uniswap-v3',
  action: 'deposit',
  args: {
    primaryAddress: contractAddresses.v3PositionManager,
    tokenIn: [weth, uni],
    amountIn: [(10n * ether).toString(), (3_000n * ether).toString()],
    fee: 500,
  },
}

/** Of UNI and WETH at 0.05 percent, 300,000 USD deep. */
const shallow = sandboxPools().find(
  ({ protocol, tokens, parameters }) =>
    protocol === 'uniswap-v3' &&
    parameters.fee === 500 &&
    tokens.includes(uni) &&
    tokens.includes(weth),
)

test('a position of Uniswap V3 does not take its tokens at a price that 40 WETH have moved', async () => {
  const pool = shallow?.address ?? '0x'
  const tokens = { protocol: 'uniswap-v3', pool, tokenIn: weth, tokenOut: uni }
  await expectRevert([mint], swap({ ...tokens, amount: 40n * ether }))
})

test('shares of a vault that it mints to a receiver', async () => {
  const vault = sandboxVault('CRV')
  const deposit = {
    protocol: 'erc-4626',
    action: 'deposit',
    args: {
      primaryAddress: vault,
      tokenIn: crv,
      amountIn: (1_000n * ether).toString(),
      receiver: other,
    },
  }
  await expectRevert([deposit], donation(crv, vault, 1_000_000n * ether))
})
