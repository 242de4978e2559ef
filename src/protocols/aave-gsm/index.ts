/**
 * Aave's GHO Stability Module: GHO against USDC and USDT, which it keeps in vaults of Aave, at par less a fee.
 * Venue parameters: `gho`, `reserve`, and `modules`, each `module:vault:asset`. Pool parameter: `vault`; tokens: GHO, the asset.
 */
import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import type { AmountRef, ExecutorStep } from '../../domain/order.js'
import { defineProtocol, type EncodeSwapArgs } from '../protocol.js'
import { discoverGsm, ghoAddresses, loadGsm, modulesOf, vaultOf } from './load.js'
import { buy, type GsmState, sell } from './math.js'

const slug = 'aave-gsm'

const [depositAbi, redeemAbi, sellAbi, buyAbi, quoteAbi] = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function sellAsset(uint256 maxAmount, address receiver) returns (uint256 assetAmount, uint256 ghoBought)',
  'function buyAsset(uint256 minAmount, address receiver) returns (uint256 assetAmount, uint256 ghoSold)',
  'function getAssetAmountForBuyAsset(uint256 maxGhoAmount) view returns (uint256 assetAmount, uint256 ghoSold, uint256 grossAmount, uint256 fee)',
])

/** A deposit into Aave's pool or a withdrawal, transfers of shares and GHO, and three strategies that are asked. */
const gasPerSwap = 420_000n

export const aaveGsm = defineProtocol<GsmState>({
  slug,
  name: 'Aave GSM',
  project: 'aave',
  category: 'dex',
  url: 'https://aave.com',
  description:
    'GHO against USDC and USDT at par, less a fee, as far as the module takes or holds them.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverGsm(slug, args),
    load: loadGsm,
    // All modules draw on one reserve.
    sharedState: ({ tokens }) => String(tokens[0]),
    swap({ tokens }, state, { tokenIn }, amountIn) {
      const swap = tokenIn === tokens[0] ? buy(state, amountIn) : sell(state, amountIn)
      return { amountOut: swap?.amountOut ?? 0n, exact: true, after: () => swap?.after ?? state }
    },
    gasEstimate: () => gasPerSwap,
    encodeSwap: (args) => (args.tokenIn === args.pool.tokens[0] ? purchase(args) : sale(args)),
  },
  trust: {
    probes(venue) {
      const { gho, reserve } = ghoAddresses(venue)
      return [
        probe('reserve of GHO', reserve, 'GHO_TOKEN()', gho),
        probe('GHO of Aave', gho, 'decimals()', 18n),
        ...modulesOf(venue).flatMap(({ module, vault, asset }) => [
          probe('GSM of Aave', module, 'GHO_TOKEN()', gho),
          probe('GSM of Aave', module, 'UNDERLYING_ASSET()', vault),
          probe('vault of the GSM', vault, 'asset()', asset),
        ]),
      ]
    },
  },
})

/** The asset becomes shares, and the shares GHO. */
function sale(args: EncodeSwapArgs<GsmState>): ExecutorStep[] {
  const { pool, tokenIn, amountIn, recipient, executor, firstStep = 0 } = args
  const vault = vaultOf(pool.parameters)
  const output = { kind: 'word', index: 0 } as const
  const shares: AmountRef = { ref: 'output', step: firstStep + 1 }
  return [
    { kind: 'approve', token: tokenIn, spender: vault, amount: amountIn },
    { kind: 'call', target: vault, abi: depositAbi, args: [amountIn, executor], output },
    { kind: 'approve', token: vault, spender: pool.address, amount: shares },
    { kind: 'call', target: pool.address, abi: sellAbi, args: [shares, recipient] },
  ]
}

/** How many shares the GHO buys is known on chain alone; they become the asset. */
function purchase(args: EncodeSwapArgs<GsmState>): ExecutorStep[] {
  const { pool, tokenIn, amountIn, recipient, executor, firstStep = 0 } = args
  const vault = vaultOf(pool.parameters)
  const output = { kind: 'word', index: 0 } as const
  const wanted: AmountRef = { ref: 'output', step: firstStep }
  const bought: AmountRef = { ref: 'output', step: firstStep + 2 }
  return [
    { kind: 'call', target: pool.address, abi: quoteAbi, args: [amountIn], output },
    { kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn },
    { kind: 'call', target: pool.address, abi: buyAbi, args: [wanted, executor], output },
    { kind: 'call', target: vault, abi: redeemAbi, args: [bought, recipient, executor] },
  ]
}
