/** Exchanges that are on other chains only, at their addresses of the chain file on the sandbox's copy of the chain. */
import { numberToHex } from 'viem'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileAerodrome } from './aerodrome.js'

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
  // Constructors store what `place` does not keep.
  await node.rpc('anvil_setStorageAt', [factory, numberToHex(1, { size: 32 }), word(5n)])
  await node.rpc('anvil_setStorageAt', [factory, numberToHex(2, { size: 32 }), word(30n)])
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

function word(value: bigint) {
  return numberToHex(value, { size: 32 })
}
