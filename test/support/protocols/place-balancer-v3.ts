/** Balancer V3 on the sandbox chain, at its addresses of mainnet, with two pools of its own factories. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { vaultOf } from '../../../src/protocols/balancer-v3/parameters.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { addressesOf } from '../../../src/protocols/shared/parameters.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileBalancerV3 } from './balancer-v3.js'

const venue = ethereum.venues['balancer-v3'] ?? {}
const e18 = 10n ** 18n
const year = 365 * 86_400

const configs = '(address token, uint8 kind, address rates, bool pays)[]'
const rest = '(address, address, address), uint256, address, bool, bool, bytes32'

/** A token of which the owner of `NodeWriter` has the amount, and what says its worth. */
export interface RatedSide {
  readonly token: Address
  /** Raw units. */
  readonly amount: bigint
  readonly rates: Address
}

interface Sides {
  readonly symbols: readonly string[]
  /** The token whose worth the rate provider says. */
  readonly rated?: string
  /** That take part in swaps. */
  readonly hooks?: Address
  /** Raw units. */
  readonly amounts: readonly bigint[]
}

/** Says what DAI is worth in the rated pool: the word at slot 0 of its storage. */
export const rateProvider: Address = '0x00000000000000000000000000000000000f0a7e'
/** Of the wide pool. */
export const wideSymbols = ['WBTC', 'UNI', 'LINK', 'AAVE', 'LDO', 'MKR']
/** Set the fee of the hooked pool. */
export const feeHooks: Address = '0x00000000000000000000000000000000000f0fee'
/** PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
export const answersSlotZero: Hex = '0x5f545f5260205ff3'

/**
 * @param options.isRated - one more pool, of DAI and FRAX, in which DAI has a rate.
 * @param options.isHooked - one more pool, of sUSD and FRAX, whose hooks set a fee of 1%.
 * @param options.isWide - one more pool with these hooks, of WBTC and five tokens that are no connectors.
 * @param options.boosted - one more stable pool of each, of these tokens; the hooked ones have the hooks that set a fee of 1%.
 * @returns the records of a weighted pool of WETH and DAI and of a stable one of DAI and USDC.
 */
