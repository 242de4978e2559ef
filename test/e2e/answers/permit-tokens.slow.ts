/**
 * Which tokens take permits of EIP-2612, told by what they do: tokens of the sandbox with other code in their place,
 * some of which only look as if they did. What is said to be EIP-2612 is signed and carried out.
 */
import { encodeAbiParameters, keccak256, numberToHex, parseAbiParameters, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { permit2Approval } from '../../../src/executor/permit2.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { carryOut, signed } from '../../support/routing/permits.js'
import { withSandbox } from '../../support/sandbox.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const carol = sandboxAccount('carol')
const weth = sandboxToken('WETH').address

const kinds = [
  { symbol: 'UNI', contract: 'VersionlessToken', kind: 'eip2612' },
  { symbol: 'LINK', contract: 'StatedDomainToken', kind: 'eip2612' },
  { symbol: 'AAVE', contract: 'LyingSeparatorToken', kind: 'permit2' },
  { symbol: 'LDO', contract: 'OtherTypeToken', kind: 'permit2' },
  { symbol: 'DAI', contract: 'OtherChainToken', kind: 'permit2' },
  { symbol: 'FRAX', contract: 'YesToken', kind: 'permit2' },
  { symbol: 'WBTC', contract: 'BurningToken', kind: 'permit2' },
  { symbol: 'sUSD', contract: 'BytesSignatureToken', kind: 'permit2' },
]

const place = (symbol: string) => ({
  chainId: 1,
  verifyingContract: sandboxToken(symbol).address,
})
const domains: Readonly<Record<string, object>> = {
  UNI: { name: 'Uniswap', ...place('UNI') },
  LINK: { name: 'Another name', version: 'v7', ...place('LINK'), salt: keccak256(toHex('salt')) },
}
/** Of the contracts' mapping. */
const noncesSlot = 5n

const context = withSandbox()
let service: TestService

beforeAll(async () => {
  const { client, sandbox } = context()
  const contract = compileTestContracts('Permits.sol')
  for (const { symbol, contract: name } of kinds) {
    const { address } = sandboxToken(symbol)
    await client.request('anvil_setCode', [address, contract(name).runtime])
  }
  // Carol has given permits before.
  const slot = keccak256(
    encodeAbiParameters(parseAbiParameters('address, uint256'), [carol.address, noncesSlot]),
  )
  const { address } = sandboxToken('UNI')
  await client.request('anvil_setStorageAt', [address, slot, numberToHex(41, { size: 32 })])
  await client.request('evm_mine')
  service = await startService({ RPC_URL_1: sandbox.url, RATE_LIMIT_PER_MINUTE: '1000000' })
})
afterAll(() => service?.stop())

test.each(kinds)(
  '$contract is for $kind, and delivers amountOut at the gas of the answer',
  async ({ symbol, kind }) => {
    const { address: tokenIn, decimals } = sandboxToken(symbol)
    const amountIn = 10n ** BigInt(decimals)
    const trade = { tokenIn, tokenOut: weth, amountIn: amountIn.toString() }
    const answer = await service.get('/api/v1/shortcuts/route', {
      ...trade,
      fromAddress: carol.address,
      permit: 'true',
      executionMode: kind === 'eip2612' ? 'user' : 'backend',
    })
    expect(answer.status, answer.text).toBe(200)
    const { body } = answer
    expect(body.permit.kind).toBe(kind)
    if (kind === 'eip2612') {
      const nonce = symbol === 'UNI' ? '41' : '0'
      expect(body.permit.typedData).toMatchObject({ domain: domains[symbol], message: { nonce } })
      expect(Object.keys(body.permit.typedData.domain)).toEqual(Object.keys(domains[symbol] ?? {}))
    }
    const { tx, gas } = await signed(answer, carol)
    const approval = { from: carol.address, to: tokenIn, value: '0', key: carol.privateKey }
    const done = await carryOut(service.nodeUrl, answer, {
      tx,
      trade,
      first: kind === 'permit2' ? [{ ...approval, data: permit2Approval(amountIn) }] : [],
    })
    expect(done).toMatchObject({ status: 'success', allowed: [0n, 0n] })
    expect(done.deltas).toEqual([-amountIn, BigInt(body.amountOut), 0n, 0n])
    expect(done.gasUsed).toBe(gas)
  },
)
