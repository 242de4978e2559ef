/** Places every contract of the sandbox that is not a pool: protocols, tokens, price feeds, the trading desk. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbiParameters,
  stringToHex,
} from 'viem'
import { standardBridge } from '../../bridges/canonical/settlement.js'
import type { Address } from '../../domain/primitives.js'
import { sandboxAccounts } from '../accounts.js'
import {
  contractAddresses as at,
  curvePoolAddresses,
  curveSharesAddresses,
  curveZapAddress,
} from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { type Placement, placeContracts } from '../chain/placement.js'
import { type Artifacts, codeOf } from '../contracts/artifacts.js'
import { multicall3CreationCode } from '../contracts/multicall3.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { lockedFor, minterOf } from '../minted-tokens.js'
import { type SandboxToken, sandboxToken } from '../tokens.js'
import { tokenAbi } from './market-abi.js'
import type { Market } from './market-pools.js'
import { curvePoolSpecs } from './market-specs.js'

/** Value of the whole supply of each token at the starting price, dollars. */
const supplyUsd = 20_000_000_000n

/** Governance of the Balancer vault: only the address matters, nothing of it is called. */
const balancerAuthorizer = '0xa331d84ec860bf466b4cdccfb4ac09a1b43f3ae6'
/** Seconds, as on mainnet. */
const pauseWindow = 7_776_000n
const bufferPeriod = 2_592_000n

const standardTypes = parseAbiParameters(
  'string name, string symbol, uint8 decimals, uint256 supply, address holder',
)

export function wholeSupply(token: SandboxToken): bigint {
  return (supplyUsd * 10n ** BigInt(12 + token.decimals)) / token.priceUsdE12
}

export interface Deployment {
  readonly chain: ChainWriter
  readonly deployer: Address
  readonly market: Market
  readonly artifacts: Artifacts
  /** Contracts placed with these, in two lists: constructors of the second may call the first. */
  readonly further?: readonly [Placement[], Placement[]]
}

export async function deployContracts(deployment: Deployment): Promise<void> {
  const { chain, deployer, market, artifacts, further = [[], []] } = deployment
  const code = (key: string): Hex => codeOf(artifacts, key)
  const tokens = market.tokens.flatMap((token) => {
    const locked = lockedFor(market.chain, token.address)
    if (locked) return [bridgedPlacement(token, locked, code('opToken'))]
    return tokenPlacement(token, market, deployer, code('weth9'))
  })
  const [proxied, direct] = partition(tokens, ({ creationCode }) =>
    creationCode.startsWith(sandboxBytecode.TokenProxy),
  )
  const traders = sandboxAccounts.slice(4).map(({ address }) => address)
  await placeContracts(chain, deployer, [
    ...protocolPlacements(deployer, market, code),
    { address: at.dollarImplementation, creationCode: sandboxBytecode.DollarToken },
    {
      address: at.tradingDesk,
      creationCode: sandboxBytecode.TradingDesk,
      types: parseAbiParameters('address[] traders'),
      args: [traders],
    },
    ...feedPlacements(deployer, market),
    ...direct,
    ...further[0],
  ])
  // A proxy calls its implementation while it is made, so that one has to be there.
  await placeContracts(chain, deployer, [...proxied, ...further[1]])
  const bridged = market.tokens.filter(({ address }) => lockedFor(market.chain, address))
  await chain.all([
    ...bridged.flatMap((token) => wholeSupplyTo(token, deployer)),
    { method: 'anvil_setCode', params: [at.permit2, code('permit2Runtime')] },
    { method: 'anvil_setNonce', params: [at.permit2, '0x1'] },
  ])
}

