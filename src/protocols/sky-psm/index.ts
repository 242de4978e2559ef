/**
 * Sky's Lite-PSM: USDC against DAI, and through its wrapper against USDS, at par less a fee.
 * Venue parameters: `psm`, `wrapper`, `pocket`, `dai`, `usds`, `usdc`. Pool parameter: `isWrapped`; tokens: DAI or USDS, then USDC.
 */
import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import type { AmountRef, ExecutorStep } from '../../domain/order.js'
import { defineProtocol, type EncodeSwapArgs } from '../protocol.js'
import { helperAddress } from '../shared/helper-address.js'
import { discoverPsm, loadPsm, psmAddresses } from './load.js'
import { buyGem, buyingRatio, type PsmState, sellGem } from './math.js'

const slug = 'sky-psm'
const helper = 'Values'

const [sellGemAbi, buyGemAbi, proportionAbi] = parseAbi([
  'function sellGem(address usr, uint256 gemAmt) returns (uint256 daiOutWad)',
  'function buyGem(address usr, uint256 gemAmt) returns (uint256 daiInWad)',
  'function proportion(uint256 a, uint256 b, uint256 c) pure returns (uint256)',
])

/** Two transfers; the wrapper makes four more, and turns DAI into USDS or back at Sky's ledger. */
const gasPerSwap = 95_000n
const gasOfWrapped = 230_000n

export const skyPsm = defineProtocol<PsmState>({
  slug,
  name: 'Sky Lite-PSM',
  project: 'sky',
  category: 'dex',
  url: 'https://sky.money',
  description: 'USDC against DAI and USDS at par, less a fee, as far as the module holds them.',
  swaps: {
    paysRecipient: true,
    helperContracts: [helper],
    discover: (args) => discoverPsm(slug, args),
    load: loadPsm,
    // Both of its pools are paid from the same holdings.
    sharedState: ({ tokens }) => String(tokens[1]),
    swap({ tokens }, state, { tokenIn }, amountIn) {
      const swap = tokenIn === tokens[1] ? sellGem(state, amountIn) : buyGem(state, amountIn)
      return {
        amountOut: swap?.amountOut ?? 0n,
        exact: true,
        after: () => swap?.after ?? state,
      }
    },
    gasEstimate: ({ parameters }) => (parameters.isWrapped ? gasOfWrapped : gasPerSwap),
    encodeSwap: (args) => (args.tokenIn === args.pool.tokens[1] ? sale(args) : purchase(args)),
  },
  trust: {
    probes(venue) {
      const { psm, wrapper, pocket, dai, usds, usdc } = psmAddresses(venue)
      return [
        probe('Lite-PSM of Sky', psm, 'dai()', dai),
        probe('Lite-PSM of Sky', psm, 'gem()', usdc),
        probe('Lite-PSM of Sky', psm, 'pocket()', pocket),
        probe('wrapper of the Lite-PSM', wrapper, 'psm()', psm),
        probe('wrapper of the Lite-PSM', wrapper, 'usds()', usds),
      ]
    },
  },
})

function sale({ pool, tokenIn, amountIn, recipient }: EncodeSwapArgs<PsmState>): ExecutorStep[] {
  const target = pool.address
  return [
    { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
    { kind: 'call', target, abi: sellGemAbi, args: [recipient, amountIn] },
  ]
}

/** How much of the gem the amount buys is known on chain alone, and so is what that costs: all that is approved. */
function purchase(args: EncodeSwapArgs<PsmState>): ExecutorStep[] {
  const { pool, state, tokenIn, amountIn, recipient, helpers, firstStep = 0 } = args
  const { cost, gem } = buyingRatio(state.factor, state.tout ?? 0n)
  const proportion = { target: helperAddress(helpers, helper), abi: proportionAbi }
  const output = { kind: 'word', index: 0 } as const
  const gems: AmountRef = { ref: 'output', step: firstStep }
  const paid: AmountRef = { ref: 'output', step: firstStep + 1 }
  return [
    { kind: 'call', ...proportion, args: [amountIn, gem, cost], output },
    { kind: 'call', ...proportion, args: [gems, cost, gem], output },
    { kind: 'approve', token: tokenIn, spender: pool.address, amount: paid },
    { kind: 'call', target: pool.address, abi: buyGemAbi, args: [recipient, gems] },
  ]
}
