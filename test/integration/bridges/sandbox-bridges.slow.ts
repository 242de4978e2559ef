/** The bridges of the sandbox's chains as anybody finds them: what they quote, what they take, what they refuse. */
import { decodeEventLog, type Hex, type Log, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stargatePools } from '../../../src/bridges/stargate/pools.js'
import { chainById } from '../../../src/chains/registry.js'
import { isNative } from '../../../src/domain/primitives.js'
import { bridgeAddresses } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import {
  bridgeAbi,
  composeOptions,
  rawTransfers,
  type StargateTransfer,
} from '../../support/bridges/raw-transfers.js'

const chainIds = [1, 42161, 8453]
const directions = chainIds.flatMap((from) =>
  chainIds.filter((to) => to !== from).map((to) => ({ from, to })),
)
const receiver = '0x00000000000000000000000000000000000cafe0'
const sandboxes = new Map<number, Sandbox>()

beforeAll(async () => {
  for (const chainId of chainIds) sandboxes.set(chainId, await startSandbox({ chainId }))
})

afterAll(async () => {
  for (const sandbox of sandboxes.values()) await sandbox.stop()
})

function definition(chainId: number) {
  const found = chainById(chainId)
  if (!found) throw new RangeError(`no chain ${chainId}`)
  return found
}

const on = (chainId: number) => rawTransfers(chainId, sandboxes.get(chainId)?.url ?? '')

function transfer(from: number, to: number, symbol: string, amount: bigint): StargateTransfer {
  const pool = stargatePools(definition(from)).find((entry) => entry.symbol === symbol)
  if (!pool) throw new RangeError(`no pool of ${symbol}`)
  return {
    pool: pool.pool,
    eid: bridgeAddresses(definition(to)).eid,
    amount,
    to: receiver,
    ...(!isNative(pool.token) && { token: pool.token }),
  }
}

const eventsNamed = (logs: readonly Log[], name: 'PacketSent' | 'FundsDeposited') =>
  logs.flatMap(({ topics, data }) => {
    try {
      const event = decodeEventLog({ abi: bridgeAbi, topics, data })
      return event.eventName === name ? [event.args] : []
    } catch {
      return []
    }
  })

describe.each(directions)('from $from to $to', ({ from, to }) => {
  test.each([
    ['USDC', parseUnits('1000', 6)],
    ['ETH', parseEther('2')],
  ] as const)('Stargate quotes %s, takes it and sends a packet', async (symbol, amount) => {
    const chain = on(from)
    const plain = transfer(from, to, symbol, amount)
    const { received, nativeFee } = await chain.quote(plain)
    // Of 1,000,000: 60, and one shared unit.
    const unit = symbol === 'ETH' ? 10n ** 12n : 1n
    expect(received).toBe(amount - (amount * 60n) / 1_000_000n - unit)
    const withCompose = { ...plain, message: '0x1234', options: composeOptions(500_000n) } as const
    const dearer = await chain.quote(withCompose)
    expect(dearer.nativeFee).toBeGreaterThan(nativeFee)
    const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const before = await chain.balance(undefined, sender)
    const surplus = parseEther('0.01')
    const receipt = await chain.send(withCompose, dearer.nativeFee + surplus)
    const [packet] = eventsNamed(receipt.logs, 'PacketSent')
    expect((packet as { encodedPayload: Hex }).encodedPayload).toContain(receiver.slice(2))
    // The surplus came back: less than it is missing besides amount, fee and gas.
    const spent = before - (await chain.balance(undefined, sender))
    const owed = dearer.nativeFee + (symbol === 'ETH' ? amount : 0n)
    expect(spent).toBeLessThan(owed + surplus)
    expect(spent).toBeGreaterThan(owed)
  })

  test('Across takes a deposit', async () => {
    const [source, destination] = [definition(from), definition(to)].map(bridgeAddresses)
    const inputToken = source?.acrossTokens.get('USDC')
    const outputToken = destination?.acrossTokens.get('USDC')
    if (!source || !inputToken || !outputToken) throw new Error('no USDC')
    const receipt = await on(from).deposit({
      spokePool: source.spokePool,
      inputToken,
      outputToken,
      to: receiver,
      inputAmount: 1_000_000_000n,
      outputAmount: 999_000_000n,
      destinationChainId: to,
    })
    const [deposit] = eventsNamed(receipt.logs, 'FundsDeposited')
    expect(deposit).toMatchObject({ outputAmount: 999_000_000n, destinationChainId: BigInt(to) })
  })
})

test('the credit from Base to Arbitrum is 25,000 USDC: quoted as the limit, and more is refused', async () => {
  const chain = on(8453)
  const large = transfer(8453, 42161, 'USDC', parseUnits('30000', 6))
  const { limit, nativeFee } = await chain.quote(large)
  expect(limit).toBe(parseUnits('25000', 6) - 1_000_000_000n + 60_001n)
  await expect(chain.send(large, nativeFee)).rejects.toThrow()
})
