/**
 * The pools of the sandbox as the protocol adapters identify them. Uniswap's and Sushi's can be found on
 * the chain as well; Balancer's and Curve's have no registry there and are imported from this list.
 */
import { getContractAddress, numberToHex } from 'viem'
import { defined } from '../../domain/defined.js'
import { type Address, nativeToken, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import { poolIdOf } from '../../protocols/uniswap-v4/pool-key.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
  v3PoolAddress,
} from '../addresses.js'
import { type SandboxToken, sandboxToken } from '../tokens.js'
import {
  type BalancerPoolSpec,
  balancerPoolSpecs,
  curvePoolSpecs,
  type V4PoolSpec,
  v2PoolSpecs,
  v3PoolSpecs,
  v4PoolSpecs,
} from './market-specs.js'

/** Ticks between the ends of positions, by fee. */
export const tickSpacings: Readonly<Record<number, number>> = {
  100: 1,
  500: 10,
  3000: 60,
  10000: 200,
}

/** Pool contracts of Balancer by their place in the plan: the first children of the two factories. */
const balancerPoolAddresses: readonly Address[] = balancerPoolSpecs.map((spec, index) => {
  const weighted = balancerPoolSpecs.filter(({ weights }) => weights).length
  const { balancerWeightedFactory, balancerStableFactory } = contractAddresses
  const from = spec.weights ? balancerWeightedFactory : balancerStableFactory
  const nonce = BigInt(spec.weights ? index + 1 : index + 1 - weighted)
  return toAddress(getContractAddress({ from, nonce }))
})

/** How the vault keeps the balances of a pool: general, minimal swap info, two tokens. */
function specialization(spec: BalancerPoolSpec): bigint {
  if (spec.symbols.length === 2) return 2n
  return spec.weights ? 1n : 0n
}

/** Address, specialization (2 bytes), number of the pool in the vault (10 bytes). */
export function balancerPoolId(index: number): `0x${string}` {
  const spec = balancerPoolSpecs[index]
  const address = balancerPoolAddresses[index]
  if (!spec || !address) throw new RangeError(`There is no Balancer pool ${index}.`)
  const id = (BigInt(address) << 96n) | (specialization(spec) << 80n) | BigInt(index)
  return numberToHex(id, { size: 32 })
}

/** Addresses in the order of their values, with what belongs to each. */
export function balancerTokens(spec: BalancerPoolSpec) {
  return spec.symbols
    .map((symbol, index) => ({
      token: sandboxToken(symbol),
      weight: spec.weights?.[index] ?? null,
    }))
    .sort((a, b) => (a.token.address < b.token.address ? -1 : 1))
}

function pairOf(symbols: readonly [string, string]): [Address, Address] {
  const [a, b] = [sandboxToken(symbols[0]).address, sandboxToken(symbols[1]).address]
  return a < b ? [a, b] : [b, a]
}

/** Key of a V4 pool, and what its currencies are worth as: WETH in place of native ether. */
export function v4Pool(spec: V4PoolSpec) {
  const currencies = spec.symbols
    .map((symbol) => {
      const isEther = symbol === 'ETH'
      const token = sandboxToken(isEther ? 'WETH' : symbol)
      return { token, currency: isEther ? zeroAddress : token.address }
    })
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
  const [first, second] = currencies
  if (!first || !second) throw new RangeError('A pool has two currencies.')
  const tokens: [SandboxToken, SandboxToken] = [first.token, second.token]
  const key = {
    currency0: first.currency,
    currency1: second.currency,
    fee: spec.fee,
    tickSpacing: tickSpacings[spec.fee] ?? 1,
    hooks: zeroAddress,
  }
  return { key, tokens }
}

function addressesOf(tokens: readonly SandboxToken[]): Address[] {
  return tokens.map(({ address }) => address)
}

/** All pools, traps included. */
export function sandboxPools(): Pool[] {
  return [
    ...v2PoolSpecs.map(({ protocol, symbols }) => {
      const tokens = pairOf(symbols)
      const address = v2PairAddress(protocol, ...tokens)
      return { protocol, id: address, address, tokens, parameters: { feeBps: 30 } }
    }),
    ...v3PoolSpecs.map(({ protocol, symbols, fee }) => {
      const tokens = pairOf(symbols)
      const address = v3PoolAddress(...tokens, fee)
      const parameters = { fee, tickSpacing: tickSpacings[fee] ?? 0 }
      return { protocol, id: address, address, tokens, parameters }
    }),
    ...v4PoolSpecs.map((spec) => {
      const { key, tokens } = v4Pool(spec)
      return {
        protocol: spec.protocol,
        id: poolIdOf(key),
        address: contractAddresses.v4PoolManager,
        tokens: key.currency0 === zeroAddress ? [nativeToken, key.currency1] : addressesOf(tokens),
        parameters: { fee: key.fee, tickSpacing: key.tickSpacing, hooks: key.hooks },
      }
    }),
    ...balancerPoolSpecs.map((spec, index) => {
      const tokens = balancerTokens(spec)
      return {
        protocol: spec.protocol,
        id: balancerPoolId(index),
        address: contractAddresses.balancerVault,
        tokens: tokens.map(({ token }) => token.address),
        parameters: {
          kind: spec.weights ? 'weighted' : 'stable',
          decimals: tokens.map(({ token }) => String(token.decimals)),
          ...defined({
            weights:
              spec.weights && tokens.map(({ weight }) => `${BigInt(weight ?? 0) * 10n ** 16n}`),
          }),
        },
      }
    }),
    ...curvePoolSpecs.map((spec, index) => {
      const address = curvePoolAddresses[index]
      if (!address) throw new RangeError(`Curve pool ${index} has no address.`)
      const tokens = spec.symbols.map(sandboxToken)
      return {
        protocol: spec.protocol,
        id: address,
        address,
        tokens: tokens.map((token) => token.address),
        parameters: {
          kind: 'stable',
          decimals: tokens.map(({ decimals }) => String(decimals)),
          legacy: true,
          lpToken: curveSharesAddresses[index] ?? '',
        },
      }
    }),
  ]
}
