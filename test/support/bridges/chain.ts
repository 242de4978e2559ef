/** A chain with the real contracts of the bridges, a market of one pool, and our contracts; source as well as destination. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  padHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import type { Order } from '../../../src/domain/order.js'
import { type Address, type Hex, nativeToken } from '../../../src/domain/primitives.js'
import type { SimulationLog } from '../../../src/domain/state.js'
import { composeLanding, deploymentOverrides } from '../../../src/executor/deployments.js'
import { codeOf } from '../../../src/sandbox/contracts/artifacts.js'
import { compileMocks, deploy } from '../../integration/executor/executor-contracts.js'
import { startAnvil } from '../anvil.js'
import { bridgeArtifacts } from './packages.js'

export const ether = 10n ** 18n
export const receiver: Address = '0x00000000000000000000000000000000000cafe0'
export const fallbackReceiver: Address = '0x00000000000000000000000000000000000fa110'

const abi = parseAbi([
  'function deposit(address receiver, uint256 amount) payable',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes data) returns (int256, int256)',
  'struct Config { address feeLib; address planner; address treasurer; address tokenMessaging; address creditMessaging; address lzToken; }',
  'function setAddressConfig(Config config)',
  'function setAssetId(address pool, uint16 assetId)',
])
const poolSwap = abi[5]

export interface ChainOptions {
  readonly chainId: number
  /** LayerZero's number of it. */
  readonly eid: number
  /** Of the pool's token; Stargate's shared ones are 6. */
  readonly usdcDecimals: number
}

export interface Mined {
  readonly ok: boolean
  readonly hash: Hex
  readonly contractAddress: Address | null
  readonly gasUsed: bigint
  readonly logs: readonly SimulationLog[]
}

interface WireReceipt {
  readonly status: Hex
  readonly transactionHash: Hex
  readonly contractAddress: Address | null
  readonly gasUsed: Hex
  readonly logs: readonly SimulationLog[]
}

export type BridgeChain = Awaited<ReturnType<typeof startBridgeChain>>

