/**
 * The accounts that the sandbox chain knows: Anvil's development accounts, whose keys are public.
 * The first four are for users and hold every sandbox token; the others play the market.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { type Address, type Hex, toAddress } from '../domain/primitives.js'

export interface SandboxAccount {
  readonly name: string
  readonly address: Address
  /** Public knowledge; worth nothing on any other chain. */
  readonly privateKey: Hex
}

/** Keys of the mnemonic "test test test test test test test test test test test junk", m/44'/60'/0'/0/n. */
const keys: readonly (readonly [name: string, key: Hex])[] = [
  ['alice', '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'],
  ['bob', '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'],
  ['carol', '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'],
  ['dave', '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'],
  ['trader-1', '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'],
  ['trader-2', '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba'],
  ['trader-3', '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e'],
  ['trader-4', '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356'],
  ['trader-5', '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'],
  ['deployer', '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'],
]

export const sandboxAccounts: readonly SandboxAccount[] = keys.map(toAccount)

function toAccount([name, privateKey]: readonly [name: string, key: Hex]): SandboxAccount {
  return { name, privateKey, address: toAddress(privateKeyToAccount(privateKey).address) }
}

/** Accounts of the bridges' relayer. Anvil does not hold these keys, so the relayer signs by itself. */
const relayerKeys: readonly (readonly [name: string, key: Hex])[] = [
  ['across-relayer', '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897'],
  ['layerzero-executor', '0x701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82'],
  ['cctp-relayer', '0x3c1d6b0a4f5e9d2c7b8a1f0e6d5c4b3a2918f7e6d5c4b3a291807f6e5d4c3b2a'],
  ['cctp-attester', '0x5a8e1c7d2f3b4a6918e7d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a09f8e7d6c5b4a'],
]

export const [acrossRelayer, layerZeroExecutor, cctpRelayer, cctpAttester] = relayerKeys.map(
  toAccount,
) as [SandboxAccount, SandboxAccount, SandboxAccount, SandboxAccount]

/** @throws RangeError for a name that is not in the list. */
export function sandboxAccount(name: string): SandboxAccount {
  const account = sandboxAccounts.find((entry) => entry.name === name)
  if (!account) throw new RangeError(`There is no sandbox account ${name}.`)
  return account
}
