/** Two chains between which Stargate and Across run, with other decimals of USDC on each. */
import { encodeFunctionData, encodePacked, padHex, parseAbi } from 'viem'
import { base } from '../../../src/chains/base.js'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { type BridgeChain, startBridgeChain } from './chain.js'

const abi = parseAbi([
  'function registerLibrary(address library)',
  'function setDefaultSendLibrary(uint32 eid, address library)',
  'function setDefaultReceiveLibrary(uint32 eid, address library, uint256 gracePeriod)',
  'function setMessagingFee(uint256 nativeFee, uint256 lzTokenFee)',
  'function setPeer(uint32 eid, bytes32 peer)',
  'struct EnforcedOption { uint32 eid; uint16 msgType; bytes options; }',
  'function setEnforcedOptions(EnforcedOption[] options)',
  'struct Credit { uint32 srcEid; uint64 amount; }',
  'function receiveCredits(uint32 srcEid, Credit[] credits)',
  'function setFeeConfig(uint32 eid, uint64 zone1, uint64 zone2, uint24 fee1, uint24 fee2, uint24 fee3, uint24 reward)',
])

/** Wei of every message. */
export const messagingFee = 300_000_000_000_001n
/** In shared decimals: what each pool may send to the other chain. */
export const credit = 20_000_000_000n
/** 1/1_000_000 of what a pool sends, and one shared unit. */
export const poolFee = 600

/** A chain with what it needs to know of the other. */
export interface Connected extends BridgeChain {
  readonly library: Address
  readonly definition: ChainDefinition
}

export async function startTwoChains(): Promise<readonly [Connected, Connected]> {
  const [one, other] = await Promise.all([
    startBridgeChain({ chainId: 1, eid: 30_101, usdcDecimals: 6 }),
    startBridgeChain({ chainId: 8_453, eid: 30_184, usdcDecimals: 18 }),
  ])
  const libraries = await Promise.all([connect(one, other), connect(other, one)])
  return [
    { ...one, library: libraries[0], definition: definitionOf(ethereum, one) },
    { ...other, library: libraries[1], definition: definitionOf(base, other) },
  ]
}

async function connect(here: BridgeChain, there: BridgeChain): Promise<Address> {
  const { endpoint, messaging, owner, set, eid } = here
  const library = await here.bridge('messageLibrary', 'address, address', [endpoint, owner])
  const gas = encodePacked(
    ['uint16', 'uint8', 'uint16', 'uint8', 'uint128'],
    [3, 1, 17, 1, 200_000n],
  )
  const peer = padHex(there.messaging, { size: 32 })
  const enforced = [{ eid: there.eid, msgType: 1, options: gas }]
  await set(endpoint, encodeFunctionData({ abi, functionName: 'registerLibrary', args: [library] }))
  await set(
    endpoint,
    encodeFunctionData({ abi, functionName: 'setDefaultSendLibrary', args: [there.eid, library] }),
  )
  await set(
    endpoint,
    encodeFunctionData({
      abi,
      functionName: 'setDefaultReceiveLibrary',
      args: [there.eid, library, 0n],
    }),
  )
  await set(
    library,
    encodeFunctionData({ abi, functionName: 'setMessagingFee', args: [messagingFee, 0n] }),
  )
  await set(
    messaging,
    encodeFunctionData({ abi, functionName: 'setPeer', args: [there.eid, peer] }),
  )
  await set(
    messaging,
    encodeFunctionData({ abi, functionName: 'setEnforcedOptions', args: [enforced] }),
  )
  const none = 2n ** 64n - 1n
  for (const pool of [here.tokenPool, here.nativePool]) {
    const credits = [{ srcEid: there.eid, amount: credit }]
    await set(
      pool,
      encodeFunctionData({ abi, functionName: 'receiveCredits', args: [eid, credits] }),
    )
    const fees = [there.eid, none, none, poolFee, poolFee, poolFee, 0] as const
    const feeLibrary = here.feeLibraries.get(pool) ?? pool
    await set(feeLibrary, encodeFunctionData({ abi, functionName: 'setFeeConfig', args: fees }))
  }
  return library
}

function definitionOf(definition: ChainDefinition, chain: BridgeChain): ChainDefinition {
  const { weth, usdc, usdcDecimals, spokePool, endpoint, messaging, tokenPool, nativePool } = chain
  return {
    ...definition,
    wrappedNative: weth,
    bridges: {
      across: { spokePool, tokens: [`WETH:${weth}`, `USDC:${usdc}:${usdcDecimals}`] },
      stargate: {
        eid: chain.eid,
        endpoint,
        tokenMessaging: messaging,
        pools: [`USDC:${tokenPool}:${usdc}:${usdcDecimals}`, `ETH:${nativePool}:${nativeToken}`],
      },
    },
  }
}
