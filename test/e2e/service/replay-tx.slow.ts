/** `forkroute replay-tx`: orders that were mined on the node behind the service, explained by the command line. */
import { numberToHex } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/primitives.js'
import { alice, type Mode, usdc, withAdversaries } from '../../support/adversaries.js'
import { type Outcome, runCli } from '../../support/cli.js'
import { startFaultyNode } from '../../support/nodes/rpc-node.js'
import type { Answer } from '../../support/service/service.js'

const context = withAdversaries()
const opened: { stop(): Promise<unknown> }[] = []
afterAll(async () => {
  for (const one of opened) await one.stop()
})

interface Mined {
  readonly url: string
  readonly hashes: readonly Hex[]
}

/** All in the block after the answers', `seconds` after it. */
async function mine(answers: readonly Answer[], seconds: number): Promise<Mined> {
  const { client, sandbox } = context()
  const { timestamp } = await client.request<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await client.request('evm_setAutomine', [false])
  await client.request('evm_setNextBlockTimestamp', [
    numberToHex(BigInt(timestamp) + BigInt(seconds)),
  ])
  const hashes: Hex[] = []
  for (const { body } of answers) {
    const { from, to, data, value } = body.tx
    const tx = { from, to, data, value: numberToHex(BigInt(value)), gas: '0xf4240' }
    hashes.push(await client.request<Hex>('eth_sendTransaction', [tx]))
  }
  await client.request('evm_mine')
  await client.request('evm_setAutomine', [true])
  return { url: sandbox.url, hashes }
}

/** Only the liar, or the honest pair that it can be. */
async function routeThroughPair(mode: Mode, slippage: string): Promise<Answer> {
  const { become, route, pair, refill } = context()
  await refill()
  const answer = await route(await become(pair, mode), { slippage })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.text).toContain(pair)
  return answer
}

const replay = (hash: string, url: string, ...more: string[]): Promise<Outcome> =>
  runCli(['replay-tx', hash, '--rpc-url', url, ...more])

async function explained({ url }: { url: string }, hash: Hex | undefined, ...more: string[]) {
  const { code, out, err } = await replay(hash ?? '', url, '--json', ...more)
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

describe('forkroute replay-tx', () => {
  test('an honest pair: every step moved what it promised, and nobody is named', async () => {
    const answer = await routeThroughPair('timestamp', '50')
    const mined = await mine([answer], 12)
    const found = await explained(mined, mined.hashes[0])
    expect(found).toMatchObject({
      status: 'success',
      reason: null,
      culprit: null,
      readFrom: 'node',
      entry: 'Router.execute',
      from: alice,
      simulatedAt: String(answer.body.blockNumber),
      outputs: [
        {
          token: usdc,
          minAmountOut: answer.body.minAmountOut,
          promised: answer.body.amountOut,
          happened: answer.body.amountOut,
        },
      ],
    })
    const gave = found.steps.flatMap((step: { happened: object[] }) => step.happened)
    expect(gave).toContainEqual(expect.objectContaining({ token: usdc, to: found.runner }))
  })

  test.each([
    ['one that the minimum stopped', '50', 'reverted'],
    ['one that a wide slippage let through', '2000', 'success'],
  ])('a pair that lied, %s: it is named, and how much it kept', async (_name, slippage, status) => {
    const { pair } = context()
    const answer = await routeThroughPair('timestamp', slippage)
    const mined = await mine([answer], 13)
    const found = await explained(mined, mined.hashes[0])
    expect(found).toMatchObject({ status, culprit: { payer: pair, token: usdc, cause: 'lied' } })
    expect(found.culprit.bps).toBeGreaterThanOrEqual(999)
    expect(found.culprit.bps).toBeLessThanOrEqual(1_000)
    expect(BigInt(found.outputs[0].happened)).toBeLessThan(BigInt(answer.body.amountOut))
    expect(found.outputs[0].promised).toBe(answer.body.amountOut)
    if (status === 'reverted') expect(found.reason).toMatch(/^InsufficientOutput\(0x/)
    const { out } = await replay(mined.hashes[0] ?? '', mined.url)
    expect(out).toContain(`${pair} lied: it gave`)
  })

  test('a step that fails is named with its reason', async () => {
    const { become, pair } = context()
    const answer = await routeThroughPair('honest', '50')
    await become(pair, 'revert bomb')
    const mined = await mine([answer], 12)
    const at = String(answer.body.blockNumber)
    const found = await explained(mined, mined.hashes[0], '--block', at)
    expect(found).toMatchObject({ status: 'reverted', simulatedAt: at, simulationFails: null })
    expect(found.reason).toMatch(/^StepFailed\(/)
    expect(found.steps[found.failedStep].promised.length).toBeGreaterThan(0)
    expect(found.steps[found.failedStep].happened).toBeNull()
  })

  test('what is not there, is not ours, or is no hash is refused with its reason', async () => {
    const { url } = context().sandbox
    await context().refill()
    const refused = async (hash: string, ...more: string[]) => {
      const { code, out } = await replay(hash, url, '--json', ...more)
      expect(code).toBe(1)
      return JSON.parse(out)
    }
    const absent = `0x${'12'.repeat(32)}`
    expect(await refused(absent)).toMatchObject({
      code: 'NOT_FOUND',
      message: `The node knows no transaction ${absent}. Check the hash, and that the node is one of its chain.`,
    })
    expect(await refused('0x12')).toMatchObject({ code: 'INVALID_REQUEST' })
    const block = await context().client.request<{ transactions: Hex[] }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const foreign = block.transactions[0] ?? ''
    expect(await refused(foreign)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: `${foreign} carries no order for the contracts of this version of forkroute.`,
    })
  })

  test('an honest pair after another swap of its block: it is moved, by a node that traces and by one that does not', async () => {
    const { pair } = context()
    const answer = await routeThroughPair('honest', '2000')
    const mined = await mine([answer, answer, answer], 12)
    const mute = await startFaultyNode(mined.url, {
      behave: () => ({
        edit: (call, reply) =>
          call.method.startsWith('debug_')
            ? { id: call.id, error: { code: -32601, message: 'the method does not exist' } }
            : reply,
      }),
    })
    opened.push({ stop: () => mute.close() })
    const traced = await explained(mined, mined.hashes[2])
    expect(traced).toMatchObject({ status: 'success', culprit: { payer: pair, cause: 'moved' } })
    const rerun = await explained(mute, mined.hashes[2])
    expect(rerun).toEqual({ ...traced, readFrom: 'fork' })
    expect(rerun.skipped).toBe(0)
  })
})
