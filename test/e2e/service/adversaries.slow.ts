/**
 * Pools that are honest only where they think that nobody is robbed. Whatever the service answers, mined elsewhere it
 * reverts or pays at least its minimum.
 */
import { numberToHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Mode, withAdversaries } from '../../support/adversaries.js'
import type { Execution } from '../../support/execute.js'
import type { Answer } from '../../support/service/service.js'

const context = withAdversaries()

/** Reverted, at no cost but gas; or the minimum is paid. */
function expectNoLoss({ body }: Answer, { status, deltas }: Execution): void {
  if (status === 'reverted') expect(deltas).toEqual([0n, 0n])
  else {
    expect(deltas[0]).toBeGreaterThanOrEqual(-BigInt(body.tx ? 10n ** 18n / 20n : 0n))
    expect(deltas[1]).toBeGreaterThanOrEqual(BigInt(body.minAmountOut))
  }
}

describe.each(['pair', 'pool'] as const)('a %s that lies', (kind) => {
  beforeAll(async () => {
    const { become, pair, pool } = context()
    // The other one is out of the way.
    await become(kind === 'pair' ? pool : pair, 'revert bomb')
  })

  test('an honest one with a better price is routed through, and delivers', async () => {
    const liar = context()[kind]
    const answer = await context().route(await context().become(liar, 'honest'))
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).toContain(liar)
    const done = await context().mine(answer)
    expect(done).toMatchObject({ status: 'success' })
    expect(done.deltas[1]).toBe(BigInt(answer.body.amountOut))
  })

  test.each<Mode>([
    ...(['randao', 'coinbase', 'gas price', 'much gas', 'some gas'] as const),
    ...(['origin', 'origin has ether', 'origin has tokens'] as const),
  ])(
    '%s: what it looks at is in the simulation as in any block, so it is passed over',
    async (mode) => {
      const liar = context()[kind]
      const answer = await context().route(await context().become(liar, mode))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).not.toContain(liar)
      const done = await context().mine(answer)
      expect(done).toMatchObject({ status: 'success' })
      expect(done.deltas[1]).toBe(BigInt(answer.body.amountOut))
    },
  )

  test('an order of its own, sent from within ours, is refused by the Router; ours is carried out', async () => {
    const { become, route, mine, client, orderOf } = context()
    const liar = context()[kind]
    const answer = await route(await become(liar, 're-entry'))
    expect(answer.text).toContain(liar)
    // At any other time the Router takes it.
    await client.request('eth_call', [orderOf(liar), 'latest'])
    // The pool fails where it is let in.
    const done = await mine(answer)
    expect(done).toMatchObject({ status: 'success' })
    expect(done.deltas[1]).toBe(BigInt(answer.body.amountOut))
  })

  test.each<Mode>(['timestamp', 'block number', 'second call'])(
    '%s: it is honest in the simulated block, and its theft reverts in another',
    async (mode) => {
      const { become, route, mine } = context()
      const liar = context()[kind]
      const answer = await route(await become(liar, mode))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toContain(liar)
      const honest = await mine(answer)
      expect(honest).toMatchObject({ status: 'success' })
      expect(honest.deltas[1]).toBe(BigInt(answer.body.amountOut))

      // Another second, another number, or after somebody else's swap.
      const stolen = await mine(answer, {
        ...(mode === 'timestamp' && { blockTimeSeconds: 13 }),
        async prepare(anvil) {
          if (mode !== 'timestamp') await anvil.rpc('anvil_setStorageAt', [liar, callsSlot, one])
        },
      })
      expect(stolen).toMatchObject({ status: 'reverted' })
      expectNoLoss(answer, stolen)
    },
  )

  test.each<Mode>(['return bomb', 'revert bomb', 'error bomb', 'burnt gas'])(
    '%s: another route is answered, and nothing of the bomb',
    async (mode) => {
      const { become, route, mine } = context()
      const number = await become(context()[kind], mode)
      const answer = await route(number)
      expect(answer.status, answer.text.slice(0, 500)).toBe(200)
      expect(answer.text.length).toBeLessThan(20_000)
      const done = await mine(answer, { gas: 10_000_000n })
      expect(done).toMatchObject({ status: 'success' })
      expectNoLoss(answer, done)
    },
  )
})

/** Of `Mood.calls`, five words behind the beginning: mode and victim share one. */
const callsSlot = numberToHex(0x600d + 4, { size: 32 })
const one = numberToHex(1, { size: 32 })
