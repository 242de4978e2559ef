/** Exchanges that are on other chains only, at their addresses of the chain file on the sandbox's copy of the chain. */
import { numberToHex } from 'viem'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { factoriesOf } from '../../../src/protocols/slipstream/discover.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'
import { compileAerodrome } from './aerodrome.js'
import { compileSlipstream } from './slipstream.js'

export interface VenueScene {
  readonly node: NodeWriter
  readonly chain: ChainDefinition
}

/** Of a token of the sandbox to the account that opens the pools, however the token keeps its balances. */
async function fund({ node }: VenueScene, token: Address, amount: bigint): Promise<void> {
  await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(amount)])
}

function addressOf({ chain }: VenueScene, slug: string, key: string): Address {
  return toAddress(String(chain.venues[slug]?.[key]))
}

type Sides = readonly (readonly [token: Address, amount: bigint])[]

/** Aerodrome's factory and pools: volatile or stable, with these raw units of each token. */
export async function placeAerodrome(
  scene: VenueScene,
  pools: readonly { readonly stable: boolean; readonly sides: Sides }[],
): Promise<void> {
  const { node } = scene
  const contract = await compileAerodrome()
  const factory = addressOf(scene, 'aerodrome-v1', 'factory')
  const pool = await node.deploy(contract('Pool').bytecode)
  await node.place(factory, contract('PoolFactory').bytecode, 'address', [pool])
  for (const { stable, sides } of pools) {
    const tokens = sides.map(([token]) => token)
    await node.send(factory, 'function createPool(address, address, bool)', [...tokens, stable])
    const getPool = 'function getPool(address, address, bool) view'
    const found = await node.read(factory, getPool, [...tokens, stable])
    const address = toAddress(`0x${found.slice(26)}`)
    for (const [token, amount] of sides) {
      await fund(scene, token, amount)
      await node.send(token, 'function transfer(address, uint256)', [address, amount])
    }
    await node.send(address, 'function mint(address)', [NodeWriter.owner])
  }
}

/** A Slipstream factory and pools at a price of 2^96 times the root of units of the second token per unit of the first. */
export async function placeSlipstream(
  scene: VenueScene,
  pools: readonly {
    readonly tickSpacing: number
    readonly sides: Sides
    /** Of the range around the price, in tick spacings to either side. */
    readonly width: number
    readonly liquidity: bigint
  }[],
): Promise<void> {
  const { node, chain } = scene
  const contract = await compileSlipstream()
  const factory = factoriesOf(chain.venues['aerodrome-slipstream'] ?? {})[0] ?? '0x'
  const around = compileTestContracts('Slipstream.sol')('Surroundings')
  const surroundings = await node.deploy(around.bytecode)
  const pool = await node.deploy(contract('CLPool').bytecode)
  const args = [surroundings, surroundings, pool]
  await node.place(factory, contract('CLFactory').bytecode, 'address, address, address', args)
  for (const { tickSpacing, sides, width, liquidity } of pools) {
    for (const [token, amount] of sides) {
      await fund(scene, token, amount)
      await node.send(token, 'function transfer(address, uint256)', [surroundings, amount])
    }
    const [first, second] = [...sides].sort(([a], [b]) => (a < b ? -1 : 1))
    if (!first || !second) throw new Error('a pool of two tokens')
    const ratio = Number(second[1]) / Number(first[1])
    const middle = Math.round(Math.log(ratio) / Math.log(1.0001) / tickSpacing) * tickSpacing
    const key = [first[0], second[0], tickSpacing]
    const create = 'function createPool(address, address, int24, uint160)'
    await node.send(factory, create, [...key, sqrtPriceAtTick(middle + 1)])
    const getPool = 'function getPool(address, address, int24) view'
    const address = toAddress(`0x${(await node.read(factory, getPool, key)).slice(26)}`)
    const seed = 'function seedAndStake(address, int24, int24, uint128)'
    const range = [middle - width * tickSpacing, middle + width * tickSpacing]
    await node.send(surroundings, seed, [address, ...range, liquidity])
  }
}

