/**
 * A small market on a local chain under the rules of an era: published code of Uniswap V2 and V3, of their routers and of
 * a Curve pool, and tokens compiled for Istanbul. Nothing of ours is there, and nothing that was published later.
 */
import { readFileSync } from 'node:fs'
import solc from 'solc'
import {
  concatHex,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import {
  swapRouter02,
  swapRouterAbi,
  v2RouterAbi,
  v2Routers,
} from '../../../bench/alternatives/venues.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { startAnvil, type TestAnvil } from '../anvil.js'
import { type EraNode, startEraNode } from './era-node.js'
import { gasBeforeLondon } from './gas-before-london.js'

/** Rules that Anvil takes, and a block of mainnet that had them: its number, time and gas limit. */
export const eras = {
  istanbul: { number: 10_500_000, time: 1_595_300_000, gasLimit: 12_500_000 },
  berlin: { number: 12_300_000, time: 1_619_200_000, gasLimit: 15_000_000 },
  london: { number: 13_000_000, time: 1_628_640_000, gasLimit: 30_000_000 },
  paris: { number: 15_600_000, time: 1_664_000_000, gasLimit: 30_000_000 },
  shanghai: { number: 17_600_000, time: 1_688_000_000, gasLimit: 30_000_000 },
  cancun: { number: 19_500_000, time: 1_711_300_000, gasLimit: 30_000_000 },
  prague: { number: 22_600_000, time: 1_748_700_000, gasLimit: 36_000_000 },
  osaka: { number: 24_000_000, time: 1_765_600_000, gasLimit: 60_000_000 },
} as const
export type Era = keyof typeof eras

export const tokens = {
  WETH: ethereum.wrappedNative,
  USDC: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  USDT: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  DAI: '0x6b175474e89094c44da98b954eedeac495271d0f',
  sUSD: '0x57ab1ec28d129707052df4df418d58a2d46d5f51',
} as const satisfies Record<string, Address>
const decimals = { USDC: 6n, USDT: 6n, DAI: 18n, sUSD: 18n } as const

const v2Factory = toAddress(String(ethereum.venues['uniswap-v2']?.factory))
const v3Factory = toAddress(String(ethereum.venues['uniswap-v3']?.factory))
const positionManager = toAddress(String(ethereum.venues['uniswap-v3']?.positionManager))
const v2Router = v2Routers['uniswap-v2']
export const curvePool: Address = '0xa5407eae9ba41422680e2e00537571bcc53efbfd'
const curveShares: Address = '0xc25a3a3b969415c80451098fa907ec722572917f'

/** The order of the coins is built into the pool's code, with their decimals. */
const curveCoins = [tokens.DAI, tokens.USDC, tokens.USDT, tokens.sUSD] as const
/** To be imported: the registry that lists it is younger than most blocks. */
export const importedCurvePool: Pool = {
  protocol: 'curve',
  id: curvePool,
  address: curvePool,
  tokens: curveCoins,
  parameters: { kind: 'stable', decimals: ['18', '6', '6', '18'], legacy: true },
}

const venues = [v2Router, swapRouter02, positionManager, curvePool] as const
/** Addresses without code, but allowances for them can be there. */
const ownSpenders = [contractAddress('Router'), contractAddress('WalletFactory')]

const abi = parseAbi([
  'function approve(address, uint256) returns (bool)',
  'function deposit() payable',
  'function transfer(address, uint256) returns (bool)',
  'function createPair(address, address) returns (address)',
  'function getPair(address, address) view returns (address)',
  'function sync()',
  'function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable returns (address)',
  'struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(Mint) payable returns (uint256, uint128, uint256, uint256)',
  'function add_liquidity(uint256[4], uint256)',
  'function exchange(int128, int128, uint256, uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function get_dy(int128, int128, uint256) view returns (uint256)',
])

const maxUint256 = 2n ** 256n - 1n
const tokenTypes = parseAbiParameters('string, string, uint8, uint256, address')

export interface EraMarket {
  readonly anvil: TestAnvil
  /** Has every token; all venues may spend them. */
  readonly trader: Address
  /** Last block. */
  readonly head: number
  /** What the venue's own contracts give, by a call on this chain at the block; raw units. */
  v2(path: readonly Address[], amountIn: bigint, block?: number): Promise<bigint>
  v3(tokenIn: Address, tokenOut: Address, amountIn: bigint, block?: number): Promise<bigint>
  curve(tokenIn: Address, tokenOut: Address, amountIn: bigint, block?: number): Promise<bigint>
  /** What the example takes and gives by the rules of this chain. */
  gasOf(example: Example): Promise<{ readonly gas: bigint; readonly gained: bigint }>
}

/** @param options.ether - in the V2 pair of WETH, whole units; default 1000. */
export async function startEraMarket(
  era: Era,
  codes: Readonly<Record<Address, Hex>>,
  options: { readonly ether?: bigint; readonly number?: number } = {},
): Promise<EraMarket> {
  const { time, gasLimit } = eras[era]
  const { ether = 1_000n, number = eras[era].number } = options
  const anvil = await startAnvil([
    ...['--hardfork', era, '--chain-id', '1', '--accounts', '1', '--balance', '1000000'],
    ...['--number', String(number), '--timestamp', String(time)],
    ...['--gas-limit', String(gasLimit), '--no-mining', '--steps-tracing'],
  ])
  // The books of pools about time grow in every block, so that gas does not depend on the clock.
  await anvil.rpc('anvil_setBlockTimestampInterval', [12])
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const [account = '0x'] = await anvil.rpc<Hex[]>('eth_accounts')
  const trader = toAddress(account)

  const sent: Hex[] = []
  async function send(to: Address, data: Hex, value = 0n): Promise<void> {
    const gas = numberToHex(6_000_000)
    const tx = { from: trader, to, data, value: numberToHex(value), gas, gasPrice: '0x174876e800' }
    sent.push(await anvil.rpc<Hex>('eth_sendTransaction', [tx]))
    await anvil.rpc('evm_mine')
  }
  /** As if created at the address: a transaction runs the constructor, and what it returns becomes the code. */
  async function place(address: Address, creationCode: Hex, args: Hex = '0x'): Promise<void> {
    await anvil.rpc('anvil_setNonce', [address, '0x1'])
    await anvil.rpc('anvil_setCode', [address, concatHex([creationCode, args])])
    const runtime = await anvil.rpc<Hex>('eth_call', [{ from: trader, to: address }, 'latest'])
    await send(address, '0x')
    await anvil.rpc('anvil_setCode', [address, runtime])
  }
  const addresses = (...list: readonly Address[]) =>
    concatHex(list.map((one) => encodeAbiParameters([{ type: 'address' }], [one])))
  const call = (data: Parameters<typeof encodeFunctionData<typeof abi>>[0]) =>
    encodeFunctionData(data)

  const contract = compileTokens()
  await place(tokens.WETH, codeOf(artifacts, 'weth9'))
  for (const [symbol, own] of Object.entries(decimals)) {
    const address = tokens[symbol as keyof typeof decimals]
    const args = [symbol, symbol, Number(own), 10n ** (own + 12n), trader] as const
    await place(address, contract('StandardToken'), encodeAbiParameters(tokenTypes, args))
  }
  await place(v2Factory, codeOf(artifacts, 'v2Factory'), addresses(trader))
  await place(v2Router, codeOf(artifacts, 'v2Router'), addresses(v2Factory, tokens.WETH))
  await place(v3Factory, codeOf(artifacts, 'v3Factory'))
  const managed = addresses(v3Factory, tokens.WETH, tokens.WETH)
  await place(positionManager, codeOf(artifacts, 'v3PositionManager'), managed)
  await anvil.rpc('anvil_setCode', [swapRouter02, codes[swapRouter02]])
  const sharesTypes = parseAbiParameters('string, string, address')
  const sharesArgs = encodeAbiParameters(sharesTypes, ['Curve.fi sUSD', 'crv', curvePool])
  await place(curveShares, contract('PoolShares'), sharesArgs)
  const poolTypes = parseAbiParameters('address[4], address[4], address, uint256, uint256')
  const poolArgs = [curveCoins, curveCoins, curveShares, 256n, 4_000_000n] as const
  await place(curvePool, codeOf(artifacts, 'curvePool'), encodeAbiParameters(poolTypes, poolArgs))

  await send(tokens.WETH, call({ abi, functionName: 'deposit' }), 100_000n * 10n ** 18n)
  for (const token of Object.values(tokens)) {
    for (const spender of [...venues, ...ownSpenders]) {
      await send(token, call({ abi, functionName: 'approve', args: [spender, maxUint256] }))
    }
  }

  async function pair(a: Address, b: Address, amountA: bigint, amountB: bigint): Promise<void> {
    await send(v2Factory, call({ abi, functionName: 'createPair', args: [a, b] }))
    const asked = { abi, functionName: 'getPair', args: [a, b] } as const
    const data = await anvil.rpc<Hex>('eth_call', [{ to: v2Factory, data: call(asked) }, 'latest'])
    const at = toAddress(decodeFunctionResult({ ...asked, data }))
    await send(a, call({ abi, functionName: 'transfer', args: [at, amountA] }))
    await send(b, call({ abi, functionName: 'transfer', args: [at, amountB] }))
    await send(at, call({ abi, functionName: 'sync' }))
  }
  await pair(tokens.WETH, tokens.DAI, ether * 10n ** 18n, ether * 1_800n * 10n ** 18n)
  await pair(tokens.DAI, tokens.USDC, 3_000_000n * 10n ** 18n, 3_001_000n * 10n ** 6n)

  // USDC is token 0: its 6 decimals against 18, at 1 / 1795.
  const sqrtPrice = sqrt((10n ** 12n * 2n ** 192n) / 1_795n)
  const poolArguments = [tokens.USDC, tokens.WETH, 3_000, sqrtPrice] as const
  const functionName = 'createAndInitializePoolIfNecessary'
  await send(positionManager, call({ abi, functionName, args: poolArguments }))
  for (const [tickLower, tickUpper] of [
    [-887_220, 887_220],
    [200_400, 202_800],
  ] as const) {
    const position = {
      token0: tokens.USDC,
      token1: tokens.WETH,
      fee: 3_000,
      tickLower,
      tickUpper,
      amount0Desired: 2_000_000n * 10n ** 6n,
      amount1Desired: 2_000n * 10n ** 18n,
      amount0Min: 0n,
      amount1Min: 0n,
      recipient: trader,
      deadline: maxUint256,
    }
    await send(positionManager, call({ abi, functionName: 'mint', args: [position] }))
  }
  const amounts = [18, 6, 6, 18].map((d, k) => BigInt(4 + k) * 10n ** BigInt(d + 5))
  const liquidity = amounts as [bigint, bigint, bigint, bigint]
  await send(curvePool, call({ abi, functionName: 'add_liquidity', args: [liquidity, 0n] }))
  // The first swap of a pool begins its books, which costs more than any later one.
  for (const venue of ['v2', 'v3', 'curve'] as const) {
    const { to, data } = examples[venue](trader)
    await send(to, data)
  }
  for (const hash of sent) {
    const receipt = await anvil.rpc<{ status: Hex }>('eth_getTransactionReceipt', [hash])
    if (receipt.status !== '0x1') throw new Error(`transaction ${sent.indexOf(hash)} failed`)
  }

  const ask = (to: Address, data: Hex, block: number | undefined): Promise<Hex> => {
    const at = block === undefined ? 'latest' : numberToHex(block)
    return anvil.rpc<Hex>('eth_call', [{ from: trader, to, data }, at])
  }
  return {
    anvil,
    trader,
    head: Number(await anvil.rpc<Hex>('eth_blockNumber')),
    async v2(path, amountIn, block) {
      const swap = v2Swap(trader, path, amountIn)
      const data = await ask(v2Router, encodeFunctionData(swap), block)
      return decodeFunctionResult({ ...swap, data }).at(-1) ?? 0n
    },
    async v3(tokenIn, tokenOut, amountIn, block) {
      const swap = v3Swap(trader, tokenIn, tokenOut, amountIn)
      return decodeFunctionResult({
        ...swap,
        data: await ask(swapRouter02, encodeFunctionData(swap), block),
      })
    },
    async curve(tokenIn, tokenOut, amountIn, block) {
      const coins: readonly Address[] = curveCoins
      const place = (token: Address) => BigInt(coins.indexOf(token))
      const args = [place(tokenIn), place(tokenOut), amountIn] as const
      const asked = { abi, functionName: 'get_dy', args } as const
      const data = await ask(curvePool, encodeFunctionData(asked), block)
      return decodeFunctionResult({ ...asked, data })
    },
    async gasOf(example) {
      const { to, data, tokenOut } = examples[example](trader)
      const snapshot = await anvil.rpc<Hex>('evm_snapshot')
      const balance = encodeFunctionData({ abi, functionName: 'balanceOf', args: [trader] })
      const held = async () => BigInt(await ask(tokenOut, balance, undefined))
      const before = await held()
      await send(to, data)
      const hash = sent.at(-1) ?? '0x'
      const receipt = await anvil.rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', [hash])
      const gas =
        era === 'istanbul' || era === 'berlin'
          ? await gasBeforeLondon(anvil, hash, era)
          : BigInt(receipt.gasUsed)
      const gained = (await held()) - before
      await anvil.rpc('evm_revert', [snapshot])
      return { gas, gained }
    },
  }
}

/** Transactions of the owner: a swap by each venue's own contract, and one that is refunded gas. */
export const examples = {
  v2: (owner: Address) => ({
    to: v2Router as Address,
    tokenOut: tokens.DAI as Address,
    data: encodeFunctionData(v2Swap(owner, [tokens.WETH, tokens.DAI], 10n ** 18n)),
  }),
  v3: (owner: Address) => ({
    to: swapRouter02,
    tokenOut: tokens.USDC as Address,
    data: encodeFunctionData(v3Swap(owner, tokens.WETH, tokens.USDC, 10n ** 18n)),
  }),
  curve: () => ({
    to: curvePool,
    tokenOut: tokens.DAI as Address,
    data: encodeFunctionData({ abi, functionName: 'exchange', args: [1n, 0n, 1_000_000_000n, 0n] }),
  }),
  revoke: () => ({
    to: tokens.WETH as Address,
    tokenOut: tokens.WETH as Address,
    data: encodeFunctionData({ abi, functionName: 'approve', args: [v2Router, 0n] }),
  }),
} as const
export type Example = keyof typeof examples

function v2Swap(owner: Address, path: readonly Address[], amountIn: bigint) {
  const args = [amountIn, 0n, path, owner, maxUint256] as const
  return { abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args } as const
}

function v3Swap(owner: Address, tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  const single = { tokenIn, tokenOut, fee: 3_000, recipient: owner, minimum: 0n, limit: 0n }
  const args = [{ ...single, amountIn }] as const
  return { abi: swapRouterAbi, functionName: 'exactInputSingle', args } as const
}

/** The market as the only segment of a node. */
export function nodeOf({ anvil, head }: EraMarket, era: Era): Promise<EraNode> {
  const { number } = eras[era]
  return startEraNode([{ anvil, from: number, to: head, isProofOfWork: isProofOfWork(era) }])
}

/**
 * A market whose rules change once: the chain of `before` up to its head, and from there on that of `after`, with some
 * more blocks.
 */
export async function startChange(
  [before, after]: readonly [Era, Era],
  codes: Readonly<Record<Address, Hex>>,
): Promise<{
  readonly markets: readonly [EraMarket, EraMarket]
  readonly node: EraNode
  /** The last block of the older rules. */
  readonly border: number
}> {
  const { number } = eras[before]
  const [old, young] = await Promise.all([
    startEraMarket(before, codes, { number }),
    startEraMarket(after, codes, { number, ether: 1_001n }),
  ])
  const border = old.head
  const last = border + 4
  for (let block = border; block < last; block++) await young.anvil.rpc('evm_mine')
  const node = await startEraNode([
    { anvil: old.anvil, from: number, to: border, isProofOfWork: isProofOfWork(before) },
    { anvil: young.anvil, from: border + 1, to: last, isProofOfWork: isProofOfWork(after) },
  ])
  return { markets: [old, young], node, border }
}

function isProofOfWork(era: Era): boolean {
  return eras[era].number < 15_537_394
}

/** Rounded down. */
function sqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value)))) + 1n
  while (root * root > value) root = (root + value / root) / 2n
  return root
}

interface Output {
  readonly contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
}

/** The sandbox's plain tokens for the oldest rules. */
function compileTokens(): (name: 'StandardToken' | 'PoolShares') => Hex {
  const folder = new URL('../../../fixtures/sandbox-contracts/', import.meta.url)
  const source = (file: string) => ({ content: readFileSync(new URL(file, folder), 'utf8') })
  const files = ['StandardToken.sol', 'PoolShares.sol']
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, source(file)])),
    settings: {
      evmVersion: 'istanbul',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  return (name) => `0x${output.contracts[`${name}.sol`]?.[name]?.evm.bytecode.object ?? ''}`
}
