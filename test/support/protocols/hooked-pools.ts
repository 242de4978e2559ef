/** Pools of Uniswap V4 with hooks of fixtures/test-contracts, on a chain of the test's own. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { poolIdOf } from '../../../src/protocols/uniswap-v4/pool-key.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import type { TestContract } from '../test-contracts.js'

const manager = String(ethereum.venues['uniswap-v4']?.poolManager) as Address
export const keyType = '(address, address, uint24, int24, address)'

/** The fee of a pool whose hooks set it. */
export const dynamicFee = 0x800000

/**
 * Places the hooks, whose address says what they are asked, and opens a pool over all prices at 1 to 1.
 * @param wanted.provider - holds both tokens.
 */
export async function openHookedPool(
  node: NodeWriter,
  wanted: {
    readonly provider: Address
    readonly tokens: readonly [Address, Address]
    readonly hooks: Address
    /** Absent: no hooks. */
    readonly contract?: TestContract
    readonly fee: number
    /** Raw units. */
    readonly liquidity: bigint
  },
): Promise<Pool> {
  const { provider, hooks, fee, liquidity } = wanted
  if (wanted.contract) await node.rpc('anvil_setCode', [hooks, wanted.contract.runtime])
  const [currency0, currency1] = wanted.tokens.toSorted() as [Address, Address]
  const key = { currency0, currency1, fee, tickSpacing: 60, hooks }
  const open = `function openV4(address, ${keyType}, uint160, int256)`
  const args = [manager, Object.values(key), sqrtPriceAtTick(0), liquidity]
  await node.send(provider, open, args)
  return {
    protocol: 'uniswap-v4',
    id: poolIdOf(key),
    address: manager,
    tokens: [currency0, currency1],
    parameters: { fee, tickSpacing: 60, hooks },
  }
}

/** Gives the account so much of a token. */
export async function deal(node: NodeWriter, owner: Address, token: Address, amount: bigint) {
  await node.rpc('anvil_dealERC20', [owner, token, numberToHex(amount)])
}
