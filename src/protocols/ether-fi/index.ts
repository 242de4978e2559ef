/**
 * ether.fi: ether into eETH, whose balances grow, and eETH into weETH and back. Withdrawals to ether take days.
 * Venue parameters: `liquidityPool`, `eETH`, `weETH`. Pool parameters: none; tokens: native and eETH, eETH and weETH.
 */
import { parseAbi } from 'viem'
import { probe } from '../../chains/probe.js'
import { nativeToken } from '../../domain/primitives.js'
import { defineConverter } from '../shared/conversions/define-converter.js'
import {
  afterStaking,
  pooledEthByShares,
  staked,
  unwrapped,
  wrapped,
} from '../shared/staked-shares/math.js'
import { addressesOf, type EtherFiState, loadEtherFi } from './load.js'

const [depositAbi, wrapAbi, unwrapAbi] = parseAbi([
  'function deposit() payable returns (uint256 shares)',
  'function wrap(uint256 amount) returns (uint256 shares)',
  'function unwrap(uint256 shares) returns (uint256 amount)',
])
/** Raw shares whose worth is the price: so many that a day's interest shows. */
const priceProbe = 10n ** 30n
const price = (state: EtherFiState) => pooledEthByShares(state, priceProbe)

export const etherFi = defineConverter<EtherFiState, 'stake' | 'wrap' | 'unwrap'>(
  {
    slug: 'ether-fi',
    actions: ['deposit', 'redeem'],
    load: loadEtherFi,
    edges(venue) {
      const { eETH, weETH } = addressesOf(venue)
      return [
        { kind: 'stake', tokenIn: nativeToken, tokenOut: eETH, issued: eETH },
        { kind: 'wrap', tokenIn: eETH, tokenOut: weETH, issued: weETH },
        { kind: 'unwrap', tokenIn: weETH, tokenOut: eETH, issued: weETH },
      ]
    },
    conversions: {
      // A balance of eETH is rounded together with what else its owner holds, which is not known.
      stake: {
        functionName: 'deposit',
        needsApproval: false,
        abi: depositAbi,
        target: ({ liquidityPool }) => liquidityPool,
        args: () => [],
        convert: (state, amount) => ({
          amountOut: staked(state, amount),
          exact: false,
          after() {
            const { pooledEther, shares } = afterStaking(state, amount)
            return { ...state, pooledEther, shares }
          },
        }),
      },
      wrap: {
        functionName: 'wrap',
        needsApproval: true,
        abi: wrapAbi,
        target: (_state, { issued }) => issued,
        args: (amount) => [amount],
        convert: (state, amount) => ({ amountOut: wrapped(state, amount), exact: state.proven }),
      },
      unwrap: {
        functionName: 'unwrap',
        needsApproval: false,
        abi: unwrapAbi,
        target: (_state, { issued }) => issued,
        args: (amount) => [amount],
        convert: (state, amount) => ({ amountOut: unwrapped(state, amount), exact: false }),
      },
    },
    positions(venue) {
      const { eETH, weETH } = addressesOf(venue)
      return [
        {
          token: eETH,
          name: 'ether.fi ETH',
          subtitle: 'eETH',
          underlying: nativeToken,
          // Its supply is counted in ether already.
          held: (_state, totalSupply) => totalSupply,
          price,
        },
        {
          token: weETH,
          name: 'Wrapped eETH',
          subtitle: 'weETH',
          underlying: eETH,
          held: pooledEthByShares,
          price,
        },
      ]
    },
  },
  {
    name: 'ether.fi',
    project: 'ether-fi',
    category: 'staking',
    url: 'https://www.ether.fi',
    description: 'Staking of ether for eETH, and wrapping and unwrapping of it.',
    gasPerCall: 110_000n,
    rebasingTokens: (venue) => [addressesOf(venue).eETH],
    cautions: [
      {
        kind: 'rebase',
        message: 'Balances of eETH, and what weETH stands for, follow the reports of an oracle.',
      },
    ],
    trust: {
      probes(venue) {
        const { liquidityPool, eETH, weETH } = addressesOf(venue)
        return [
          probe('LiquidityPool of ether.fi', liquidityPool, 'getTotalPooledEther()', 'positive'),
          probe('eETH of ether.fi', eETH, 'totalShares()', 'positive'),
          probe('weETH of ether.fi', weETH, 'eETH()', eETH),
        ]
      },
    },
  },
)
