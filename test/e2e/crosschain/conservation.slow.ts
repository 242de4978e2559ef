/** As `npm run conserve:crosschain`, with fewer transfers. */
import { expect, test } from 'vitest'
import { conserve, ends } from '../../support/bridges/conservation/run.js'

test('under a hostile relayer and reorgs each transfer comes to an end, and no unit is missing', async () => {
  const { transfers, account, problems, relayer, reorgs } = await conserve({
    transfers: 60,
    forms: 24,
    seed: 7,
  })
  expect(problems).toEqual([])
  const standing = transfers.filter(({ end }) => end !== 'unmade')
  expect(standing).toHaveLength(60)
  for (const { end } of standing) expect(ends).toContain(end)
  expect(reorgs).toBeGreaterThan(0)
  for (const kind of ['delayed', 'dropped', 'repeated'] as const) {
    expect(relayer[kind], kind).toBeGreaterThan(0)
  }
  const bridges = new Set(account.rows.map(({ bridge }) => bridge))
  expect(bridges).toEqual(new Set(['across', 'canonical', 'cctp', 'oft', 'stargate']))
  for (const { difference } of account.rows) expect(difference).toBe(0n)
})
