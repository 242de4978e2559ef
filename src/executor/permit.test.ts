import fc from 'fast-check'
import { type Hex, hexToBigInt, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type Address, toAddress } from '../domain/primitives.js'
import { buildTransaction } from './compile.js'
import { decodeOrder } from './decode-order.js'
import { contractAddress } from './deployments.js'
import { type Signature, tokenPermitTypedData } from './eip2612.js'
import {
  type Eip2612Permit,
  joinSignature,
  type Permit2Permit,
  permitStep,
  permitTypedData,
  placeOfSignature,
  standInSignature,
} from './permit.js'
import { transferPermitTypedData } from './permit2.js'

const token: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const runner: Address = '0x23d5a1ff940b3587cebeba09bd347992c6fed3a8'
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const key: Hex = `0x${'ab'.repeat(32)}`
const account = privateKeyToAccount(key)

function permitOf(owner: Address, amount = 5n): Permit2Permit {
  return {
    kind: 'permit2',
    chainId: 1,
    token,
    amount,
    owner,
    spender: runner,
    nonce: 7n,
    deadline: 2n ** 40n,
  }
}

/** A transaction of the permit's steps. */
function transactionOf(permit: Permit2Permit, signature?: Signature): Hex {
  const { owner: from } = permit
  const order = {
    inputs: [],
    steps: [permitStep(permit)],
    outputs: [{ token, minAmountOut: 0n }],
    feeReceiver: from,
    receiver: from,
    refundReceiver: from,
    sweep: [],
    deadline: 2n ** 32n,
    accountId: `0x${'0'.repeat(64)}` as Hex,
    referralCode: `0x${'0'.repeat(32)}` as Hex,
  }
  return buildTransaction({ strategy: 'router', from, order, signature }).data
}

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)

describe('standInSignature', () => {
  test('property: no zero byte, and s in the half that contracts accept; an owner of its own each', () => {
    fc.assert(
      fc.property(address, address, (owner, other) => {
        const { r, s, v } = standInSignature(owner)
        const signature = joinSignature({ r, s, v })
        expect(signature).toMatch(/^0x([0-9a-f]{2}){65}$/)
        expect(signature.slice(2).match(/../g)).not.toContain('00')
        expect(hexToBigInt(s)).toBeLessThan(halfOrder)
        if (owner !== other) expect(standInSignature(other).r).not.toBe(r)
      }),
    )
  })
})

describe('placeOfSignature', () => {
  test('property: the parts stand where it says, for any owner and amount', () => {
    const amounts = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
    const owners = address.filter((owner) => BigInt(owner) > 0n)
    fc.assert(
      fc.property(owners, amounts, (owner, amount) => {
        const permit = permitOf(owner, amount)
        const bytes = Buffer.from(transactionOf(permit).slice(2), 'hex')
        const { r, s, v } = standInSignature(owner)
        const place = placeOfSignature(`0x${bytes.toString('hex')}`, permit)
        const word = (at: number) => `0x${bytes.subarray(at, at + 32).toString('hex')}`
        expect([word(place.r), word(place.s), bytes[place.v]]).toEqual([r, s, v])
      }),
      { numRuns: 50 },
    )
  })

  test("property: of a token's permit they stand in fixed places, behind the selector and the offset of the order", () => {
    const owners = address.filter((owner) => BigInt(owner) > 0n)
    fc.assert(
      fc.property(owners, fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (owner, amount) => {
        const { r, s, v } = standInSignature(owner)
        const data = transactionOf({ ...permitOf(owner), amount }, { r, s, v })
        const bytes = Buffer.from(data.slice(2), 'hex')
        const place = placeOfSignature(data, { kind: 'eip2612', owner })
        const word = (at: number) => `0x${bytes.subarray(at, at + 32).toString('hex')}`
        expect([word(place.r), word(place.s), bytes[place.v]]).toEqual([r, s, v])
        const order = decodeOrder({ from: owner, to: contractAddress('Router'), data })
        expect(order).toMatchObject({ entry: 'Router.executeWithPermit', receiver: owner })
      }),
      { numRuns: 50 },
    )
  })

  test('call data without the stand-in has no place for a signature', () => {
    expect(() => placeOfSignature('0x1234', permitOf(account.address))).toThrow(
      'must hold the signature once',
    )
  })
})

test('permitTypedData: what a wallet signs from the JSON is a signature of the message itself', async () => {
  const permit = permitOf(account.address)
  const json = JSON.parse(JSON.stringify(permitTypedData(permit)))
  expect(json.domain).toMatchObject({ name: 'Permit2', chainId: 1 })
  expect(json.types.EIP712Domain).toContainEqual({ name: 'chainId', type: 'uint256' })
  const signature = await account.signTypedData(json)
  const message = transferPermitTypedData({ ...permit, spender: runner })
  const signer = await recoverTypedDataAddress({
    ...(message as Parameters<typeof recoverTypedDataAddress>[0]),
    signature,
  })
  expect(signer).toBe(account.address)
})

test("permitTypedData: of a token's permit it has that token's domain, and numbers as strings", async () => {
  const owner = toAddress(account.address)
  const { amount, nonce, deadline, spender } = permitOf(owner, 2n ** 200n)
  const domain = { name: 'Token', chainId: 1, verifyingContract: token }
  const permit: Eip2612Permit = {
    kind: 'eip2612',
    token,
    owner,
    amount,
    nonce,
    deadline,
    spender,
    domain,
  }
  const json = JSON.parse(JSON.stringify(permitTypedData(permit)))
  expect(json).toMatchObject({ domain, primaryType: 'Permit' })
  expect(json.types.EIP712Domain.map(({ name }: { name: string }) => name)).toEqual(
    Object.keys(domain),
  )
  expect(json.message).toEqual({
    owner,
    spender,
    value: (2n ** 200n).toString(),
    nonce: '7',
    deadline: (2n ** 40n).toString(),
  })
  const signature = await account.signTypedData(json)
  const signer = await recoverTypedDataAddress({
    ...tokenPermitTypedData(permit),
    signature,
  } as never)
  expect(signer).toBe(account.address)
})
