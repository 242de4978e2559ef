/**
 * Gauges of Curve's code, where shares of pools are staked for what a minter mints and for rewards of others: the share
 * into the gauge's token (deposit) and back (withdraw), one to one.
 * Venue parameters: `controller`, which lists the gauges, and `minter`. Pool parameters: none; tokens: share, gauge.
 */
import { probe } from '../../chains/probe.js'
import { defineProtocol, type ProtocolAdapter, type SwapAdapter } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { depositAbi, depositForAbi, gaugeActions, withdrawAbi } from './actions.js'
import { discoverGauges, stakedTokens } from './discover.js'
import type { Family } from './gauges.js'
import { after, converted, type GaugeState, loadGauges } from './load.js'
import { gaugePositions } from './positions.js'

/** Gas of a gauge that was touched this week; the simulation measures it. */
const gasPerCall = 200_000n

function defineGauges(
  family: Family,
  facts: Pick<ProtocolAdapter, 'name' | 'project' | 'url' | 'description' | 'forkOf'>,
): SwapAdapter<GaugeState> {
  const { slug } = family
  return defineProtocol<GaugeState>({
    slug,
    ...facts,
    category: 'staking',
    swaps: {
      // A withdrawal is paid to its caller alone.
      paysRecipient: true,
      canPay: ({ address }, { takesForOthers }, tokenOut) => takesForOthers && tokenOut === address,
      discover: (args) => discoverGauges(family, args),
      async load(args) {
        return args.pools.length === 0 ? [] : loadGauges(family, args)
      },
      swap: (pool, state, { tokenIn }, amountIn) => ({
        amountOut: converted(pool, state, tokenIn, amountIn),
        exact: state.isListed,
        after: () => after(pool, state, tokenIn, amountIn),
      }),
      action: (pool, tokenIn) => (tokenIn === pool.address ? 'withdraw' : 'deposit'),
      gasEstimate: () => gasPerCall,
      encodeSwap({ pool: { address: target }, state, tokenIn, amountIn, recipient }) {
        if (tokenIn === target)
          return [{ kind: 'call', target, abi: withdrawAbi, args: [amountIn] }]
        return [
          { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
          state.takesForOthers
            ? { kind: 'call', target, abi: depositForAbi, args: [amountIn, recipient] }
            : { kind: 'call', target, abi: depositAbi, args: [amountIn] },
        ]
      },
    },
    trust: {
      isNoPriceSource: () => true,
      foreignCode: ({ address }, { isListed }) => (isListed ? null : address),
      probes: ({ controller, minter }) => {
        const [asked] = addressesOf(controller)
        return [
          ...addressesOf(controller).map((to) =>
            probe(`controller of ${facts.name}`, to, 'n_gauges()', 'positive'),
          ),
          ...addressesOf(minter).map((to) =>
            probe(`minter of ${facts.name}`, to, `${family.asked}()`, asked ?? 'address'),
          ),
        ]
      },
    },
    positions: {
      ...gaugePositions(family),
      holdings: ({ address, tokens: [staked] }, { supply }, token) =>
        staked && token === address && supply > 0n
          ? { shares: supply, amounts: [{ token: staked, amount: supply }] }
          : null,
      underlying: (args) => stakedTokens(family, args),
    },
    actions: { definitions: gaugeActions(family) },
  })
}

const balancer: Family = {
  slug: 'balancer-gauge',
  minted: 'getBalancerToken',
  asked: 'getGaugeController',
}

/** Curve's, and any other contract that works like one and that no other controller lists. */
export const curveGauge = defineGauges(
  { slug: 'curve-gauge', minted: 'token', asked: 'controller', others: [balancer.slug] },
  {
    name: 'Curve gauges',
    project: 'curve',
    url: 'https://curve.finance',
    description: 'Staking of shares of pools for CRV and other rewards.',
  },
)

export const balancerGauge = defineGauges(balancer, {
  name: 'Balancer gauges',
  project: 'balancer',
  url: 'https://balancer.fi',
  description: 'Staking of shares of pools for BAL and other rewards.',
  forkOf: 'curve-gauge',
})
