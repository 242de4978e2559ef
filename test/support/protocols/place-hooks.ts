/** Pools of Uniswap V4 on the sandbox with hooks: one sets the fee, one keeps a part of the output, for whoever asks them. */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { sqrtPriceAtTick } from '../../../src/protocols/shared/concentrated/tick-math.js'
import { dynamicFee } from '../../../src/protocols/shared/keyed/currencies.js'
import { poolIdOf } from '../../../src/protocols/uniswap-v4/pool-key.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

/** Its last 14 bits say that the PoolManager never calls it. */
export const dynamicFeeHooks: Address = '0x0000000000000000000000000000000abcd00000'
/** Called after swaps, and may change what they give. */
export const outputShareHooks: Address = '0x0000000000000000000000000000000abcd00044'
const manager = toAddress(String(ethereum.venues['uniswap-v4']?.poolManager))
const keyType = '(address, address, uint24, int24, address)'
/** The flag of a dynamic fee stands in place of one. */
const feeSetKey = keyOf(['DAI', 'FRAX'], dynamicFee, dynamicFeeHooks)

function keyOf(symbols: readonly [string, string], fee: number, hooks: Address) {
  const [currency0 = '0x', currency1 = '0x'] = symbols
    .map((symbol): Address => sandboxToken(symbol).address)
    .sort()
  return { currency0, currency1, fee, tickSpacing: 60, hooks }
}

/** One DAI for one FRAX, at 10 bps. @returns the pool's record, for import. */
export async function placeDynamicFee(node: NodeWriter): Promise<Pool> {
  const pool = await placeHooked(node, feeSetKey, 'FeeSetterHook')
  await setDynamicFee(node, 1_000)
  return pool
}

/** One sUSD for one FRAX, at 5 bps and what the hooks keep. @returns the pool's record, for import. */
export async function placeOutputShare(node: NodeWriter): Promise<Pool> {
  const pool = await placeHooked(
    node,
    keyOf(['sUSD', 'FRAX'], 500, outputShareHooks),
    'OutputShareHook',
  )
  await setOutputShare(node, 1_000)
  return pool
}

async function placeHooked(
  node: NodeWriter,
  key: ReturnType<typeof keyOf>,
  name: string,
): Promise<Pool> {
  const contract = compileTestContracts('Pools.sol')
  const provider = await node.deploy(contract('LiquidityProvider').bytecode)
  const { currency0, currency1, fee, tickSpacing, hooks } = key
  const tokens = [currency0, currency1]
  for (const token of tokens) {
    await node.rpc('anvil_dealERC20', [provider, token, numberToHex(10n ** 27n)])
  }
  await node.rpc('anvil_setCode', [hooks, contract(name).runtime])
  const open = `function openV4(address, ${keyType}, uint160, int256)`
  await node.send(provider, open, [manager, Object.values(key), sqrtPriceAtTick(0), 10n ** 24n])
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
  return node.send(dynamicFeeHooks, setFee, [manager, Object.values(feeSetKey), pips])
}

/** @param pips - hundredths of a basis point of what a swap gives. */
export function setOutputShare(node: NodeWriter, pips: number): Promise<void> {
  return node.send(outputShareHooks, 'function setShare(uint24)', [pips])
}