/** Camelot's factory and a pair, volatile unless it is stable, with these raw units of each token. */
export async function placeCamelot(
  scene: VenueScene,
  pairs: readonly { readonly stable: boolean; readonly sides: Sides }[],
): Promise<void> {
  const { node } = scene
  const factory = addressOf(scene, 'camelot-v2', 'factory')
  await node.place(factory, compileTestContracts('Camelot.sol')('CamelotLikeFactory').bytecode)
  for (const { stable, sides } of pairs) {
    const tokens = sides.map(([token]) => token)
    await node.send(factory, 'function createPair(address, address)', tokens)
    const getPair = 'function getPair(address, address) view'
    const pair = toAddress(`0x${(await node.read(factory, getPair, tokens)).slice(26)}`)
    for (const [token, amount] of sides) {
      await fund(scene, token, amount)
      await node.send(token, 'function transfer(address, uint256)', [pair, amount])
    }
    await node.send(pair, 'function set(bool, uint16, uint16)', [stable, 40, 60])
    await node.send(pair, 'function sync()')
  }
}

/** Taken by `placeBook`; `set(uint256 written, bool refuses)` says what they do before a swap. */
export const bookHooks: Address = '0x0000000000000000000000000000000abcd00b00'
const beforeSwap = 1n << 160n

/** A Liquidity Book factory and a pair with the same amount in each bin around a price. */
export async function placeBook(
  scene: VenueScene,
  book: {
    readonly tokens: readonly [Address, Address]
    readonly binStep: number
    readonly activeId: number
    readonly perBin: readonly [bigint, bigint]
    /** Whether `bookHooks` are called before swaps. */
    readonly isHooked?: boolean
  },
): Promise<void> {
  const { node } = scene
  const { tokens, binStep, activeId, perBin, isHooked = false } = book
  const contract = compileTestContracts('LiquidityBook.sol')
  const factory = addressOf(scene, 'liquidity-book', 'factory22')
  await node.place(factory, contract('BookLikeFactory').bytecode)
  // The older factory answers, too.
  await node.place(
    addressOf(scene, 'liquidity-book', 'factory21'),
    contract('BookLikeFactory').bytecode,
  )
  const types = 'address, address, uint256'
  const { bytecode } = contract('BookLike22')
  const pair = await node.deploy(bytecode, types, [...tokens, BigInt(binStep)])
  await node.send(factory, 'function add(address, address, uint16, address)', [
    ...[tokens[0], tokens[1], binStep],
    pair,
  ])
  const offsets = Array.from({ length: 41 }, (_, k) => k - 20)
  for (const [index, token] of tokens.entries()) {
    const amount = (perBin[index] ?? 0n) * 21n
    await fund(scene, token, amount)
    await node.send(token, 'function transfer(address, uint256)', [pair, amount])
  }
  // Base factor, filter and decay periods, reduction, variable fee, protocol share, limit of volatility, active bin.
  const fields = [8_000n, 30n, 600n, 5_000n, 40_000n, 1_000n, 350_000n, BigInt(activeId)]
  const places = [0n, 16n, 28n, 40n, 54n, 78n, 92n, 232n]
  const word = fields.reduce((sum, field, index) => sum | (field << (places[index] ?? 0n)), 0n)
  await node.send(pair, 'function set(uint256)', [word])
  if (isHooked) {
    await node.rpc('anvil_setCode', [bookHooks, contract('MovedBookHooks').runtime])
    const hooks = numberToHex(BigInt(bookHooks) | beforeSwap, { size: 32 })
    await node.send(pair, 'function setHooks(bytes32)', [hooks])
  }
  await node.send(pair, 'function seed(uint256[], uint256[])', [
    offsets.map((offset) => BigInt(activeId + offset)),
    offsets.map(
      (offset) => (offset >= 0 ? perBin[0] : 0n) | ((offset <= 0 ? perBin[1] : 0n) << 128n),
    ),
  ])
}
