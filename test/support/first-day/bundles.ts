/** Bundles: what their actions refer to, and why they fail. */
import { own, routeOf, route as swapOf } from '../bundle.js'
import { address, bundle, ether, type Mistake, usdc, weth } from './mistake.js'

export const bundleMistakes: readonly Mistake[] = [
  {
    number: 'a',
    mistake: 'An action of a bundle takes an amount of another token.',
    before: '"Panic(0x11): arithmetic overflow or underflow." without an action',
    request: bundle([swapOf(weth, usdc, ether), routeOf(address('DAI'), weth, 0)]),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: [
        `action 1, amountIn must be an amount of ${address('DAI')}, and output 0 of action 0 is one of ${usdc}`,
      ],
      next: [{ parameter: 'amountIn', action: 1 }],
    },
  },
  {
    number: 'b',
    mistake: 'An action of a bundle refers to one that is not there.',
    before: 'said twice in the same words',
    request: bundle([swapOf(weth, usdc, ether), routeOf(usdc, weth, 5)]),
    answer: {
      status: 400,
      code: 'INVALID_REQUEST',
      says: ['action 1, amountIn must be a reference to an action before it (0 to 0)'],
      next: [{ parameter: 'amountIn', action: 1 }],
    },
  },
  {
    number: 'c',
    mistake: 'A flash loan is not paid back.',
    before: 'raw: StepFailed(6, 0x…, BelowMinimum(…))',
    request: bundle([
      own('flashloan', {
        token: weth,
        amount: ether,
        callback: [swapOf(weth, usdc, ether), routeOf(usdc, weth, 0)],
      }),
    ]),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `action 0 (svc flashloan) cannot be repaid: its callback leaves 999422276559334367 of ${weth}, and 1000000000000000000 are owed: 577723440665633 are missing`,
      ],
    },
  },
  {
    number: 'd',
    mistake: 'A route of a bundle sells a token that cannot be sold.',
    before: 'says nothing: "All 24 candidates failed in simulation"',
    request: bundle([swapOf(address('HNY'), weth, ether)]),
    answer: {
      status: 422,
      code: 'SIMULATION_REVERTED',
      says: [
        `action 0: ${address('HNY')} cannot be sold: it refuses transfers to the pools that trade it (Error(TRANSFER_FAILED)), though others may receive it. Tokens that can be bought and not sold are a known trap.`,
      ],
      next: [{ parameter: 'tokenIn', action: 0 }],
    },
  },
]
