import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  numberToHex,
  padHex,
  zeroHash,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { arbitrum } from '../../chains/arbitrum.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import { optimism } from '../../chains/optimism.js'
import { type Address, type Hex, nativeToken } from '../../domain/primitives.js'
import type { SimulationLog } from '../../domain/state.js'
import { standardBridgeAbi } from './abi.js'
import { encodeRelay } from './deposits.js'
import { proveTransaction, slotOfWithdrawal } from './prove.js'
import { messagePasser, messenger, settlementOf, tokenBridgeOf } from './settlement.js'
import { withdrawalHash, withdrawalOf, withdrawalsIn } from './withdrawals.js'

const receiver: Address = `0x${'22'.repeat(20)}`
const sender: Address = `0x${'33'.repeat(20)}`
const { messenger: onEthereum, portal } = settlementOf(base) ?? {
  messenger: sender,
  portal: sender,
}
const topic = keccak256(
  new TextEncoder().encode('MessagePassed(uint256,address,address,uint256,uint256,bytes,bytes32)'),
)

/** As the message passer leaves it, with the hash that it would have. */
function logOf(from: Address, target: Address, data: Hex, value = 7n): SimulationLog {
  const types = ['uint256', 'address', 'address', 'uint256', 'uint256', 'bytes'] as const
  const hash = keccak256(
    encodeAbiParameters(
      types.map((type) => ({ type })),
      [5n, from, target, value, 9n, data],
    ),
  )
  const rest = ['uint256', 'uint256', 'bytes', 'bytes32'].map((type) => ({ type }))
  return {
    address: messagePasser,
    topics: [
      topic,
      numberToHex(5, { size: 32 }),
      padHex(from, { size: 32 }),
      padHex(target, { size: 32 }),
    ],
    data: encodeAbiParameters(rest, [value, 9n, data, hash]),
  }
}

const relayOf = (target: Address, message: Hex, value = 7n) =>
  encodeRelay({ nonce: 1n, sender, target, value, minGasLimit: 1n, message })

describe('withdrawalsIn', () => {
  test('a payment of the messenger is the receiver’s', () => {
    const log = logOf(messenger, onEthereum, relayOf(receiver, '0x'))
    const [found, ...others] = withdrawalsIn([log], base)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      bridge: 'canonical',
      sourceChainId: base.id,
      destinationChainId: ethereum.id,
      token: nativeToken,
      amount: 7n,
      receiver,
      message: '0x',
    })
    if (found) expect(withdrawalHash(withdrawalOf(found))).toBe(found.id)
  })

  test('what the standard bridge pays out is a token of the chain that is settled on', () => {
    const [pair] = tokenBridgeOf(base)?.tokens ?? []
    const bridge = tokenBridgeOf(base)?.bridge ?? receiver
    const token = pair?.locked ?? receiver
    const call = encodeFunctionData({
      abi: standardBridgeAbi,
      functionName: 'finalizeBridgeERC20',
      args: [token, pair?.minted ?? receiver, sender, receiver, 11n, '0x'],
    })
    const log = logOf(messenger, onEthereum, relayOf(bridge, call, 0n), 0n)
    expect(withdrawalsIn([log], base)).toMatchObject([
      { token, amount: 11n, receiver, message: '0x' },
    ])
  })

  test('past the messenger it is the target’s, whatever its call looks like', () => {
    const data = relayOf(receiver, '0x')
    for (const log of [logOf(sender, onEthereum, data), logOf(messenger, receiver, data)]) {
      const [found] = withdrawalsIn([log], base)
      expect(found?.details.isMessage).toBe(0)
      expect(found?.message).toBe(data)
    }
  })

  test('is another’s on another chain, and nobody’s where nothing settles', () => {
    const log = logOf(messenger, onEthereum, relayOf(receiver, '0x'))
    expect(withdrawalsIn([log], optimism)).toMatchObject([{ details: { isMessage: 0 } }])
    expect(withdrawalsIn([log], arbitrum)).toEqual([])
    expect(withdrawalsIn([{ ...log, address: receiver }], base)).toEqual([])
    expect(withdrawalsIn([log], base, [])).toMatchObject([{ destinationChainId: null }])
  })
})

describe('proveTransaction', () => {
  const [delivery] = withdrawalsIn([logOf(messenger, onEthereum, '0x')], base)
  if (!delivery) throw new Error('no withdrawal')
  const word = (byte: string) => `0x${byte.repeat(32)}` as const
  const block = {
    hash: word('aa'),
    stateRoot: word('bb'),
    storageHash: word('cc'),
    proof: ['0xdd' as const],
  }
  const outputRoot = keccak256(
    concatHex([zeroHash, block.stateRoot, block.storageHash, block.hash]),
  )
  const withdrawal = { phase: 'provable', disputeGameIndex: '3', outputRoot } as const

  test('is one of the portal, where the game says of the block what the node does', () => {
    expect(proveTransaction(delivery, withdrawal, block)).toMatchObject({ to: portal, value: 0n })
  })

  test('is none where any part of the output is another', () => {
    for (const name of ['hash', 'stateRoot', 'storageHash'] as const) {
      const other = { ...block, [name]: word('ee') }
      expect(proveTransaction(delivery, withdrawal, other)).toBeNull()
    }
  })

  test('asks for the slot in which the message passer keeps the hash', () => {
    const slot = keccak256(concatHex([delivery.id as Hex, zeroHash]))
    expect(slotOfWithdrawal(delivery)).toEqual({ address: messagePasser, slot })
  })
})
