/** Contracts that would keep a fork busy for ever: what they do, as code and address. */
import type { Address, Hex } from '../../../src/domain/primitives.js'
import type { RpcClient } from '../../../src/rpc/node/json-rpc.js'

const word = 'f'.repeat(64)
const push32 = (hex: string) => `7f${hex.padStart(64, '0')}`
const store = (offset: number, hex: string) =>
  `${push32(hex)}61${offset.toString(16).padStart(4, '0')}52`
/** Runs the set-up once, then the body for ever. */
const forever = (setUp: string, body: string): Hex => {
  const start = (setUp.length / 2).toString(16).padStart(4, '0')
  return `0x${setUp}5b${body}61${start}56`
}
const modexp = [
  store(0, '7'),
  store(32, '400'),
  store(64, '7'),
  ...[96, 128].map((at) => store(at, word)),
]
const lengthOfModexp = '61046e'

const code: Readonly<Record<string, Hex>> = {
  'an endless loop': forever('', ''),
  'hashing memory': forever('5f620186a052', '620186a05f2050'.repeat(8)),
  'modular exponents': forever(modexp.join(''), `5f5f${lengthOfModexp}5f60055afa50`.repeat(4)),
  'recovering signers': forever('', '5f5f60805f60015afa50'.repeat(8)),
  'transient storage': forever('', '5a805d'.repeat(16)),
  'calls of itself': '0x5f5f5f5f5f305af1',
  'ever more memory': '0x5f5b6110000180515056',
  'a revert with two megabytes': '0x621e84805ffd',
  'a return of two megabytes': '0x621e84805ff3',
}

export const hostileContracts = Object.entries(code).map(([name, bytes], index) => ({
  name,
  code: bytes,
  address: `0x00000000000000000000000000000000bad000${(16 + index).toString(16)}` as Address,
}))

export async function placeHostileContracts(client: RpcClient): Promise<void> {
  for (const contract of hostileContracts) {
    await client.request('anvil_setCode', [contract.address, contract.code])
  }
  await client.request('evm_mine')
}
