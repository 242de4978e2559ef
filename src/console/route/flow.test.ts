import { describe, expect, test } from 'vitest'
import { flowOf } from './flow.js'

type Route = Parameters<typeof flowOf>[0]
const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((letter) => `0x${letter.repeat(40)}`)
const pool = (address: string | undefined, share: number, tokenIn = a, tokenOut = b) => ({
  pool: address,
  share,
  tokenIn,
  tokenOut,
  protocol: 'uniswap-v3',
})
const step = (tokenIn: string | undefined, tokenOut: string | undefined, more: object) => ({
  action: 'swap',
  protocol: 'uniswap-v3',
  chainId: 1,
  tokenIn: [tokenIn],
  tokenOut: [tokenOut],
  ...more,
})
const route = (steps: readonly object[], more: object = {}) =>
  ({ route: steps, candidates: [], ...more }) as unknown as Route

describe('flowOf', () => {
  test('a token splits by what its steps were measured to take', () => {
    const { tokens, flows } = flowOf(
      route([
        step(a, b, { amountIn: [75n], amountOut: [150n], internalRoutes: [pool(d, 10_000)] }),
        step(a, c, { amountIn: [25n], amountOut: [10n], internalRoutes: [pool(e, 10_000)] }),
        step(c, b, { amountIn: [10n], amountOut: [49n], internalRoutes: [pool(d, 10_000, c, b)] }),
      ]),
    )
    expect(flows.map(({ part, share }) => [part, share])).toEqual([
      [0.75, 0.75],
      [0.25, 0.25],
      [0.25, 1],
    ])
    expect(tokens.map(({ token, amount }) => [token, amount])).toEqual([
      [a, 100n],
      [b, 199n],
      [c, 10n],
    ])
  })

  test('pools of one step get their share, and amounts by what moved to and from them', () => {
    const steps = [
      step(a, b, {
        amountIn: [100n],
        amountOut: [200n],
        internalRoutes: [pool(d, 7_000), pool(e, 3_000)],
      }),
    ]
    const movements = [
      { token: a, from: c, to: d, amount: 70n },
      { token: b, from: d, to: c, amount: 141n },
    ]
    const { flows } = flowOf(route(steps, { trace: { movements } }))
    expect(flows.map(({ share, amountIn, amountOut }) => [share, amountIn, amountOut])).toEqual([
      [0.7, 70n, 141n],
      [0.3, null, null],
    ])
  })

  test('behind a bridge, where nothing is measured, shares are those of the search', () => {
    const path = [
      { tokenIn: b, tokenOut: c, pool: d, share: 9_000 },
      { tokenIn: b, tokenOut: c, pool: e, share: 1_000 },
    ]
    const { tokens, flows } = flowOf(
      route(
        [
          step(a, b, {
            action: 'bridge',
            sourceChainId: 1,
            destinationChainId: 10,
            amountIn: [5n],
            amountOut: [4n],
          }),
          step(b, c, { chainId: 10, internalRoutes: [pool(d, 10_000, b, c)] }),
          step(b, c, { chainId: 10, internalRoutes: [pool(e, 10_000, b, c)] }),
        ],
        { candidates: [{ status: 'chosen', path }] },
      ),
    )
    expect(flows.map(({ share }) => share)).toEqual([1, 0.9, 0.1])
    expect(tokens.map(({ id, amount }) => [id, amount])).toEqual([
      [`1 ${a}`, 5n],
      [`10 ${b}`, 4n],
      [`10 ${c}`, null],
    ])
  })
})
