/**
 * Vaults of Yearn V2: their token into shares (deposit) and shares into it (withdraw).
 * Venue parameter: `registry`. Pool parameters: none; tokens: asset, share.
 */

import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { unreadablePool } from '../pool.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { vaultActions } from './actions.js'
import { discoverVaults, isRegistered, underlyingAssets } from './discover.js'
import { readVaults } from './load.js'
import { afterDeposit, afterWithdrawal, assetsFor, sharesFor, type YearnState } from './math.js'
import { vaultPositions } from './positions.js'

const slug = 'yearn-v2'
/** A withdrawal that a strategy has to pay costs several times as much; the simulation measures it. */
const gasPerCall = 110_000n

const [depositAbi, withdrawAbi] = parseAbi([
  'function deposit(uint256 amount, address recipient) returns (uint256 shares)',
  'function withdraw(uint256 maxShares, address recipient) returns (uint256 amount)',
])

export const yearnV2 = defineProtocol<YearnState>({
  slug,
  name: 'Yearn V2',
  project: 'yearn',
  category: 'vault',
  url: 'https://yearn.fi',
  description: 'Deposits into and withdrawals from vaults that invest through strategies.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverVaults(slug, args),
    async load({ reader, chain, pools }) {
      const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
      const vaults = pools.map(({ address, tokens: [asset] }) => {
        return { vault: address, asset: asset ?? address }
      })
      const reads = await readVaults(reader, vaults, timestamp)
      return pools.map((pool, index) => {
        const read = reads[index]
        if (
          pool.tokens.length !== 2 ||
          pool.tokens[1] !== pool.address ||
          pool.id !== pool.address
        ) {
          return unreadablePool(pool, 'A vault has two tokens: its asset, and itself as the share.')
        }
        if (!read) return unreadablePool(pool, 'It was not read.')
        if ('message' in read) return unreadablePool(pool, read.message)
        const { knownDeposits, knownWithdrawals } = read.state
        return { pool, state: read.state, partial: !(knownDeposits && knownWithdrawals) }
      })
    },
    swap(pool, state, { tokenIn }, amountIn) {
      if (tokenIn !== pool.address) {
        const after = () => afterDeposit(state, amountIn)
        return { amountOut: sharesFor(state, amountIn), exact: state.knownDeposits, after }
      }
      const amountOut = assetsFor(state, amountIn)
      const exact = state.knownWithdrawals && amountOut <= state.idle
      return { amountOut, exact, after: () => afterWithdrawal(state, amountIn) }
    },
    action: (pool, tokenIn) => (tokenIn === pool.address ? 'redeem' : 'deposit'),
    gasEstimate: () => gasPerCall,
    cautions: () =>
      cautionsWhere([
        true,
        'rate',
        'The worth of a share moves as strategies report gains and losses.',
      ]),
    encodeSwap({ pool, tokenIn, amountIn, recipient }) {
      const target = pool.address
      const args = [amountIn, recipient]
      if (tokenIn === target) return [{ kind: 'call', target, abi: withdrawAbi, args }]
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: depositAbi, args },
      ]
    },
  },
  trust: {
    isNoPriceSource: () => true,
    // A vault is known by its own answers: whether the registry endorses it is not asked.
    foreignCode: ({ address }) => address,
    probes: ({ registry }) =>
      addressesOf(registry).map((to) =>
        probe('registry of Yearn V2', to, 'numReleases()', 'number'),
      ),
    isEndorsed: isRegistered,
  },
  positions: {
    ...vaultPositions(slug),
    holdings: ({ address, tokens: [asset] }, { totalSupply, freeFunds }, token) =>
      asset && token === address && totalSupply > 0n
        ? { shares: totalSupply, amounts: [{ token: asset, amount: freeFunds }] }
        : null,
    underlying: underlyingAssets,
  },
  actions: {
    definitions: vaultActions,
    explain: (reason) =>
      ['', '0x', 'reverted without a reason'].includes(reason)
        ? 'the vault gives no reason: it is shut down, or full, or strategies lost more than maxLoss'
        : null,
  },
})
