/**
 * Puts stand-ins for Circle's contracts where mainnet has them, and our landing. By state alone and last of all: no
 * transaction of theirs moves a nonce or a price of what comes before and after them.
 */
import {
  encodeAbiParameters,
  encodePacked,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
} from 'viem'
import type { CctpChain } from '../../bridges/cctp/chain.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { cctpLanding } from '../../executor/deployments.js'
import { cctpAttester, cctpRelayer } from '../accounts.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { placeStateless } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import { bridgeAddresses } from './bridge-addresses.js'

/** Raw units of the dollar: that one burn may be, as on mainnet, and that the minter has to pay out. */
const burnLimit = 10_000_000_000_000n
const reserve = 100_000_000_000_000n
const relayerEther = 10_000n * 10n ** 18n
/** Bytes of a message's body, as on mainnet. */
const maxBody = 8_192n

/** Mines nothing. */
export async function placeCctp(
  chain: ChainWriter,
  definition: ChainDefinition,
  others: readonly ChainDefinition[],
  owner: Address,
): Promise<void> {
  const { cctp } = bridgeAddresses(definition)
  const { domain, messenger, transmitter, minter } = cctp
  await placeStateless(chain, owner, [
    {
      address: transmitter,
      creationCode: sandboxBytecode.CctpMessageTransmitter,
      types: parseAbiParameters('uint32, address, address'),
      args: [domain, owner, cctpAttester.address],
    },
    {
      address: minter,
      creationCode: sandboxBytecode.CctpTokenMinter,
      types: parseAbiParameters('address'),
      args: [owner],
    },
    {
      address: messenger,
      creationCode: sandboxBytecode.CctpTokenMessenger,
      types: parseAbiParameters('address, address, address, address'),
      args: [owner, transmitter, minter, owner],
    },
  ])
  const { address, runtimeCode } = cctpLanding(cctp)
  const there = others.map((other) => bridgeAddresses(other).cctp)
  const words = [
    ...storageOfTransmitter(owner).map(([slot, word]) => [transmitter, slot, word]),
    [minter, wordOf(0n), padHex(messenger, { size: 32 })],
    ...storageOfMinter(cctp, there).map(([slot, word]) => [minter, slot, word]),
    ...there.map((other) => [
      messenger,
      entryOf(numberToHex(other.domain, { size: 32 }), 1n),
      padHex(other.messenger, { size: 32 }),
    ]),
  ]
  await chain.all([
    ...words.map((params) => ({ method: 'anvil_setStorageAt', params })),
    { method: 'anvil_setCode', params: [address, runtimeCode] },
    { method: 'anvil_setNonce', params: [address, '0x1'] },
    { method: 'anvil_setBalance', params: [cctpRelayer.address, numberToHex(relayerEther)] },
    ...cctp.tokens.map(({ token }) => ({
      method: 'anvil_dealERC20',
      params: [minter, token, numberToHex(reserve)],
    })),
  ])
}

type Word = readonly [slot: Hex, word: Hex]

/** What its constructor has written. @see fixtures/sandbox-contracts/Cctp.sol */
function storageOfTransmitter(owner: Address): Word[] {
  const attester = padHex(cctpAttester.address, { size: 32 })
  return [
    [wordOf(0n), padHex(owner, { size: 32 })],
    [wordOf(2n), padHex(owner, { size: 32 })],
    [wordOf(4n), wordOf(1n)],
    [wordOf(5n), wordOf(1n)],
    [keccak256(wordOf(5n)), attester],
    [entryOf(attester, 6n), wordOf(1n)],
    [wordOf(28n), wordOf(maxBody)],
    [entryOf(wordOf(0n), 29n), wordOf(1n)],
  ]
}

function storageOfMinter({ tokens }: CctpChain, others: readonly CctpChain[]): Word[] {
  return tokens.flatMap(({ symbol, token }): Word[] => {
    const local = padHex(token, { size: 32 })
    const links = others.flatMap(({ domain, tokens: there }): Word[] => {
      const remote = there.find((one) => one.symbol === symbol)
      if (!remote) return []
      const key = keccak256(
        encodePacked(['uint32', 'bytes32'], [domain, padHex(remote.token, { size: 32 })]),
      )
      return [[entryOf(key, 2n), local]]
    })
    return [[entryOf(local, 1n), wordOf(burnLimit)], ...links]
  })
}

function wordOf(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}

function entryOf(key: Hex, mapping: bigint): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [key, mapping]))
}
