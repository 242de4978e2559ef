/** A pool of Uniswap V4 on the sandbox whose hooks set its fee, for whoever asks them. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { poolIdOf } from '../../../src/protocols/uniswap-v4/pool-key.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

/** Its last 14 bits say that the PoolManager never calls it. */
export const dynamicFeeHooks: Address = '0x0000000000000000000000000000000abcd00000'
const manager = toAddress(String(ethereum.venues['uniswap-v4']?.poolManager))
const keyType = '(address, address, uint24, int24, address)'
const [currency0 = '0x', currency1 = '0x'] = ['DAI', 'FRAX']
  .map((symbol) => sandboxToken(symbol).address)
  .sort()
/** The flag of a dynamic fee stands in place of one. */
const key = { currency0, currency1, fee: 0x800000, tickSpacing: 60, hooks: dynamicFeeHooks }

/** One DAI for one FRAX, at 10 bps. @returns the pool's record, for import. */
export async function placeDynamicFee(node: NodeWriter): Promise<Pool> {
  const contract = compileTestContracts('Pools.sol')
  const provider = await node.deploy(contract('LiquidityProvider').bytecode)
  const { fee, tickSpacing, hooks } = key
  const tokens = [currency0, currency1]
  for (const token of tokens) {
    await node.rpc('anvil_dealERC20', [provider, token, numberToHex(10n ** 27n)])
  }
  await node.rpc('anvil_setCode', [hooks, contract('FeeSetterHook').runtime])
  const open = `function openV4(address, ${keyType}, uint160, int256)`
  await node.send(provider, open, [manager, Object.values(key), sqrtPriceAtTick(0), 10n ** 24n])
  await setDynamicFee(node, 1_000)
  return {
    protocol: 'uniswap-v4',
    id: poolIdOf(key),
    address: manager,
    tokens,
    parameters: { fee, tickSpacing, hooks },
  }
}

/** @param pips - hundredths of a basis point. */
export function setDynamicFee(node: NodeWriter, pips: number): Promise<void> {
  const setFee = `function setFee(address, ${keyType}, uint24)`
  return node.send(dynamicFeeHooks, setFee, [manager, Object.values(key), pips])
}
