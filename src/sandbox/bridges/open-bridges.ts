/** Makes the bridges of a chain work with those of the other chains: paths, fees, liquidity, credit, a relayer's funds. */
import {
  type Abi,
  concatHex,
  encodeFunctionData,
  encodePacked,
  numberToHex,
  padHex,
  parseAbi,
} from 'viem'
import type { OmnichainToken } from '../../bridges/layerzero/family.js'
import { stargatePools } from '../../bridges/stargate/pools.js'
import type { ChainDefinition } from '../../chains/chain.js'
import {
  type Address,
  type Hex,
  isNative,
  maxUint256,
  nativeDecimals,
} from '../../domain/primitives.js'
import { acrossRelayer, layerZeroExecutor } from '../accounts.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { rawWorth } from '../market/amounts.js'
import { tokenAbi } from '../market/market-abi.js'
import type { Market } from '../market/market-pools.js'
import { bridgeAddresses, feeLibraries, messageLibrary } from './bridge-addresses.js'
import { sharedDecimals } from './place-bridges.js'

const endpointAbi = parseAbi([
  'function registerLibrary(address lib)',
  'function setDefaultSendLibrary(uint32 eid, address lib)',
  'function setDefaultReceiveLibrary(uint32 eid, address lib, uint256 gracePeriod)',
])
const messagingAbi = parseAbi([
  'function setPlanner(address planner)',
  'function setPeer(uint32 eid, bytes32 peer)',
  'function setAssetId(address pool, uint16 assetId)',
  'function setGasLimit(uint32 eid, uint128 gasLimit, uint128 nativeDropGasLimit)',
  'struct Enforced { uint32 eid; uint16 msgType; bytes options; }',
  'function setEnforcedOptions(Enforced[] options)',
])
const poolAbi = parseAbi([
  'struct Config { address feeLib; address planner; address treasurer; address tokenMessaging; address creditMessaging; address lzToken; }',
  'function setAddressConfig(Config config)',
  'function deposit(address receiver, uint256 amount) payable',
  'struct TargetCredit { uint32 srcEid; uint64 amount; uint64 minAmount; }',
  'struct Credit { uint32 srcEid; uint64 amount; }',
  'function sendCredits(uint32 dstEid, TargetCredit[] credits)',
  'function receiveCredits(uint32 srcEid, Credit[] credits)',
])
const feeAbi = parseAbi([
  'function setFeeConfig(uint32 eid, uint64 zone1, uint64 zone2, uint24 fee1, uint24 fee2, uint24 fee3, uint24 reward)',
])
const spokeAbi = parseAbi(['function initialize(uint32 initialDepositId, address recipient)'])

/** Stargate's ids of its assets on mainnet. */
const assetIds: Readonly<Record<string, number>> = { USDC: 1, USDT: 2, ETH: 13 }
/** What the pools hold, in whole tokens. */
const liquidity: Readonly<Record<number, Readonly<Record<string, bigint>>>> = {
  1: { USDC: 20_000_000n, USDT: 12_000_000n, ETH: 4_000n },
  42161: { USDC: 12_000_000n, USDT: 9_000_000n, ETH: 3_000n },
  8453: { USDC: 8_000_000n, ETH: 2_500n },
}
/** Percentage of a pool's liquidity that each other chain may send to it; the rest is for those who redeem. */
const creditPercent = 40n
/** Whole tokens: of this pair of chains nobody has moved credit for long. */
const smallCredit = { from: 8453, to: 42161, symbol: 'USDC', amount: 25_000n }

/** Up to so many whole tokens, the fee in millionths. */
const feeZones: Readonly<Record<string, readonly [bigint, bigint]>> = {
  USDC: [100_000n, 1_000_000n],
  USDT: [100_000n, 1_000_000n],
  ETH: [40n, 400n],
}
const feeMillionths = [60, 150, 400] as const
/** For lzReceive, which every message buys. */
const receiveGas = 200_000n
/** Message type of a taxi. */
const taxi = 1
/** What the relayer has of each token, dollars, and of ether, wei. */
const relayerFundsUsd = 6_000_000
const relayerEther = 10_000n * 10n ** 18n
const gas = 2_000_000n

/** Queues the transactions; the caller mines. */
export async function openBridges(
  chain: ChainWriter,
  deployer: Address,
  market: Market,
  others: readonly ChainDefinition[],
): Promise<void> {
  const addresses = bridgeAddresses(market.chain)
  const call = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
    chain.send({ from: deployer, to, gas, data: encodeFunctionData({ abi, functionName, args }) })

  call(addresses.endpoint, endpointAbi, 'registerLibrary', [messageLibrary])
  call(addresses.tokenMessaging, messagingAbi, 'setPlanner', [deployer])
  for (const other of others) {
    const { eid, tokenMessaging } = bridgeAddresses(other)
    call(addresses.endpoint, endpointAbi, 'setDefaultSendLibrary', [eid, messageLibrary])
    call(addresses.endpoint, endpointAbi, 'setDefaultReceiveLibrary', [eid, messageLibrary, 0n])
    call(addresses.tokenMessaging, messagingAbi, 'setPeer', [
      eid,
      padHex(tokenMessaging, { size: 32 }),
    ])
    call(addresses.tokenMessaging, messagingAbi, 'setGasLimit', [eid, receiveGas, 100_000n])
    const options = [{ eid, msgType: taxi, options: receiveOptions }]
    call(addresses.tokenMessaging, messagingAbi, 'setEnforcedOptions', [options])
  }
  for (const pool of stargatePools(market.chain))
    openPool({ chain, deployer, market, others }, pool)
  await openSpokePool(chain, deployer, market)
}

