/** Llamalend's markets on a sandbox's copy of Ethereum, by contracts of the same arithmetic: no package ships their code. */
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { deal } from '../../service/venue-routes.js'
import { compileTestContracts } from '../../test-contracts.js'
import { placeToken } from '../place-psm3.js'

const venue = ethereum.venues.llamalend ?? {}
const [lendingFactory] = [venue.lendingFactories].flat().map((one) => toAddress(String(one)))
if (!lendingFactory) throw new Error('no factory of Llamalend')
export const llamma = {
  crvUsd: toAddress(String(venue.stablecoin)),
  controllerFactory: toAddress(String(venue.controllerFactory)),
  lendingFactory,
}

/** A price of the collateral in 1e-18, the share of it that swaps are told in 1e-18, and whether it tells nothing. */
export const setLlammaOracle = 'function set(uint256 stated, uint256 share, bool isDown)'
export const exchangeLlamma =
  'function exchange(uint256 i, uint256 j, uint256 amount, uint256 least, address to)'

const contract = compileTestContracts('Llamma.sol')
const fill = 'function fill(int256 first, int256 active, uint256[] xs, uint256[] ys)'

export async function placeLlamma(node: NodeWriter): Promise<void> {
  await placeToken(node, llamma.crvUsd, 'crvUSD')
  await node.place(llamma.controllerFactory, contract('ControllerFactoryLike').bytecode)
  await node.place(llamma.lendingFactory, contract('LendingFactoryLike').bytecode)
}

export interface PlacedMarket {
  readonly amm: Address
  readonly oracle: Address
}

/** A market with bands of 1 % whose upper prices begin at `basePrice` in band 0. */
export async function openLlamma(
  node: NodeWriter,
  factory: Address,
  args: {
    readonly collateral: Address
    readonly decimals: number
    /** Both in crvUSD for a whole token, 1e-18. */
    readonly basePrice: bigint
    readonly price: bigint
    /** In 1e-18. */
    readonly fee: bigint
    readonly first: number
    readonly active: number
    /** By bands from the first, in 1e-18 of whole tokens: crvUSD, and collateral. */
    readonly xs: readonly bigint[]
    readonly ys: readonly bigint[]
  },
): Promise<PlacedMarket> {
  const { collateral, xs, ys } = args
  const precision = 10n ** BigInt(18 - args.decimals)
  const oracle = await node.deploy(contract('LlammaOracleLike').bytecode, 'uint256', [args.price])
  const types = 'address, uint256, address, uint256, uint256, uint256, uint256, address'
  const tokens = [llamma.crvUsd, 1n, collateral, precision]
  const values = [...tokens, 100n, args.basePrice, args.fee, oracle]
  const amm = await node.deploy(contract('LlammaLike').bytecode, types, values)
  const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n)
  await deal(node, amm, [
    [llamma.crvUsd, sum(xs)],
    [collateral, sum(ys) / precision],
  ])
  await node.rpc('evm_mine', [])
  await node.send(amm, fill, [BigInt(args.first), BigInt(args.active), xs, ys])
  await node.send(factory, 'function announce(address amm)', [amm])
  return { amm, oracle }
}
