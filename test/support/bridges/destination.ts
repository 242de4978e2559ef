/** A destination chain with the real contracts of the bridges, a market of one pool, and our contracts. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  numberToHex,
  padHex,
  parseAbi,
  parseAbiParameters,
  size,
} from 'viem'
import type { Order } from '../../../src/domain/order.js'
import { type Address, type Hex, nativeToken } from '../../../src/domain/primitives.js'
import { composeLanding, deploymentOverrides } from '../../../src/executor/deployments.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { compileMocks, deploy } from '../../integration/executor/executor-contracts.js'
import { startAnvil } from '../anvil.js'

export const ether = 10n ** 18n
export const receiver: Address = '0x00000000000000000000000000000000000cafe0'
export const fallbackReceiver: Address = '0x00000000000000000000000000000000000fa110'

const abi = parseAbi([
  'function deposit(address receiver, uint256 amount) payable',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes data) returns (int256, int256)',
  'struct Config { address feeLib; address planner; address treasurer; address tokenMessaging; address creditMessaging; address lzToken; }',
  'function setAddressConfig(Config config)',
  'function setAssetId(address pool, uint16 assetId)',
  'function setPeer(uint32 eid, bytes32 peer)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function lzReceive(Origin origin, bytes32 guid, bytes message, address executor, bytes extraData) payable',
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
  'function composeQueue(address from, address to, bytes32 guid, uint16 index) view returns (bytes32)',
])
const poolSwap = abi[4]

const sourceEid = 30_110
const peer = padHex('0x5e4de4', { size: 32 })
/** Stargate's shared decimals are 6, those of the tokens here 18. */
const unitsPerShared = 10n ** 12n

export type Destination = Awaited<ReturnType<typeof startDestination>>

