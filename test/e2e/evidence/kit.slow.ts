/** Evidence in cassettes, through the regression kit: recorded once, it proves the same answers in every replay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { createForkroute } from '../../../src/testing/forkroute.js'

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
