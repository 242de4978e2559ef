/**
 * What is known of the makers of protocols beyond the protocols themselves. A logo is that of their own token, as far
 * as a token list has it. A project that is missing here has none of these.
 */
import type { ProjectRecord } from '../domain/metadata.js'
import type { Address, Token } from '../domain/primitives.js'

interface ProjectFacts {
  readonly description: string
  /** Name of its account, as DefiLlama/defillama-server (defi/src/protocols) or public lists of protocols give it. */
  readonly twitter: string
  /** Its own, on Ethereum unless `chainId` says another chain; absent: the lists of the service do not have it. */
  readonly token?: Address
  readonly chainId?: number
}

const projects: Readonly<Record<string, ProjectFacts>> = {
  aave: {
    description: 'Markets to lend tokens and to borrow against them.',
    twitter: 'aave',
    token: '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9',
  },
  aerodrome: {
    description: 'An exchange whose fees go to those who vote on its rewards.',
    twitter: 'AerodromeFi',
    token: '0x940181a94a35a4569e4529a3cdfb74e38fd98631',
    chainId: 8453,
  },
  balancer: {
    description: 'An exchange whose pools hold several tokens by weight.',
    twitter: 'Balancer',
    token: '0xba100000625a3754423978a60c9317c58a424e3d',
  },
  camelot: {
    description: 'An exchange with fees for each direction.',
    twitter: 'CamelotDEX',
  },
  compound: {
    description: 'Markets to lend tokens and to borrow against them.',
    twitter: 'compoundfinance',
    token: '0xc00e94cb662c3520282e6f5717214004a7f26888',
  },
  curve: {
    description: 'An exchange for tokens that are worth about the same.',
    twitter: 'CurveFinance',
    token: '0xd533a949740bb3306d119cc777fa900ba034cd52',
  },
  dodo: {
    description: 'An exchange whose pools keep near a price that is stated to them.',
    twitter: 'BreederDodo',
  },
  'ether-fi': {
    description: 'Staking of ether for a token that stands for it.',
    twitter: 'ether_fi',
    token: '0xfe0c30065b384f05761f15d0cc899d4f9f9cc0eb',
  },
  euler: {
    description: 'Markets for loans that anybody can open, and pools whose tokens lie in them.',
    twitter: 'eulerfinance',
    token: '0xd9fcd98c322942075a5c3860693e9f4f03aae07b',
  },
  fluid: {
    description: 'Markets to lend and borrow whose collateral and debt are traded as well.',
    twitter: '0xfluid',
    token: '0x61e030a56d33e8260fdd81f03b162a79fe3449cd',
    chainId: 8453,
  },
  frax: {
    description: 'Stable tokens, and staking of ether.',
    twitter: 'fraxfinance',
    token: '0x3432b6a60d23ca0dfca7761b7ab56459d9c964d0',
  },
  lido: {
    description: 'Staking of ether for a token that stands for it.',
    twitter: 'LidoFinance',
    token: '0x5a98fcbea516cf06857215779fd812ca3bef1b32',
  },
  lynex: {
    description: 'An exchange with concentrated liquidity on Linea.',
    twitter: 'LynexFi',
  },
  maverick: {
    description: 'An exchange whose liquidity may follow the price.',
    twitter: 'mavprotocol',
  },
  morpho: {
    description: 'Isolated markets to lend tokens and to borrow against them.',
    twitter: 'Morpho',
    token: '0x58d97b57bb95320f9a05dc918aef65434969c2b2',
  },
  pancakeswap: {
    description: 'An exchange of pools that anybody can open.',
    twitter: 'PancakeSwap',
    token: '0x152649ea73beab28c5b49b26eb48f7ead6d4c898',
  },
  pendle: {
    description: 'Yield of tokens apart from their principal, traded until it expires.',
    twitter: 'pendle_fi',
    token: '0x808507121b80c02388fad14726482e061b8da827',
  },
  quickswap: {
    description: 'An exchange with concentrated liquidity and fees that follow the market.',
    twitter: 'QuickswapDEX',
    token: '0x6c28aef8977c9b773996d0e8376d2ee379446f2f',
  },
  'rocket-pool': {
    description: 'Staking of ether for a token that stands for it.',
    twitter: 'Rocket_Pool',
    token: '0xd33526068d116ce69f19a9ee46f0bd304f21a51f',
  },
  sky: {
    description: 'Stable tokens, and savings in them.',
    twitter: 'SkyEcosystem',
    token: '0x56072c95faa701256059aa122697b133aded9279',
  },
  spark: {
    description: 'Markets to lend tokens and to borrow against them.',
    twitter: 'sparkdotfi',
    token: '0xc20059e0317de91738d13af027dfc4a50781b066',
  },
  sushiswap: {
    description: 'An exchange of pools that anybody can open.',
    twitter: 'SushiSwap',
    token: '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2',
  },
  swapx: {
    description: 'An exchange with concentrated liquidity on Sonic.',
    twitter: 'SwapXfi',
  },
  synthetix: {
    description: 'Derivatives, and the contract that many projects pay staking rewards by.',
    twitter: 'synthetix_io',
    token: '0xc011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f',
  },
  thena: {
    description: 'An exchange with concentrated liquidity on BNB Chain.',
    twitter: 'ThenaFi_',
  },
  'trader-joe': {
    description: 'An exchange whose pools have a bin for each price.',
    twitter: 'LFJ_gg',
  },
  uniswap: {
    description: 'An exchange of pools that anybody can open.',
    twitter: 'Uniswap',
    token: '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984',
  },
  velodrome: {
    description: 'An exchange whose fees go to those who vote on its rewards.',
    twitter: 'VelodromeFi',
    token: '0x9560e827af36c94d2ac33a39bce1fe78631088db',
    chainId: 10,
  },
  wombat: {
    description:
      'An exchange of tokens that are worth about the same, to whose pools each is added alone.',
    twitter: 'WombatExchange',
  },
  woofi: {
    description: 'An exchange whose prices are posted by its own oracle.',
    twitter: '_WOOFi',
    token: '0x4691937a7508860f876c9c0a2a617e7d9e945d4b',
  },
  yearn: {
    description: 'Vaults that invest what is deposited in them.',
    twitter: 'yearnfi',
    token: '0x0bc529c00c6401aef6d220be8c6ea1667f6ad93e',
  },
}

/** @param tokens - of all token lists, whichever chains are configured. */
export function projectRecord(project: string, tokens: readonly Token[]): ProjectRecord {
  const facts = projects[project]
  if (!facts) return { description: null, logo: null, twitter: null }
  const { chainId = 1, token } = facts
  const listed = tokens.find((one) => one.chainId === chainId && one.address === token)
  return { description: facts.description, logo: listed?.logoUri ?? null, twitter: facts.twitter }
}
