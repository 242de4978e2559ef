/** Random bundles, each carried out on an Anvil of its own with exactly `amountsIn` in the account. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, executeBundle, own } from '../../support/bundle.js'
import { sharedService } from '../../support/service/shared-service.js'

const tokens = ['USDC', 'DAI', 'WETH'].map((symbol) => sandboxToken(symbol)) as readonly {
  readonly address: Address
  readonly decimals: number
}[]
const native = { address: nativeToken, decimals: 18 }
const weth = sandboxToken('WETH').address
const from: Address = '0x00000000000000000000000000000000000f0e01'
const other: Address = '0x00000000000000000000000000000000000f0e02'
const seed = 20_261_125
const cases = 300

const plan = fc.record({
  kind: fc.constantFrom('fee', 'check', 'transfer', 'split', 'route', 'half', 'wrap'),
  token: fc.nat(tokens.length - 1),
  amount: fc.integer({ min: 1_000, max: 9_000 }),
  refers: fc.boolean(),
  pick: fc.nat(40),
})
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never

interface Output {
  readonly at: number
  readonly index: number
  /** Null: a number. */
  readonly token: Address | null
}

/** References are to outputs of the token, or to numbers; whether they are taken twice is left to the service. */
function actionsOf(plans: readonly Plan[]): Action[] {
  const actions: Action[] = []
  const outputs: Output[] = []
  for (const { kind, token: place, amount, refers, pick } of plans) {
    const named = tokens[place] ?? native
    // Ether is wrapped, and what is wrapped is unwrapped.
    const { address: token, decimals } = kind === 'wrap' && named.address !== weth ? native : named
    const tokenOut = tokens[(place + 1) % tokens.length]?.address ?? from
    const whole = String(BigInt(amount) * 10n ** BigInt(decimals - 3))
    const choices = outputs.filter((one) => one.token === token)
    const chosen = refers && choices[pick % choices.length]
    const reference = chosen && { useOutputOfCallAt: chosen.at, index: chosen.index }
    const given = reference || whole
    const give = (...of: readonly (Address | null)[]) => {
      for (const [index, one] of of.entries())
        outputs.push({ at: actions.length, index, token: one })
    }
    if ((kind === 'check' || kind === 'half') && reference) {
      give(kind === 'check' ? token : null)
      actions.push(
        kind === 'check'
          ? own('slippage', { amountOut: reference, bps: '50' })
          : own('div', { amountA: reference, amountB: '2' }),
      )
    } else if (kind === 'fee') {
      give(token)
      actions.push(own('fee', { token, amount: given, bps: 50, receiver: other }))
    } else if (kind === 'split') {
      give(token, token)
      actions.push(own('split', { tokenIn: token, tokenOut: [token, token], amountIn: given }))
    } else if (kind === 'wrap') {
      const isWrapped = token === weth
      give(isWrapped ? nativeToken : weth)
      actions.push({
        protocol: 'wrapped-native',
        action: isWrapped ? 'redeem' : 'deposit',
        args: { tokenIn: token, amountIn: given },
      })
    } else if (kind === 'route') {
      give(tokenOut)
      actions.push(own('route', { tokenIn: token, tokenOut, amountIn: given }))
    } else {
      actions.push(own('transfer', { token, amount: given, recipient: other }))
    }
  }
  return actions
}

test(`${cases} random bundles need what amountsIn says, and give what amountsOut says (seed ${seed})`, async () => {
  const service = await sharedService()
  const seen = { carriedOut: 0, twice: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 8 }), async (plans) => {
      const actions = actionsOf(plans)
      const { status, body } = await askBundle(service, { fromAddress: from }, actions)
      if (status === 422) {
        expect(body.details, body.message).toHaveProperty('takenBy')
        seen.twice++
        return
      }
      expect(status, JSON.stringify(body)).toBe(200)
      const watch = Object.keys(body.amountsIn).map((token) => ({
        token: token as Address,
        owner: from,
      }))
      const execution = await executeBundle(service, body, { watch })
      expect(execution.status).toBe('success')
      expect(execution.gained).toEqual(body.amountsOut)
      const deltas = execution.deltas.slice(-watch.length)
      for (const [place, { token }] of watch.entries()) {
        const net = BigInt(body.amountsOut[token] ?? 0) - BigInt(body.amountsIn[token])
        expect(deltas[place]).toBe(net)
      }
      seen.carriedOut++
    }),
    { numRuns: cases, seed, endOnFailure: true },
  )
  console.info(JSON.stringify({ seed, ...seen }))
  expect(seen.carriedOut).toBeGreaterThan(cases / 2)
}, 1_200_000)
