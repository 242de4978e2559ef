/**
 * Puts contracts at fixed addresses as if they had been created there: the account gets nonce 1 and the
 * creation code with its arguments as code, a transaction to it runs the constructor so that its storage
 * stays, and the runtime code that the constructor returns takes the place of the creation code.
 * Nonce 1 makes the children of factories land where they lie on mainnet.
 */
import { type AbiParameter, concatHex, encodeAbiParameters } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ChainWriter } from './chain-writer.js'

export interface Placement {
  readonly address: Address
  readonly creationCode: Hex
  readonly types?: readonly AbiParameter[]
  readonly args?: readonly unknown[]
}

const constructorGas = 30_000_000n

/** Mines one block. No constructor may call another contract of the same list, except those before it. */
export async function placeContracts(
  chain: ChainWriter,
  deployer: Address,
  placements: readonly Placement[],
): Promise<void> {
  const runtimes = await placeCreationCode(chain, deployer, placements)
  for (const { address } of placements) {
    chain.send({ from: deployer, to: address, data: '0x', gas: constructorGas })
  }
  await chain.mine()
  await placeCode(chain, placements, runtimes)
}

/** For contracts that hold nothing in their storage: their constructors leave code alone, and nothing is mined. */
export async function placeStateless(
  chain: ChainWriter,
  deployer: Address,
  placements: readonly Placement[],
): Promise<void> {
  await placeCode(chain, placements, await placeCreationCode(chain, deployer, placements))
}

/** @returns what the constructors return. */
async function placeCreationCode(
  chain: ChainWriter,
  deployer: Address,
  placements: readonly Placement[],
): Promise<readonly unknown[]> {
  await chain.all(
    placements.flatMap(({ address, creationCode, types = [], args = [] }) => [
      { method: 'anvil_setNonce', params: [address, '0x1'] },
      {
        method: 'anvil_setCode',
        params: [address, concatHex([creationCode, encodeAbiParameters(types, args)])],
      },
    ]),
  )
  return chain.all(
    placements.map(({ address }) => ({
      method: 'eth_call',
      params: [{ from: deployer, to: address, gas: '0x1c9c380' }, 'latest'],
    })),
  )
}

async function placeCode(
  chain: ChainWriter,
  placements: readonly Placement[],
  runtimes: readonly unknown[],
): Promise<void> {
  await chain.all(
    placements.map(({ address }, index) => ({
      method: 'anvil_setCode',
      params: [address, runtimes[index]],
    })),
  )
}
