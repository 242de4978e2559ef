/**
 * ERC-4626 vaults: the asset into shares (deposit) and shares into the asset (redeem), each vault its own contract.
 * Venue parameters: `vaults`, those to list, and any among the chain's connector tokens; `registries`, of Yearn V3;
 * `factories`, of MetaMorpho; `stataFactories`, of Aave's static tokens.
 * Pool parameters: `factory`, of a static token that the index names; tokens: asset, share.
 */

import { parseAbi } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { type Hex, toAddress } from '../../domain/primitives.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { vaultActions } from './actions.js'
import { discoverVaults, namedVaults, underlyingAssets } from './discover.js'
import { explainVault, vaultErrors } from './errors.js'
import { loadVaults, provenAmount } from './load.js'
import {
  afterDeposit,
  afterRedeem,
  assetsFor,
  sharesFor,
  type VaultState,
  worthOf,
} from './math.js'
import { stataFactoryOf, vaultEvents } from './pool-events.js'
import { vaultPositions } from './positions.js'
import { isEndorsed } from './registry.js'

const slug = 'erc-4626'
/** Gas of a vault that holds its assets itself, and a little of what strategies add. */
const gasPerCall = 80_000n

const [depositAbi, redeemAbi] = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

export const erc4626 = defineProtocol<VaultState>({
  slug,
  name: 'ERC-4626 vaults',
  project: slug,
  category: 'vault',
  url: 'https://eips.ethereum.org/EIPS/eip-4626',
  description: 'Deposits into and redemptions from tokenised vaults.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverVaults(slug, args),
    load: loadVaults,
    swap(pool, state, { tokenIn }, amountIn) {
      const exact = state.kind !== 'sampled' && amountIn <= provenAmount
      return tokenIn === pool.address
        ? {
            amountOut: assetsFor(state, amountIn),
            exact,
            after: () => afterRedeem(state, amountIn),
          }
        : {
            amountOut: sharesFor(state, amountIn),
            exact,
            after: () => afterDeposit(state, amountIn),
          }
    },
    action: (pool, tokenIn) => (tokenIn === pool.address ? 'redeem' : 'deposit'),
    gasEstimate: () => gasPerCall,
    cautions: (_pool, { totalSupply }) =>
      cautionsWhere([
        totalSupply > 0n,
        'rate',
        'The worth of a share moves as the vault earns, loses or reports.',
      ]),
    encodeSwap({ pool, tokenIn, amountIn, recipient, executor }) {
      const target = pool.address
      if (tokenIn === target) {
        const args = [amountIn, recipient, executor]
        return [{ kind: 'call', target, abi: redeemAbi, args }]
      }
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: depositAbi, args: [amountIn, recipient] },
      ]
    },
  },
  trust: {
    isNoPriceSource: () => true,
    foreignCode: (pool, _state, venue) =>
      namedVaults(venue).includes(pool.address) || stataFactoryOf(pool, venue)
        ? null
        : pool.address,
    probes: ({ vaults, registries, factories, stataFactories }, chain) => [
      ...addressesOf(vaults).map((to) => probe('vault of ERC-4626', to, 'asset()', 'address')),
      ...addressesOf(registries).map((to) =>
        probe('registry of Yearn V3', to, 'numAssets()', 'positive'),
      ),
      ...addressesOf(factories).map((to) =>
        probe('factory of MetaMorpho', to, 'MORPHO()', morphoOf(chain)),
      ),
      ...addressesOf(stataFactories).map((to) =>
        probe('factory of static tokens of Aave', to, 'POOL()', 'address'),
      ),
    ],
    isEndorsed,
  },
  index: vaultEvents(slug),
  positions: {
    ...vaultPositions(slug),
    holdings({ address, tokens: [asset] }, state, token) {
      const worth = token === address ? worthOf(state) : null
      return asset && worth
        ? { shares: worth.shares, amounts: [{ token: asset, amount: worth.assets }] }
        : null
    },
    underlying: underlyingAssets,
  },
  actions: { definitions: vaultActions, errorsAbi: vaultErrors, explain: explainVault },
})

/** What all vaults of a factory lend in; where the chain's file does not say, that there is one. */
function morphoOf({ venues }: ChainDefinition): Hex | 'address' {
  const { morpho } = venues['morpho-blue'] ?? {}
  return morpho === undefined ? 'address' : toAddress(String(morpho))
}
