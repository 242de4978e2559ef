/** 1inch's limit order protocol from its npm package, and orders as its order book gives them. */
import { readFileSync } from 'node:fs'
import { concatHex, type Hex, keccak256, numberToHex, size } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import type { BookOrder } from '../../../src/domain/signed-order.js'
import { toTypedOneInchOrder } from '../../../src/protocols/signed-orders/one-inch/order.js'
import { compilePackage } from '../protocols/package-sources.js'

const own = 'fixtures/test-contracts/OneInch.sol'

export const compileOneInch = () =>
  compilePackage({
    compiler: {
      name: 'solc',
      version: '0.8.30',
      integrity:
        'sha512-9Srk/gndtBmoUbg4CE6ypAzPQlElv8ntbnl6SigUBAzgXKn35v87sj04uZeoZWjtDkdzT0qKFcIo/wl63UMxdw==',
    },
    folders: [
      {
        name: '@1inch/limit-order-protocol-contract',
        version: '4.3.3',
        integrity:
          'sha512-6XMwL0+s763I8WWLnRT/pqtnp8vZYUhKFMnM5BJ9TpahC1tydnEE6arihQZd8LG9gJbXMFtJtmAr4Ay3Iks5CQ==',
        folder: 'package/contracts/',
        prefix: 'contracts/',
      },
      {
        name: '@1inch/solidity-utils',
        version: '6.6.0',
        integrity:
          'sha512-BZTN/oE6ttqPXH/nI1iYO2lPZZSinQibUvXDZGYRzXooncN+n6VELPCCIzoUqV+CoYb6ULYHk+DDlCKFQ/1peA==',
        folder: 'package/',
        prefix: '@1inch/solidity-utils/',
      },
      {
        name: '@openzeppelin/contracts',
        version: '5.1.0',
        integrity:
          'sha512-p1ULhl7BXzjjbha5aqst+QMLY+4/LCWADXOCsmLHRM77AqiPjnd9vvUN9sosUfhL9JGKpZ0TjEGxgvnizmWGSA==',
        folder: 'package/',
        prefix: '@openzeppelin/contracts/',
      },
    ],
    own: { path: own, content: readFileSync(own, 'utf8') },
    contracts: { RouterOrders: own, RateTeller: own, Switch: own, CodeMaker: own },
    edits: [],
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      viaIR: true,
    },
  })

/** Places of flags and fields in the traits. */
const places = {
  noPartialFills: 255n,
  multipleFills: 254n,
  callBefore: 252n,
  callBehind: 251n,
  epoch: 250n,
  extension: 249n,
  permit2: 248n,
}

/** Fields of an extension, in their order. */
const extensionFields = [
  'makerAssetSuffix',
  'takerAssetSuffix',
  'makingAmountData',
  'takingAmountData',
  'predicate',
  'makerPermit',
  'callBefore',
  'callBehind',
] as const

export type ExtensionParts = Partial<Record<(typeof extensionFields)[number], Hex>>

export interface BookTerms {
  readonly maker: Address
  readonly makerAsset: Address
  readonly takerAsset: Address
  readonly makingAmount: bigint
  readonly takingAmount: bigint
  readonly flags?: readonly (keyof typeof places)[]
  readonly nonce?: bigint
  readonly expiry?: bigint
  readonly series?: bigint
  readonly allowedSender?: bigint
  readonly extension?: ExtensionParts
}

/** The order as its maker would sign it; the extension is bound by the salt. */
export function bookData(terms: BookTerms): BookOrder['data'] {
  const { maker, makerAsset, takerAsset, makingAmount, takingAmount } = terms
  const extension = terms.extension ? packExtension(terms.extension) : '0x'
  const flags = [...(terms.flags ?? []), ...(terms.extension ? (['extension'] as const) : [])]
  const traits =
    flags.reduce((sum, flag) => sum | (1n << places[flag]), 0n) |
    (terms.allowedSender ?? 0n) |
    ((terms.expiry ?? 0n) << 80n) |
    ((terms.nonce ?? 0n) << 120n) |
    ((terms.series ?? 0n) << 160n)
  const bound = terms.extension ? BigInt(keccak256(extension)) & ((1n << 160n) - 1n) : 0n
  return {
    salt: String((7n << 160n) | bound),
    maker,
    receiver: zeroAddress,
    makerAsset,
    takerAsset,
    makingAmount: String(makingAmount),
    takingAmount: String(takingAmount),
    makerTraits: String(traits),
    extension,
  }
}

function packExtension(parts: ExtensionParts): Hex {
  let end = 0n
  let offsets = 0n
  const fields = extensionFields.map((field, index) => {
    const part = parts[field] ?? '0x'
    end += BigInt(size(part))
    offsets |= end << BigInt(32 * index)
    return part
  })
  return concatHex([numberToHex(offsets, { size: 32 }), ...fields])
}

export async function signedByKey(
  account: PrivateKeyAccount,
  data: BookOrder['data'],
): Promise<{ readonly signature: Hex; readonly data: BookOrder['data'] }> {
  const signature = await account.signTypedData(toTypedOneInchOrder({ chainId: 1, data }))
  return { signature, data }
}