/** Options of type 3 with gas for lzReceive. */
const receiveOptions = concatHex([
  '0x0003',
  encodePacked(['uint8', 'uint16', 'uint8', 'uint128'], [1, 17, 1, receiveGas]),
])

interface Opening {
  readonly chain: ChainWriter
  readonly deployer: Address
  readonly market: Market
  readonly others: readonly ChainDefinition[]
}

function openPool(
  { chain, deployer, market, others }: Opening,
  { symbol, pool, token }: OmnichainToken,
): void {
  const { id } = market.chain
  const { tokenMessaging } = bridgeAddresses(market.chain)
  const feeLib = feeLibraries[id]?.[symbol]
  const held = liquidity[id]?.[symbol]
  const zones = feeZones[symbol]
  if (!feeLib || !held || !zones) throw new RangeError(`${symbol} has no settings.`)
  const calls =
    (to: Address, abi: Abi) =>
    (functionName: string, args: readonly unknown[], value = 0n) =>
      chain.send({
        from: deployer,
        to,
        gas,
        value,
        data: encodeFunctionData({ abi, functionName, args }),
      })
  const callPool = calls(pool, poolAbi)
  const roles = { planner: deployer, treasurer: deployer, creditMessaging: deployer }
  const config = { ...roles, feeLib, tokenMessaging, lzToken: deployer }
  callPool('setAddressConfig', [config])
  calls(tokenMessaging, messagingAbi)('setAssetId', [pool, assetIds[symbol]])
  const decimals = isNative(token) ? nativeDecimals : market.token(symbol).decimals
  const amount = held * 10n ** BigInt(decimals)
  if (!isNative(token)) calls(token, tokenAbi)('approve', [pool, amount])
  callPool('deposit', [deployer, amount], isNative(token) ? amount : 0n)

  const sourceEid = bridgeAddresses(market.chain).eid
  for (const other of others) {
    if (!stargatePools(other).some((entry) => entry.symbol === symbol)) continue
    const { eid } = bridgeAddresses(other)
    const [zone1, zone2] = zones.map(toShared)
    calls(feeLib, feeAbi)('setFeeConfig', [eid, zone1, zone2, ...feeMillionths, 0])
    // Credit is what the other side's pool promises to pay: it gives away what this one gets.
    const given = { srcEid: sourceEid, amount: creditOf(other.id, id, symbol), minAmount: 0n }
    callPool('sendCredits', [eid, [given]])
    const got = { srcEid: eid, amount: creditOf(id, other.id, symbol) }
    callPool('receiveCredits', [eid, [got]])
  }
}

/** What the pool on one chain may send to that on another, shared units. */
function creditOf(from: number, to: number, symbol: string): bigint {
  const isSmall =
    from === smallCredit.from && to === smallCredit.to && symbol === smallCredit.symbol
  if (isSmall) return toShared(smallCredit.amount)
  return (toShared(liquidity[to]?.[symbol] ?? 0n) * creditPercent) / 100n
}

function toShared(whole: bigint): bigint {
  return whole * 10n ** BigInt(sharedDecimals)
}

async function openSpokePool(chain: ChainWriter, deployer: Address, market: Market): Promise<void> {
  const { spokePool, acrossTokens } = bridgeAddresses(market.chain)
  const relayer = acrossRelayer.address
  await chain.all([
    // Its constructor forbids to initialise what shall stand behind a proxy.
    { method: 'anvil_setStorageAt', params: [spokePool, emptyWord, emptyWord] },
    ...[relayer, layerZeroExecutor.address].flatMap((address) => [
      { method: 'anvil_setBalance', params: [address, numberToHex(relayerEther)] },
      { method: 'anvil_impersonateAccount', params: [address] },
    ]),
  ])
  const send = (from: Address, to: Address, data: Hex) => chain.send({ from, to, data, gas })
  const initialize = encodeFunctionData({ abi: spokeAbi, args: [0, deployer] })
  send(deployer, spokePool, initialize)
  for (const [symbol, address] of acrossTokens) {
    const amount = rawWorth(market.token(symbol), relayerFundsUsd, market.startPrices)
    const [transfer, approve] = [
      ['transfer', [relayer, amount]],
      ['approve', [spokePool, maxUint256]],
    ].map(([functionName, args]) =>
      encodeFunctionData({ abi: tokenAbi as Abi, functionName, args } as never),
    )
    if (!transfer || !approve) continue
    send(deployer, address, transfer)
    send(relayer, address, approve)
  }
}

const emptyWord = padHex('0x', { size: 32 })
