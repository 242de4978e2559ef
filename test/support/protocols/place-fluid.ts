/** Fluid on the sandbox chain, at its mainnet addresses, by contracts of the same arithmetic: no package ships its code. */
import { getContractAddress, numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { toAddress } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

/** In units of 1e-12. */
const million = 10n ** 18n
const par = 10n ** 27n

/** One pool of a million DAI and as many USDC as collateral, which trade as twenty million, at a fee of 0.01%. */
export async function placeFluid(url: string): Promise<void> {
  const node = await new NodeWriter(url).start()
  const contract = compileTestContracts('FluidLike.sol')
  const [factory, resolver] = ['factory', 'resolver'].map((name) =>
    toAddress(String(ethereum.venues['fluid-dex-t1']?.[name])),
  )
  if (!factory || !resolver) throw new RangeError('There is no such venue.')
  await node.place(factory, contract('FluidLikeFactory').bytecode)
  await node.place(resolver, contract('FluidLikeResolver').bytecode, 'address', [factory])
  const tokens = ['DAI', 'USDC'].map((symbol) => sandboxToken(symbol).address)
  await node.send(factory, 'function make(address, address)', tokens)
  const pool = toAddress(getContractAddress({ from: factory, nonce: 1n }))
  const reserves = '(uint256[2], uint256[2])'
  const set = `function set(uint256, ${reserves}, ${reserves}, uint256, uint256, uint256[2], uint256[2])`
  const none = [0n, 0n] as const
  const all = [10n ** 40n, 10n ** 40n] as const
  await node.send(pool, set, [
    1n | (100n << 2n),
    [
      [million, million],
      [20n * million, 20n * million],
    ],
    [none, none],
    par,
    par,
    all,
    none,
  ])
  for (const token of tokens) {
    await node.rpc('anvil_dealERC20', [pool, token, numberToHex(10n ** 30n)])
  }
  await node.close()
}