function protocolPlacements(
  deployer: Address,
  market: Market,
  code: (key: string) => Hex,
): Placement[] {
  const oneAddress = parseAbiParameters('address a')
  const twoAddresses = parseAbiParameters('address a, address b')
  const { factories, chain } = market
  return [
    {
      address: factories['uniswap-v2'],
      creationCode: code('v2Factory'),
      types: oneAddress,
      args: [deployer],
    },
    {
      address: factories['sushiswap-v2'],
      creationCode: code('v2Factory'),
      types: oneAddress,
      args: [deployer],
    },
    {
      address: market.v2Router,
      creationCode: code('v2Router'),
      types: twoAddresses,
      args: [factories['uniswap-v2'], chain.wrappedNative],
    },
    { address: factories['uniswap-v3'], creationCode: code('v3Factory') },
    ...(market.v4Pools.length > 0
      ? [
          {
            address: at.v4PoolManager,
            creationCode: code('v4PoolManager'),
            types: oneAddress,
            args: [deployer],
          },
        ]
      : []),
    { address: at.multicall3, creationCode: multicall3CreationCode() },
    ...(market.baskets.length > 0 ? basketPlacements(market, code) : []),
  ]
}

function basketPlacements({ chain }: Market, code: (key: string) => Hex): Placement[] {
  return [
    {
      address: at.balancerVault,
      creationCode: code('balancerVault'),
      types: parseAbiParameters('address authorizer, address weth, uint256 window, uint256 buffer'),
      args: [balancerAuthorizer, chain.wrappedNative, pauseWindow, bufferPeriod],
    },
    ...[
      { address: at.balancerWeightedFactory, key: 'balancerWeightedFactory' },
      { address: at.balancerStableFactory, key: 'balancerStableFactory' },
    ].map(({ address, key }) => ({
      address,
      creationCode: code(key),
      types: parseAbiParameters('address vault'),
      args: [at.balancerVault],
    })),
    ...curvePoolSpecs.flatMap((spec, index) => curvePlacements(spec, index, code('curvePool'))),
    ...curveZapPlacements(code('curveZap')),
  ]
}

function curvePlacements(
  spec: (typeof curvePoolSpecs)[number],
  index: number,
  creationCode: Hex,
): Placement[] {
  const [pool, shares] = [curvePoolAddresses[index], curveSharesAddresses[index]]
  if (!pool || !shares) throw new RangeError(`Curve pool ${index} has no address.`)
  const coins = spec.symbols.map((symbol) => sandboxToken(symbol).address)
  return [
    {
      address: shares,
      creationCode: sandboxBytecode.PoolShares,
      types: parseAbiParameters('string name, string symbol, address minter'),
      args: [spec.lpName, spec.lpSymbol, pool],
    },
    {
      address: pool,
      creationCode,
      types: parseAbiParameters(
        'address[4] coins, address[4] underlying, address shares, uint256 A, uint256 fee',
      ),
      args: [coins, coins, shares, BigInt(spec.amplification), BigInt(spec.fee)],
    },
  ]
}

/** The deposit contract beside the first pool, as on mainnet. */
function curveZapPlacements(creationCode: Hex): Placement[] {
  const [spec] = curvePoolSpecs
  const coins = spec?.symbols.map((symbol) => sandboxToken(symbol).address)
  const types = parseAbiParameters(
    'address[4] coins, address[4] underlying, address pool, address shares',
  )
  const args = [coins, coins, curvePoolAddresses[0], curveSharesAddresses[0]]
  return [{ address: curveZapAddress, creationCode, types, args }]
}

function feedPlacements(deployer: Address, { feeds }: Market): Placement[] {
  return feeds.map(({ feed, description }) => ({
    address: feed,
    creationCode: sandboxBytecode.PriceFeed,
    types: parseAbiParameters('string description, address operator'),
    args: [description, deployer],
  }))
}

/** @param minter - besides its holder's supply, this one mints and burns it. */
function standardPlacement(
  standard: Omit<Placement, 'creationCode'> & { readonly args: readonly unknown[] },
  minter: Address | null,
): Placement {
  if (!minter) return { ...standard, creationCode: sandboxBytecode.StandardToken }
  return {
    ...standard,
    creationCode: sandboxBytecode.MintableToken,
    types: [...standardTypes, { name: 'oft', type: 'address' }],
    args: [...standard.args, minter],
  }
}

