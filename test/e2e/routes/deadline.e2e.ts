/**
 * Transactions with a deadline, as each routing strategy sends them: mined before it they work, mined after it they
 * revert. Each on an Anvil of its own.
 */
import { encodeErrorResult, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { executorContracts } from '../../../src/executor/deployments.js'
import { readSwap, swapSelector } from '../../../src/executor/swap-order.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle } from '../../support/bundle.js'
import { asSent, executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'

const { address: alice } = sandboxAccount('alice')
const [usdc, dai] = [sandboxToken('USDC').address, sandboxToken('DAI').address]
const ether = 10n ** 18n
const latestDeadline = 2n ** 32n - 1n
const strategies = ['router', 'router-legacy', 'svcwallet-v2', 'delegate', 'delegate-legacy']
/** A position that the sandbox has, over the whole range of Uniswap V3's pool of USDC and WETH. */
const positionOut =
  '1:0xc36442b4a4522e871399cd717abdd847ab11fe88:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640--887270-887270'

let sandbox: Sandbox
let service: TestService
let node: NodeWriter

beforeAll(async () => {
  sandbox = await startSandbox()
  node = await new NodeWriter(sandbox.url).start()
  service = await startService({ RPC_URL_1: sandbox.url })
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await sandbox?.stop()
})

const query = {
  chainId: '1',
  fromAddress: alice,
  executionMode: 'backend',
  tokenIn: nativeToken,
  amountIn: ether.toString(),
  tokenOut: dai,
}
const ask = (more: Record<string, string>) =>
  service.get('/api/v1/shortcuts/route', { ...query, ...more })

async function timestampOf({ body }: Answer): Promise<bigint> {
  const block = [numberToHex(body.blockNumber), false]
  return BigInt((await node.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', block)).timestamp)
}

/** Carries it out so many seconds after the block of the answer. */
async function minedAfter(
  { body }: Answer,
  seconds: number,
  strategy: string,
  owner: Address = alice,
) {
  const sent = asSent(body.tx, strategy, alice)
  let reason = ''
  const done = await executeOnFork({
    nodeUrl: sandbox.url,
    blockNumber: body.blockNumber,
    blockTimeSeconds: seconds,
    watch: [{ token: dai, owner }],
    ...sent,
    async inspect(anvil) {
      const { from, to, data, value } = sent.tx
      const call = { from, to, data, value: numberToHex(BigInt(value)) }
      await anvil.rpc('eth_call', [call, 'latest']).catch((error: Error) => {
        reason = error.message
      })
    },
  })
  return { ...done, reason }
}

/** As the message of an Anvil spells it. */
function deadlinePassed(deadline: bigint, timestamp: bigint): string {
  const { abi } = executorContracts.Router
  const data = encodeErrorResult({ abi, errorName: 'DeadlinePassed', args: [deadline, timestamp] })
  return data.slice(10)
}

const wordOf = (value: bigint) => numberToHex(value, { size: 32 }).slice(2)
/** How often the transaction names it; `swap()` names none where there is none. */
function timesIn({ body }: Answer, value: bigint): number {
  const { data } = body.tx
  if (!data.startsWith(swapSelector)) return data.split(wordOf(value)).length - 1
  return (readSwap(data).deadline ?? latestDeadline) === value ? 1 : 0
}

describe('a deadline', () => {
  test.each(strategies)('%s: it can be met, and not be missed', async (routingStrategy) => {
    const answer = await ask({ routingStrategy, deadline: '60' })
    expect(answer.status, answer.text).toBe(200)
    const start = await timestampOf(answer)
    expect(timesIn(answer, start + 60n)).toBeGreaterThan(0)
    const met = await minedAfter(answer, 60, routingStrategy)
    expect(met).toMatchObject({ status: 'success', deltas: [BigInt(answer.body.amountOut)] })
    const missed = await minedAfter(answer, 61, routingStrategy)
    expect(missed).toMatchObject({ status: 'reverted', deltas: [0n] })
    expect(missed.reason).toContain(deadlinePassed(start + 60n, start + 61n))
  })

  test.each(strategies)('%s: a bundle', async (routingStrategy) => {
    const args = { tokenIn: nativeToken, tokenOut: dai, amountIn: ether.toString() }
    const answer = await askBundle(
      service,
      { fromAddress: alice, routingStrategy, deadline: '60' },
      [{ protocol: 'svc', action: 'route', args }],
    )
    expect(answer.status, answer.text).toBe(200)
    const start = await timestampOf(answer)
    const met = await minedAfter(answer, 60, routingStrategy)
    expect(met).toMatchObject({ status: 'success', deltas: [BigInt(answer.body.amountsOut[dai])] })
    const missed = await minedAfter(answer, 61, routingStrategy)
    expect(missed).toMatchObject({ status: 'reverted', deltas: [0n] })
    expect(missed.reason).toContain(deadlinePassed(start + 60n, start + 61n))
  })

  test('nontokenized: calls that take a deadline of their own get it too', async () => {
    const path = '/api/v1/shortcuts/route/nontokenized'
    const { tokenOut: _, ...given } = query
    const asked = { ...given, receiver: alice, positionOut }
    const answer = await service.get(path, { ...asked, deadline: '60' })
    expect(answer.status, answer.text).toBe(200)
    const start = await timestampOf(answer)
    expect(timesIn(answer, start + 60n)).toBe(2)
    expect(await minedAfter(answer, 60, 'router')).toMatchObject({ status: 'success' })
    expect(await minedAfter(answer, 61, 'router')).toMatchObject({ status: 'reverted' })
    // Without one there is none, inside as outside.
    const open = await service.get(path, asked)
    expect(timesIn(open, latestDeadline)).toBe(2)
  })

  test('seconds, unix seconds and a time name the same; without one there is none', async () => {
    const first = await ask({})
    expect(timesIn(first, latestDeadline)).toBe(1)
    const start = await timestampOf(first)
    const iso = new Date(Number(start + 600n) * 1_000).toISOString()
    const texts = ['600', String(start + 600n), iso, iso.replace('Z', '+00:00')]
    const { blockNumber } = first.body
    const answers = await Promise.all(
      texts.map((deadline) => ask({ deadline, blockNumber: String(blockNumber) })),
    )
    for (const answer of answers) expect(answer.text).toBe(answers[0]?.text)
    expect(timesIn(answers[0] as Answer, start + 600n)).toBe(1)
    const posted = await service.post('/api/v1/shortcuts/route', {
      ...query,
      blockNumber,
      deadline: 600,
    })
    expect(posted.text).toBe(answers[0]?.text)
  })

  test('one that no block can meet is refused', async () => {
    const late = await ask({ deadline: '11' })
    expect(late.status).toBe(400)
    expect(late.body).toMatchObject({ code: 'INVALID_REQUEST' })
    expect(late.text).toContain('is before the block after')
    const past = await askBundle(
      service,
      { fromAddress: alice, deadline: '2001-09-10T00:00:00Z' },
      [{ protocol: 'svc', action: 'transfer', args: { token: usdc, recipient: dai, amount: '1' } }],
    )
    expect(past.status).toBe(400)
    expect(past.text).toContain('is before the block after')
    for (const deadline of ['soon', '-1', '1772366400000', '2026-03-01T12:00:00']) {
      const answer = await ask({ deadline })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('deadline must be seconds after the block')
    }
  })
})
