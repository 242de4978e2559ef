import { describe, expect, test } from 'vitest'
import { zeroAddress } from '../../domain/primitives.js'
import { headerHash } from '../../verify/header.js'
import { toPin } from './header.js'

const zeroWord = `0x${'0'.repeat(64)}`

/** The first block of Ethereum mainnet, as every node prints it. */
const genesis = {
  number: '0x0',
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: zeroWord,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: `0x${'0'.repeat(40)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  logsBloom: `0x${'0'.repeat(512)}`,
  difficulty: '0x400000000',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: zeroWord,
  nonce: '0x0000000000000042',
  size: '0x21c',
}

describe('headerHash', () => {
  test('known vector: the genesis block of Ethereum mainnet', () => {
    expect(headerHash(genesis)).toBe(genesis.hash)
  })

  test('every header field counts, other fields do not', () => {
    for (const [name, value] of Object.entries(genesis)) {
      if (name === 'hash' || name === 'size') continue
      const changed = { ...genesis, [name]: `${value.slice(0, -1)}${value.endsWith('1') ? 2 : 1}` }
      expect(headerHash(changed), name).not.toBe(genesis.hash)
    }
    expect(headerHash({ ...genesis, size: '0x1' })).toBe(genesis.hash)
  })

  test('a field of a later fork changes the hash when it is there, and null is not there', () => {
    expect(headerHash({ ...genesis, baseFeePerGas: '0x7' })).not.toBe(genesis.hash)
    expect(headerHash({ ...genesis, baseFeePerGas: null })).toBe(genesis.hash)
  })

  test('throws for a field that is not hexadecimal', () => {
    expect(() => headerHash({ ...genesis, number: 0 })).toThrow('number is not hexadecimal')
  })
})

describe('toPin', () => {
  test('takes the fields of the pin, base fee 0 before London', () => {
    expect(toPin(1, genesis)).toEqual({
      chainId: 1,
      number: 0n,
      hash: genesis.hash,
      parentHash: zeroWord,
      timestamp: 0n,
      baseFeePerGas: 0n,
      gasUsed: 0n,
      gasLimit: 5000n,
      miner: zeroAddress,
      extraData: genesis.extraData,
      difficulty: 0x400000000n,
      shownHardFork: 'berlin',
    })
  })

  test('is null for anything that lacks a field', () => {
    for (const block of [null, 'x', {}, { ...genesis, hash: '0x12' }, { ...genesis, number: 1 }]) {
      expect(toPin(1, block)).toBeNull()
    }
  })
})
