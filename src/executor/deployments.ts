/**
 * The contracts of contracts/src: their addresses, the same on every chain, and the state overrides that place them
 * where they are not deployed. Also derives the addresses of a sender's Executor and an owner's wallet. Pure.
 */
import { LRUCache } from 'lru-cache'
import { concatHex, getContractAddress, keccak256, padHex, stringToHex } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import { toAddress } from '../domain/primitives.js'
import type { AccountOverride, StateOverrides } from '../domain/state.js'
import { contracts } from './generated/contracts.js'

export type ExecutorContractName = keyof typeof contracts

/** Address, ABI, init code and runtime code by name. */
export const executorContracts = contracts

const contractNames = Object.keys(contracts) as ExecutorContractName[]

/** Address of one of our contracts, the same on every chain. */
export function contractAddress(name: ExecutorContractName): Address {
  return contracts[name].address
}

/** Kept because each address costs three hashes and is needed for every candidate. */
const executors = new LRUCache<Address, Address>({ max: 1_000 })

/** The clone that runs the steps of `sender`, deployed or not. */
export function executorAddress(sender: Address): Address {
  const known = executors.get(sender)
  if (known) return known
  const salt = padHex(sender, { size: 32 })
  const code = cloneInitCode(contracts.Executor.address)
  const address = create2(contracts.Router.address, salt, code)
  executors.set(sender, address)
  return address
}

/** The wallet of `owner`, deployed or not. */
export function walletAddress(owner: Address): Address {
  const code = cloneInitCode(contracts.Wallet.address, owner)
  return create2(contracts.WalletFactory.address, padHex('0x', { size: 32 }), code)
}

/**
 * Addresses that come with these contracts: theirs, of what they deploy, and of the Executors and wallets of `senders`.
 */
export function addressesWith(
  names: readonly ExecutorContractName[],
  senders: readonly Address[],
): Address[] {
  const wanted = withChildren(names)
  return [
    ...wanted.map(contractAddress),
    ...(wanted.includes('Executor') ? senders.map(executorAddress) : []),
    ...(wanted.includes('Wallet') ? senders.map(walletAddress) : []),
  ]
}

/** The sender of a quote that names none: no code, and nobody has its key. */
export const quoteSender: Address = `0x${keccak256(stringToHex('forkroute.quote-sender')).slice(-40)}`

/**
 * Overrides that place our contracts: code and nonce 1.
 * A contract that a constructor deploys comes with its parent (the Executor with the Router).
 * @param names - default: all.
 */
export function deploymentOverrides(
  names: readonly ExecutorContractName[] = contractNames,
): StateOverrides {
  const overrides: Record<Address, AccountOverride> = {}
  for (const name of withChildren(names)) {
    const { address, runtimeCode } = contracts[name]
    overrides[address] = { code: runtimeCode, nonce: 1 }
  }
  return overrides
}

/** With the contracts that their constructors deploy. */
function withChildren(names: readonly ExecutorContractName[]): ExecutorContractName[] {
  return contractNames.filter((name) => {
    const { deployer } = contracts[name]
    return names.includes(name) || (deployer !== null && names.includes(deployer))
  })
}

function create2(from: Address, salt: Hex, bytecode: Hex): Address {
  return toAddress(getContractAddress({ opcode: 'CREATE2', from, salt, bytecode }))
}

/** Init code of an ERC-1167 clone, with immutable arguments behind its code (OpenZeppelin Clones). */
function cloneInitCode(implementation: Address, args?: Hex): Hex {
  const code = concatHex([
    '0x363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ])
  if (!args) return concatHex(['0x3d602d80600a3d3981f3', code])
  const length = padHex(`0x${(45 + (args.length - 2) / 2).toString(16)}`, { size: 2 })
  return concatHex(['0x61', length, '0x3d81600a3d39f3', code, args])
}