export async function startBridgeChain({ chainId, eid, usdcDecimals }: ChainOptions) {
  const anvil = await startAnvil(['--code-size-limit', '40000', '--chain-id', String(chainId)])
  const [owner = receiver, thief = receiver] = await anvil.rpc<Address[]>('eth_accounts')
  const artifacts = await bridgeArtifacts()
  const mocks = compileMocks()

  const bridge = async (name: string, types: string, values: readonly unknown[]) => {
    const args = encodeAbiParameters(parseAbiParameters(types), values)
    const data: Hex = `${codeOf(artifacts, name)}${args.slice(2)}`
    const receipt = await sent({ from: owner, data })
    return receipt.contractAddress as Address
  }
  async function sent(tx: {
    from: Address
    to?: Address
    data?: Hex
    value?: Hex
    gas?: Hex
  }): Promise<Mined> {
    const receipt = await anvil.rpc<WireReceipt>('eth_sendTransactionSync', [
      { gas: numberToHex(16_000_000n), ...tx },
    ])
    const { contractAddress, logs } = receipt
    return {
      ok: receipt.status === '0x1',
      hash: receipt.transactionHash,
      contractAddress,
      logs,
      gasUsed: BigInt(receipt.gasUsed),
    }
  }
  const set = async (to: Address, data: Hex, value = 0n) => {
    const { ok } = await sent({ from: owner, to, data, value: numberToHex(value) })
    if (!ok) throw new Error(`a call of ${to} failed`)
  }
  const balance = async (token: Address, of: Address) => {
    if (token === nativeToken) return BigInt(await anvil.rpc<Hex>('eth_getBalance', [of, 'latest']))
    const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [of] })
    return BigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
  }

  // Chains have addresses of their own: what one of them has is nobody's on the other.
  for (let nonce = 0; nonce < chainId % 7; nonce += 1) await sent({ from: owner, to: owner })
  const weth = await deploy(anvil, owner, mocks.MockWeth)
  const usdc = await deploy(anvil, owner, mocks.MockToken)
  const market = await deploy(anvil, owner, mocks.V3LikePool, [weth, usdc])
  const endpoint = await bridge('endpoint', 'uint32, address', [eid, owner])
  const messaging = await bridge('tokenMessaging', 'address, address, uint16', [
    ...[endpoint, owner],
    512,
  ])
  const tokenPool = await bridge(
    'tokenPool',
    'string, string, address, uint8, uint8, address, address',
    ['USDC-LP', 'S*USDC', usdc, usdcDecimals, 6, endpoint, owner],
  )
  const nativePool = await bridge('nativePool', 'string, string, uint8, uint8, address, address', [
    ...['ETH-LP', 'S*ETH'],
    ...[18, 6, endpoint, owner],
  ])
  const spokePool = await bridge('spokePool', 'address, uint32, uint32', [weth, 3_600, 21_600])

  const plain = { planner: owner, treasurer: owner, lzToken: owner }
  const assets = [tokenPool, nativePool] as const
  const feeLibraries = new Map<Address, Address>()
  for (const [index, pool] of assets.entries()) {
    const feeLib = await bridge('feeLibrary', 'address', [pool])
    feeLibraries.set(pool, feeLib)
    const config = { ...plain, feeLib, tokenMessaging: messaging, creditMessaging: owner }
    await set(pool, encodeFunctionData({ abi, functionName: 'setAddressConfig', args: [config] }))
    const args = [pool, index + 1] as const
    await set(messaging, encodeFunctionData({ abi, functionName: 'setAssetId', args }))
  }

  const mint = (to: Address, amount: bigint) =>
    set(usdc, encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] }))
  const approve = (token: Address, spender: Address) =>
    set(token, encodeFunctionData({ abi, functionName: 'approve', args: [spender, 10n ** 30n] }))
  await mint(owner, 100_000n * ether)
  await mint(market, 100_000n * ether)
  await set(weth, '0xd0e30db0', 1_000n * ether)
  await approve(usdc, tokenPool)
  await approve(usdc, spokePool)
  await approve(weth, spokePool)
  const liquidity = [
    [tokenPool, 50_000n * 10n ** BigInt(usdcDecimals), 0n],
    [nativePool, 100n * ether, 100n * ether],
  ] as const
  for (const [pool, amount, value] of liquidity) {
    const args = [owner, amount] as const
    await set(pool, encodeFunctionData({ abi, functionName: 'deposit', args }), value)
  }
  const ofMarket = [market, 500n * ether] as const
  await set(weth, encodeFunctionData({ abi, functionName: 'transfer', args: ofMarket }))

  const landings = assets.map((pool) => composeLanding({ endpoint, pool }))
  for (const [at, { code }] of Object.entries(deploymentOverrides(undefined, landings))) {
    await anvil.rpc('anvil_setCode', [at, code])
  }
  await anvil.rpc('anvil_impersonateAccount', [endpoint])
  await anvil.rpc('anvil_setBalance', [endpoint, numberToHex(10n * ether)])

  /** All of what is delivered into the market, for at least `minAmountOut` WETH or USDC. */
  function swapOrder(tokenIn: Address, minAmountOut: bigint): Order {
    const amount = { ref: 'balance', token: tokenIn } as const
    const first = weth.toLowerCase() < usdc.toLowerCase() ? weth : usdc
    return {
      inputs: [{ token: tokenIn, amount: 0n }],
      feeReceiver: receiver,
      steps: [
        {
          kind: 'call',
          target: market,
          abi: poolSwap,
          args: [receiver, tokenIn === first, amount, 0n, '0x'],
          payToken: tokenIn,
        },
      ],
      outputs: [{ token: tokenIn === weth ? usdc : weth, minAmountOut }],
      outputsPaidBySteps: true,
      receiver,
      refundReceiver: receiver,
      sweep: [],
      deadline: 2n ** 40n,
      accountId: padHex('0xac', { size: 32 }),
      referralCode: padHex('0x4d', { size: 16 }),
    }
  }

  return {
    chainId,
    eid,
    usdcDecimals,
    anvil,
    owner,
    thief,
    weth,
    usdc,
    artifacts,
    endpoint,
    messaging,
    tokenPool,
    nativePool,
    spokePool,
    feeLibraries,
    landing: composeLanding({ endpoint, pool: tokenPool }).address,
    nativeLanding: composeLanding({ endpoint, pool: nativePool }).address,
    bridge,
    sent,
    set,
    mint,
    balance,
    swapOrder,
  }
}
