/**
 * The JSON-RPC methods that a fork calls on the node it forks from, answered for one pinned block. Those of our own
 * (`protocol.ts`) are answered by `own-methods.ts`.
 * Error texts begin with `state unreadable: ` when the state does not exist or no node has it, and with
 * `upstream unavailable: ` when no node answers. Anvil passes them on, and the simulator tells them apart.
 */
import { numberToHex } from 'viem'
import type { z } from 'zod'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { JsonRpcError } from '../node/json-rpc.js'
import {
  accountKeys,
  balanceKey,
  codeKey,
  type ItemKey,
  nonceKey,
  storageKey,
} from '../node/state-item.js'
import {
  addressForm,
  addressParam,
  blockParam,
  callParam,
  hashParam,
  slotForm,
  slotParam,
} from './archive-params.js'
import type { ChainSource } from './chain-source.js'
import { answerOwn, isOwnMethod } from './own-methods.js'
import { check, readValue, unreadable } from './state-answers.js'

const unavailableCode = -32002
const unknownMethod = -32601
/** Answer to eth_maxPriorityFeePerGas, wei. Simulations set their own prices. */
const tip = 1_000_000_000n

export interface ArchiveCall {
  readonly method: string
  readonly params: readonly unknown[]
  /** The caller is a fork, not one of our threads. */
  readonly isForks: boolean
  /** Number by which a fork names the pin; absent: that of the pin. */
  readonly forkedAt?: bigint | undefined
}

/**
 * Answers one call at the pin.
 *
 * @returns the result, or a promise of it.
 * @throws JsonRpcError with the text for the caller; anything else is a bug. A promise rejects with the same.
 */
export function answerCall(
  source: ChainSource,
  pinned: VerifiedBlock,
  { method, params, isForks, forkedAt }: ArchiveCall,
): unknown | Promise<unknown> {
  const { pin } = pinned
  const present = numberToHex(pin.number)
  const forked = forkedAt === undefined ? present : numberToHex(forkedAt)
  switch (method) {
    case 'eth_getStorageAt': {
      const key = wordKey(params)
      if (isForks) source.forkReads.asked(key)
      return params[2] === forked ? readValue(source, key, pin, isForks) : readAt(key, params[2])
    }
    case 'eth_getBalance':
      return readAt(balanceKey(check(addressParam, params[0])), params[1])
    case 'eth_getTransactionCount':
      return readAt(nonceKey(check(addressParam, params[0])), params[1])
    case 'eth_getCode':
      return readAt(codeKey(check(addressParam, params[0])), params[1])
    case 'eth_getAccountInfo':
      return accountInfo(params)
    // Forks run calls themselves and never ask for this. Threads do, for what only a node can answer.
    case 'eth_call':
      return callNode(source, pin, params)
    case 'eth_getBlockByNumber':
      return blockByNumber(source, pinned, check(blockParam, params[0]), params[1] === true)
    case 'eth_getBlockByHash':
      return blockByHash(source, pinned, check(hashParam, params[0]), params[1] === true)
    case 'eth_blockNumber':
      return numberToHex(pin.number)
    case 'eth_chainId':
      return numberToHex(BigInt(pin.chainId))
    case 'net_version':
      return String(pin.chainId)
    case 'web3_clientVersion':
      return 'forkroute-archive'
    case 'eth_syncing':
      return false
    case 'eth_gasPrice':
      return numberToHex(pin.baseFeePerGas + tip)
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(tip)
    case 'eth_feeHistory':
      return feeHistory(pin)
    // The archive holds state, not history. A fork asks these only for transactions that are not its own.
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt':
      return null
    default:
      if (isOwnMethod(method)) return answerOwn({ source, pinned }, method, params)
      throw new JsonRpcError(unknownMethod, `the method ${method} does not exist here`)
  }

  async function readAt(key: ItemKey, block: unknown): Promise<Hex> {
    return readValue(source, key, block === forked ? pin : await refOf(source, pin, block))
  }

  async function accountInfo([param, block]: readonly unknown[]) {
    const address = check(addressParam, param)
    if (isForks) source.forkReads.askedAccount(address)
    const keys = accountKeys(address)
    const [balance, nonce, code] = await Promise.all(keys.map((key) => readAt(key, block)))
    return { balance, nonce, code }
  }
}