/** The OP stack's own, which its standard bridge alone mints. */
function bridgedPlacement(
  { address, name, symbol, decimals }: SandboxToken,
  locked: Address,
  creationCode: Hex,
): Placement {
  return {
    address,
    creationCode,
    types: parseAbiParameters(
      'address bridge, address remoteToken, string name, string symbol, uint8 decimals',
    ),
    args: [standardBridge, locked, name, symbol, decimals],
  }
}

/** Its constructor mints nothing. Balances are its first slot, and the supply its third. */
function wholeSupplyTo(token: SandboxToken, holder: Address) {
  const supply = numberToHex(wholeSupply(token), { size: 32 })
  const key = encodeAbiParameters(parseAbiParameters('address, uint256'), [holder, 0n])
  return [keccak256(key), numberToHex(2n, { size: 32 })].map((slot) => ({
    method: 'anvil_setStorageAt',
    params: [token.address, slot, supply],
  }))
}

function tokenPlacement(
  token: SandboxToken,
  { chain }: Market,
  holder: Address,
  weth9: Hex,
): Placement[] {
  const { address, name, symbol, decimals } = token
  const supply = wholeSupply(token)
  const standard = {
    address,
    types: standardTypes,
    args: [name, symbol, decimals, supply, holder],
  }
  switch (token.behaviour) {
    case 'wrapped-native':
      return [{ address, creationCode: weth9 }]
    case 'standard':
      return [standardPlacement(standard, minterOf(chain, address))]
    case 'dai-permits':
      return [{ ...standard, creationCode: sandboxBytecode.DaiToken }]
    case 'returnless':
      return [{ ...standard, creationCode: sandboxBytecode.ReturnlessToken }]
    case 'vyper-layout':
      return [{ ...standard, creationCode: sandboxBytecode.VyperLayoutToken }]
    case 'checkpointed':
      return [{ ...standard, creationCode: sandboxBytecode.CheckpointToken }]
    case 'frozen':
      return [{ ...standard, creationCode: sandboxBytecode.FreezableToken }]
    case 'honeypot':
      return [{ ...standard, creationCode: sandboxBytecode.HoneypotToken }]
    case 'fee-on-transfer':
      return [
        {
          address,
          creationCode: sandboxBytecode.FeeToken,
          types: [...standardTypes, { name: 'bps', type: 'uint256' }],
          args: [...standard.args, BigInt(token.feeBps ?? 0)],
        },
      ]
    case 'bytes32':
      return [
        {
          address,
          creationCode: sandboxBytecode.Bytes32Token,
          types: parseAbiParameters('bytes32 name, bytes32 symbol, uint256 supply, address holder'),
          args: [
            stringToHex(name, { size: 32 }),
            stringToHex(symbol, { size: 32 }),
            supply,
            holder,
          ],
        },
      ]
    case 'rebasing':
      return [
        {
          address,
          creationCode: sandboxBytecode.StakedEther,
          types: parseAbiParameters('uint256 pooledEther, uint256 shares, address holder'),
          // One share, and so one wstETH, is 1.2 ether.
          args: [supply, (supply * 5n) / 6n, holder],
        },
      ]
    case 'staked-wrapper':
      return [
        {
          address,
          creationCode: sandboxBytecode.WrappedStakedEther,
          types: parseAbiParameters('address stETH, uint256 supply, address holder'),
          args: [sandboxToken('stETH').address, supply, holder],
        },
      ]
    case 'proxied':
      return [
        {
          address,
          creationCode: sandboxBytecode.TokenProxy,
          types: parseAbiParameters('address implementation, bytes initialisation'),
          args: [
            at.dollarImplementation,
            encodeFunctionData({
              abi: tokenAbi,
              functionName: 'initialize',
              args: [name, symbol, supply, holder],
            }),
          ],
        },
      ]
  }
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