export async function startDestination() {
  const anvil = await startAnvil(['--code-size-limit', '40000'])
  const [owner = receiver, thief = receiver] = await anvil.rpc<Address[]>('eth_accounts')
  const artifacts = await loadArtifacts('.cache/sandbox', () => {})
  const mocks = compileMocks()

  const bridge = async (name: string, types: string, values: readonly unknown[]) => {
    const args = encodeAbiParameters(parseAbiParameters(types), values)
    const data: Hex = `${codeOf(artifacts, name)}${args.slice(2)}`
    const receipt = await sent({ from: owner, data })
    return receipt.contractAddress as Address
  }
  async function sent(tx: { from: Address; to?: Address; data?: Hex; value?: Hex; gas?: Hex }) {
    const receipt = await anvil.rpc<{ status: Hex; contractAddress: Address | null }>(
      'eth_sendTransactionSync',
      [{ gas: numberToHex(16_000_000n), ...tx }],
    )
    return { ok: receipt.status === '0x1', contractAddress: receipt.contractAddress }
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

  const weth = await deploy(anvil, owner, mocks.MockWeth)
  const usdc = await deploy(anvil, owner, mocks.MockToken)
  const market = await deploy(anvil, owner, mocks.V3LikePool, [weth, usdc])
  const endpoint = await bridge('lzEndpoint', 'uint32, address', [30_101, owner])
  const messaging = await bridge('stargateMessaging', 'address, address, uint16', [
    ...[endpoint, owner],
    512,
  ])
  const tokenPool = await bridge(
    'stargatePoolUSDC',
    'string, string, address, uint8, uint8, address, address',
    ['USDC-LP', 'S*USDC', usdc, 18, 6, endpoint, owner],
  )
  const nativePool = await bridge(
    'stargatePoolETH',
    'string, string, uint8, uint8, address, address',
    [...['ETH-LP', 'S*ETH'], ...[18, 6, endpoint, owner]],
  )
  const spokePool = await bridge('spokePool', 'address, uint32, uint32', [weth, 3_600, 21_600])

  const plain = { feeLib: owner, planner: owner, treasurer: owner, lzToken: owner }
  const config = { ...plain, tokenMessaging: messaging, creditMessaging: owner }
  const assets = [tokenPool, nativePool] as const
  for (const [index, pool] of assets.entries()) {
    await set(pool, encodeFunctionData({ abi, functionName: 'setAddressConfig', args: [config] }))
    const args = [pool, index + 1] as const
    await set(messaging, encodeFunctionData({ abi, functionName: 'setAssetId', args }))
  }
  await set(
    messaging,
    encodeFunctionData({ abi, functionName: 'setPeer', args: [sourceEid, peer] }),
  )
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
    [tokenPool, 50_000n * ether, 0n],
    [nativePool, 100n * ether, 100n * ether],
  ] as const
  for (const [pool, amount, value] of liquidity) {
    const args = [owner, amount] as const
    await set(pool, encodeFunctionData({ abi, functionName: 'deposit', args }), value)
  }
  const wethOfMarket = encodeFunctionData({
    abi: parseAbi(['function transfer(address to, uint256 amount)']),
    args: [market, 500n * ether],
  })
  await set(weth, wethOfMarket)

  const pools = assets.map((pool) => ({ endpoint, pool }))
  for (const [at, { code }] of Object.entries(deploymentOverrides(undefined, pools))) {
    await anvil.rpc('anvil_setCode', [at, code])
  }
  await anvil.rpc('anvil_impersonateAccount', [endpoint])
  await anvil.rpc('anvil_setBalance', [endpoint, numberToHex(10n * ether)])
  let nonce = 0n

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

  /** Stargate's payment: the endpoint's part of a verified message, which is not ours to build. */
  async function pay(pool: Address, to: Address, amount: bigint, message: Hex) {
    nonce += 1n
    const guid = padHex(numberToHex(nonce), { size: 32 })
    const composed = encodePacked(['bytes32', 'bytes'], [padHex(owner, { size: 32 }), message])
    const taxi = encodePacked(
      ['uint8', 'uint16', 'bytes32', 'uint64', 'bytes'],
      [
        ...([1, assets.indexOf(pool) + 1, padHex(to, { size: 32 })] as const),
        ...([amount / unitsPerShared, composed] as const),
      ],
    )
    const origin = { srcEid: sourceEid, sender: peer, nonce }
    const data = encodeFunctionData({
      abi,
      functionName: 'lzReceive',
      args: [origin, guid, taxi, thief, '0x'],
    })
    const { ok } = await sent({ from: endpoint, to: messaging, data })
    if (!ok) throw new Error('the pool did not pay')
    const waiting = encodePacked(
      ['uint64', 'uint32', 'uint256', 'bytes'],
      [nonce, sourceEid, amount, composed],
    )
    return { pool, to, guid, message: waiting }
  }

  /** By a stranger, as anybody may. */
  async function compose(
    { pool, to, guid, message }: Awaited<ReturnType<typeof pay>>,
    { gas = 16_000_000n, value = 0n } = {},
  ): Promise<boolean> {
    const args = [pool, to, guid, 0, message, '0x'] as const
    const data = encodeFunctionData({ abi, functionName: 'lzCompose', args })
    const tx = { from: thief, to: endpoint, data, value: numberToHex(value), gas: numberToHex(gas) }
    return (await sent(tx)).ok
  }

  async function queued({ pool, to, guid }: Awaited<ReturnType<typeof pay>>): Promise<Hex> {
    const args = [pool, to, guid, 0] as const
    const data = encodeFunctionData({ abi, functionName: 'composeQueue', args })
    const word = await anvil.rpc<Hex>('eth_call', [{ to: endpoint, data }, 'latest'])
    return size(word) === 32 ? word : '0x'
  }

  return {
    ...{ anvil, owner, thief, weth, usdc, endpoint, tokenPool, nativePool, spokePool },
    landing: composeLanding({ endpoint, pool: tokenPool }).address,
    nativeLanding: composeLanding({ endpoint, pool: nativePool }).address,
    ...{ sent, balance, swapOrder, pay, compose, queued },
  }
}