async function callNode(source: ChainSource, pin: BlockPin, params: readonly unknown[]) {
  const { to, data } = check(callParam, params[0])
  const answer = await source.call(to, data, await refOf(source, pin, params[1]))
  if (answer.ok) return answer.value
  throw unreadable(`call of ${to}`, answer.message)
}

/** A fast path: forks read thousands of words per block, nearly all in this form, and schema checks are slow. */
function wordKey([address, slot]: readonly unknown[]): ItemKey {
  const isPlain = typeof address === 'string' && typeof slot === 'string'
  return isPlain && addressForm.test(address) && slotForm.test(slot)
    ? storageKey(address as Address, slot)
    : storageKey(check(addressParam, address), check(slotParam, slot))
}

/** Any error as the JSON-RPC error that goes to the caller. */
export function toJsonRpcError(error: unknown): JsonRpcError {
  if (error instanceof JsonRpcError) return error
  if (error instanceof ForkrouteError) {
    return new JsonRpcError(unavailableCode, `upstream unavailable: ${error.message}`)
  }
  return new JsonRpcError(-32603, 'upstream unavailable: the archive failed')
}

function refOf(source: ChainSource, pin: BlockPin, param: unknown): BlockRef | Promise<BlockRef> {
  const wanted = check(blockParam, param)
  if (wanted === undefined || typeof wanted === 'string' || wanted === pin.number) return pin
  if (typeof wanted === 'object' && wanted.hash === pin.hash) return pin
  return olderBlock(source, pin, wanted).then((block) => block.pin)
}

async function olderBlock(
  source: ChainSource,
  pin: BlockPin,
  wanted: bigint | { hash: Hex },
  full = false,
): Promise<VerifiedBlock> {
  const isNumber = typeof wanted === 'bigint'
  if (isNumber && wanted > pin.number) {
    throw unreadable(`block ${wanted}`, `it comes after the pinned block ${pin.number}`)
  }
  // The parent is read by hash: its number could belong to another branch of the chain.
  const parent = isNumber && wanted === pin.number - 1n ? pin.parentHash : null
  const answer = await source.block(parent ?? (isNumber ? wanted : wanted.hash), { full })
  if (!answer.ok) throw unreadable(`block ${isNumber ? wanted : wanted.hash}`, answer.message)
  if (answer.value.pin.number > pin.number) {
    throw unreadable(`block ${answer.value.pin.number}`, 'it comes after the pinned block')
  }
  return answer.value
}

async function blockByNumber(
  source: ChainSource,
  pinned: VerifiedBlock,
  wanted: z.infer<typeof blockParam>,
  full: boolean,
): Promise<unknown> {
  if (typeof wanted === 'bigint' && wanted > pinned.pin.number) return null
  const isPinned =
    wanted === undefined || typeof wanted === 'string' || wanted === pinned.pin.number
  const target = isPinned ? { hash: pinned.pin.hash } : wanted
  if (isPinned && !full) return pinned.json
  return (await olderBlock(source, pinned.pin, target, full)).json
}

async function blockByHash(
  source: ChainSource,
  pinned: VerifiedBlock,
  hash: Hex,
  full: boolean,
): Promise<unknown> {
  if (hash === pinned.pin.hash && !full) return pinned.json
  return (await olderBlock(source, pinned.pin, { hash }, full)).json
}

/** For the pinned block alone: its base fee and that of its child (EIP-1559), no percentiles. */
function feeHistory(pin: BlockPin): unknown {
  const target = pin.gasLimit / 2n
  const distance = pin.gasUsed > target ? pin.gasUsed - target : target - pin.gasUsed
  const step = target === 0n ? 0n : (pin.baseFeePerGas * distance) / target / 8n
  const next = pin.gasUsed > target ? pin.baseFeePerGas + (step || 1n) : pin.baseFeePerGas - step
  return {
    oldestBlock: numberToHex(pin.number),
    baseFeePerGas: [numberToHex(pin.baseFeePerGas), numberToHex(next)],
    gasUsedRatio: [pin.gasLimit === 0n ? 0 : Number(pin.gasUsed) / Number(pin.gasLimit)],
  }
}
