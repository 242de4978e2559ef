/** The public contracts that the scripts use: where they lie, what of them is called, and their code. */
import { encodeAbiParameters, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { type Address, toAddress, zeroAddress } from '../../src/domain/primitives.js'
import type { ArtifactPackage } from '../../src/sandbox/contracts/artifact-package.js'
import { loadArtifacts } from '../../src/sandbox/contracts/artifacts.js'
import { startAnvil } from '../../test/support/anvil.js'

export type Venue = 'uniswap-v2' | 'sushiswap-v2' | 'uniswap-v3'

export const factories: Readonly<Record<Venue, Address>> = {
  'uniswap-v2': toAddress(String(ethereum.venues['uniswap-v2']?.factory)),
  'sushiswap-v2': toAddress(String(ethereum.venues['sushiswap-v2']?.factory)),
  'uniswap-v3': toAddress(String(ethereum.venues['uniswap-v3']?.factory)),
}
/** Hundredths of a basis point. */
export const v3Fees = [100, 500, 3000, 10000] as const

export const swapRouter02: Address = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'
export const v2Routers = {
  'uniswap-v2': '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  'sushiswap-v2': '0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f',
} as const satisfies Record<string, Address>
/** @see Uniswap/permit2 */
export const permit2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'
/** Not where mainnet has them: a node may know that they exist there without holding them. */
export const universalRouter: Address = '0x00000000000000000000000000000000be9c4013'
export const quoterV2: Address = '0x00000000000000000000000000000000be9c4011'
export const uniswapMulticall: Address = '0x00000000000000000000000000000000be9c4012'

export const factoryAbi = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
])
export const quoterAbi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 limit; }',
  'function quoteExactInputSingle(Single) returns (uint256 amountOut, uint160, uint32, uint256 gas)',
])
export const v2RouterAbi = parseAbi([
  'function getAmountsOut(uint256, address[]) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256, uint256, address[], address, uint256) returns (uint256[])',
])
export const swapRouterAbi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 minimum; uint160 limit; }',
  'struct Multi { bytes path; address recipient; uint256 amountIn; uint256 minimum; }',
  'function exactInputSingle(Single) payable returns (uint256)',
  'function exactInput(Multi) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256, uint256, address[], address) payable returns (uint256)',
  'function unwrapWETH9(uint256, address) payable',
  'function multicall(bytes[]) payable returns (bytes[])',
])
export const multicallAbi = parseAbi([
  'struct Call { address target; uint256 gasLimit; bytes callData; }',
  'struct Result { bool success; uint256 gasUsed; bytes returnData; }',
  'function multicall(Call[]) returns (uint256 blockNumber, Result[] results)',
])

/** What the sandbox does not have. */
const packages: readonly ArtifactPackage[] = [
  {
    name: '@uniswap/v3-periphery',
    version: '1.4.4',
    integrity:
      'sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==',
    files: {
      quoterV2: {
        path: 'package/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
        field: 'bytecode',
      },
      multicall: {
        path: 'package/artifacts/contracts/lens/UniswapInterfaceMulticall.sol/UniswapInterfaceMulticall.json',
        field: 'bytecode',
      },
    },
  },
]

/** Its parts that no swap asks are left out. The hashes are those of mainnet's pair and pool. */
const universalRouterArguments = encodeAbiParameters(
  parseAbiParameters(
    'address, address, address, address, bytes32, bytes32, address, address, address, address',
  ),
  [
    permit2,
    ethereum.wrappedNative,
    factories['uniswap-v2'],
    factories['uniswap-v3'],
    '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
    '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
    toAddress(String(ethereum.venues['uniswap-v4']?.poolManager)),
    zeroAddress,
    zeroAddress,
    zeroAddress,
  ],
)

/** Runtime code by address, for chains that lack it. */
export type Codes = Readonly<Record<Address, Hex>>

/** The published creation code, run with mainnet's arguments. Sushi's router gets Uniswap's code, as its pairs do. */
export async function loadCodes(): Promise<Codes> {
  const cache = new URL('../../.cache/sandbox', import.meta.url).pathname
  const [own, sandbox] = await Promise.all([
    loadArtifacts(cache, () => {}, packages),
    loadArtifacts(cache, () => {}),
  ])
  const addresses = (...list: Address[]) =>
    encodeAbiParameters(
      list.map(() => ({ type: 'address' })),
      list,
    )
  const weth = ethereum.wrappedNative
  const { 'uniswap-v2': v2, 'uniswap-v3': v3, 'sushiswap-v2': sushi } = factories
  const creations: Record<Address, readonly [code: Hex | undefined, args: Hex]> = {
    // The third is the manager of V3 positions, which no swap asks.
    [swapRouter02]: [sandbox.swapRouter02, addresses(v2, v3, weth, weth)],
    [quoterV2]: [own.quoterV2, addresses(v3, weth)],
    [uniswapMulticall]: [own.multicall, '0x'],
    [universalRouter]: [sandbox.universalRouter, universalRouterArguments],
    [v2Routers['sushiswap-v2']]: [sandbox.v2Router, addresses(sushi, weth)],
  }
  const anvil = await startAnvil([])
  try {
    const runtimes = Object.entries(creations).map(async ([address, [code, args]]) => {
      const data = `${code}${args.slice(2)}`
      return [address, await anvil.rpc<Hex>('eth_call', [{ data }, 'latest'])] as const
    })
    return Object.fromEntries(await Promise.all(runtimes))
  } finally {
    await anvil.stop()
  }
}

/** On a fork; what the chain has stays, and what the node refuses to say is left alone. */
export async function placeCodes(
  fork: { rpc<T>(method: string, params: readonly unknown[]): Promise<T> },
  codes: Codes,
): Promise<void> {
  for (const [address, code] of Object.entries(codes)) {
    const present = await fork.rpc<Hex>('eth_getCode', [address, 'latest']).catch(() => null)
    if (present === '0x') await fork.rpc('anvil_setCode', [address, code])
  }
}