export async function placeBalancerV3OnSandbox(
  url: string,
  {
    isRated = false,
    isHooked = false,
    isWide = false,
    boosted = [],
  }: {
    readonly isRated?: boolean
    readonly isHooked?: boolean
    readonly isWide?: boolean
    readonly boosted?: readonly {
      readonly sides: readonly RatedSide[]
      readonly isHooked?: boolean
    }[]
  } = {},
): Promise<Pool[]> {
  const factories = addressesOf(venue.factories)
  const [weighted, stable] = [factories.at(-2), factories.at(-1)]
  const vault = vaultOf(venue)
  if (!weighted || !stable) throw new Error('the chain file names no factories')
  const node = await new NodeWriter(url).start()
  const compiled = await compileBalancerV3()
  const code = (name: string): Hex => compiled(name).bytecode
  const admin = await node.deploy(code('VaultAdmin'), 'address, uint32, uint32, uint256, uint256', [
    vault,
    year,
    90 * 86_400,
    1_000_000n,
    10_000n,
  ])
  const extension = await node.deploy(code('VaultExtension'), 'address, address', [vault, admin])
  const controller = await node.deploy(code('ProtocolFeeController'), 'address, uint256, uint256', [
    vault,
    e18 / 2n,
    e18 / 10n,
  ])
  await node.place(vault, code('Vault'), 'address, address, address', [
    ...[extension, zeroAddress, controller],
  ])
  for (const [factory, name, version] of [
    [weighted, 'WeightedPool', 2],
    [stable, 'StablePool', 3],
  ] as const) {
    await node.place(factory, code(`${name}Factory`), 'address, uint32, string, string', [
      ...[vault, year, ''],
      `{"name":"${name}","version":${version},"deployment":"test"}`,
    ])
  }
  const provider = await node.deploy(code('Provider'))
  let salt = 0

  async function open(
    factory: Address,
    { symbols, amounts, rated, hooks }: Sides,
    formula: bigint | bigint[],
  ) {
    const sides = symbols.map((symbol, k) => ({
      token: sandboxToken(symbol).address,
      amount: amounts[k] ?? 0n,
      rates: symbol === rated ? rateProvider : null,
    }))
    for (const { token, amount } of sides) {
      await node.rpc('anvil_dealERC20', [provider, token, numberToHex(amount)])
    }
    return register(factory, sides, hooks, formula)
  }

  async function register(
    factory: Address,
    given: readonly { token: Address; amount: bigint; rates: Address | null }[],
    hooks: Address | undefined,
    formula: bigint | bigint[],
  ) {
    const sides = given.toSorted((a, b) => (a.token < b.token ? -1 : 1))
    const tokens = sides.map(({ token }) => token)
    // Pools of one factory with equal terms would lie at one address.
    salt += 1
    const kind = typeof formula === 'bigint' ? 'uint256' : 'uint256[]'
    await node.send(factory, `function create(string, string, ${configs}, ${kind}, ${rest})`, [
      ...['Pool', 'POOL'],
      sides.map(({ token, rates }) => ({
        token,
        kind: rates ? 1 : 0,
        rates: rates ?? zeroAddress,
        pays: false,
      })),
      formula,
      [zeroAddress, zeroAddress, zeroAddress],
      ...[e18 / 1_000n, hooks ?? zeroAddress, false, false, numberToHex(salt, { size: 32 })],
    ])
    const list = await node.read(factory, 'function getPools() view')
    const contract = toAddress(`0x${list.slice(-40)}`)
    const initialize = 'function initialize(address, address, address[], uint256[])'
    const held = sides.map(({ amount }) => amount)
    await node.send(provider, initialize, [vault, contract, tokens, held])
    const isRated = sides.some(({ rates }) => rates !== null)
    const parameters = { factory, isRated, ...(hooks && { hooks }) }
    return { protocol: 'balancer-v3', id: contract, address: vault, tokens, parameters }
  }

  const pools = [
    await open(weighted, { symbols: ['WETH', 'DAI'], amounts: [1_000n * e18, 3_000_000n * e18] }, [
      e18 / 2n,
      e18 / 2n,
    ]),
    await open(
      stable,
      { symbols: ['DAI', 'USDC'], amounts: [5_000_000n * e18, 5_000_000n * 10n ** 6n] },
      500n,
    ),
  ]
  if (isHooked || isWide || boosted.some((one) => one.isHooked)) {
    await node.place(feeHooks, code('FeeHooks'), 'address', [zeroAddress])
  }
  if (isWide) {
    const amounts = wideSymbols.map((symbol) =>
      symbol === 'WBTC' ? 100n * 10n ** 8n : 10_000n * e18,
    )
    const weights = wideSymbols.map((_symbol, k) => (k < 4 ? e18 / 5n : e18 / 10n))
    pools.push(await open(weighted, { symbols: wideSymbols, amounts, hooks: feeHooks }, weights))
  }
  if (isHooked) {
    const amounts = [5_000_000n * e18, 5_000_000n * e18] as const
    const sides: Sides = { symbols: ['sUSD', 'FRAX'], amounts, hooks: feeHooks }
    pools.push(await open(stable, sides, 500n))
  }
  if (isRated) {
    await node.rpc('anvil_setCode', [rateProvider, answersSlotZero])
    const [slot, rate] = [numberToHex(0, { size: 32 }), numberToHex(e18, { size: 32 })]
    await node.rpc('anvil_setStorageAt', [rateProvider, slot, rate])
    const amounts = [5_000_000n * e18, 5_000_000n * e18] as const
    pools.push(await open(stable, { symbols: ['DAI', 'FRAX'], amounts, rated: 'DAI' }, 500n))
  }
  for (const one of boosted) {
    for (const { token, amount } of one.sides) {
      await node.send(token, 'function transfer(address, uint256)', [provider, amount])
    }
    pools.push(await register(stable, one.sides, one.isHooked ? feeHooks : undefined, 500n))
  }
  await node.close()
  return pools
}
