/** A destination chain on which messages arrive from a source that is not there. */
import { encodeFunctionData, encodePacked, numberToHex, padHex, parseAbi, size } from 'viem'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import { startBridgeChain } from './chain.js'

const abi = parseAbi([
  'function setPeer(uint32 eid, bytes32 peer)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function lzReceive(Origin origin, bytes32 guid, bytes message, address executor, bytes extraData) payable',
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
  'function composeQueue(address from, address to, bytes32 guid, uint16 index) view returns (bytes32)',
])

const sourceEid = 30_110
const peer = padHex('0x5e4de4', { size: 32 })
/** Stargate's shared decimals are 6, those of the tokens here 18. */
const unitsPerShared = 10n ** 12n

export type Destination = Awaited<ReturnType<typeof startDestination>>

export async function startDestination() {
  const chain = await startBridgeChain({ chainId: 31_337, eid: 30_101, usdcDecimals: 18 })
  const { anvil, owner, thief, endpoint, messaging, tokenPool, nativePool, sent, set } = chain
  const assets = [tokenPool, nativePool] as const
  const args = [sourceEid, peer] as const
  await set(messaging, encodeFunctionData({ abi, functionName: 'setPeer', args }))
  let nonce = 0n

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

  return { ...chain, pay, compose, queued }
}
