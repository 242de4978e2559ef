/** Evidence in cassettes, through the regression kit: recorded once, it proves the same answers in every replay. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { createForkroute } from '../../../src/testing/forkroute.js'
import { runCli } from '../../support/cli.js'

const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
const input = { tokenIn: weth ?? '', tokenOut: usdc ?? '', amountIn: 10n ** 18n }

const folder = mkdtempSync(join(tmpdir(), 'forkroute-evidence-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a replay proves what was proven when it was recorded, signature and all', async () => {
  const cassette = join(folder, 'proven.cassette')
  const recorder = await createForkroute({ cassette, record: true, evidence: 'require' })
  const recorded = await recorder.quote(input)
  const [proven] = recorder.proven
  await recorder.close()
  expect(proven).toMatchObject({ kind: 'quote', chainId: 1, assumed: 2 })
  expect(proven?.slots).toBeGreaterThan(0)

  const replay = await createForkroute({ cassette, evidence: 'require' })
  expect(await replay.quote(input)).toEqual(recorded)
  expect(replay.proven).toEqual([proven])
  await replay.close()
})

test('a cassette without evidence answers, but not where evidence is required', async () => {
  const cassette = join(folder, 'plain.cassette')
  const recorder = await createForkroute({ cassette, record: true })
  await recorder.quote(input)
  await recorder.close()
  const replay = await createForkroute({ cassette, evidence: 'require' })
  await expect(replay.quote(input)).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
    message: expect.stringContaining('the cassette lacks it, or it was of another answer'),
  })
  expect(replay.proven).toEqual([])
  await replay.close()
})

test('the command line records proofs, and a suite says of each case what was proven', async () => {
  const file = (name: string) => join(folder, name)
  const query = { chainId: 1, ...input, amountIn: String(input.amountIn) }
  const requests = { requests: [{ path: '/shortcuts/quote', query }] }
  writeFileSync(file('requests.json'), JSON.stringify(requests))
  const cassette = file('recorded.cassette')
  const list = ['--requests', file('requests.json')]
  const recorded = await runCli(['record', cassette, ...list, '--proofs', '--json'])
  expect(JSON.parse(recorded.out), recorded.err).toMatchObject({ recorded: 1, notKept: [] })

  const suite = (evidence: string) => `
name: proofs
cassette: recorded.cassette
evidence: ${evidence}
cases:
  - name: recorded
    quote: { tokenIn: ${weth}, tokenOut: ${usdc}, amountIn: ${input.amountIn} }
    expect: { atLeast: 1 }
  - name: another amount
    quote: { tokenIn: ${weth}, tokenOut: ${usdc}, amountIn: ${input.amountIn + 1n} }
    expect: { atLeast: 1 }
`
  writeFileSync(file('suite.yaml'), suite('report'))
  const junit = ['--junit', file('report.xml')]
  const checked = await runCli(['check', file('suite.yaml'), ...junit, '--json'])
  const { ok, cases } = JSON.parse(checked.out)
  expect(ok, checked.out).toBe(true)
  expect(cases[0].proof).toMatchObject({ isProven: true, chainId: 1, assumed: 2 })
  expect(cases[0].proof.slots).toBeGreaterThan(0)
  expect(cases[1].proof).toMatchObject({
    isProven: false,
    reason: expect.stringContaining('the cassette lacks it'),
  })
  const xml = readFileSync(file('report.xml'), 'utf8')
  expect(xml).toContain(`name="state.blockHash" value="${cases[0].proof.blockHash}"`)
  expect(xml).toContain('name="state.isProven" value="false"')

  writeFileSync(file('suite.yaml'), suite('require'))
  const required = await runCli(['check', file('suite.yaml')])
  expect(required.code).toBe(1)
  expect(required.out).toContain('1 of 2 cases passed')
})
