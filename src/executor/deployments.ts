/**
 * The contracts of contracts/src: their addresses, the same on every chain, and the state overrides that place them
 * where they are not deployed. Also derives the addresses of a sender's Executor, an owner's wallet and a bridge's landing.
 * Pure.
 */
import { LRUCache } from 'lru-cache'
import { concatHex, getContractAddress, keccak256, padHex, stringToHex } from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import { toAddress } from '../domain/primitives.js'
import type { AccountOverride, StateOverrides } from '../domain/state.js'
import { contracts, standalone, templates } from './generated/contracts.js'

export type ExecutorContractName = keyof typeof contracts

/** Address, ABI, init code and runtime code by name. */
export const executorContracts = contracts

/** The same of contracts that a chain has only where somebody has put them there. */
export const standaloneContracts = standalone
export type StandaloneContractName = keyof typeof standalone

/** Arachnid's, which almost every chain has; deploys by CREATE2 what follows the salt. */
export const deploymentProxy: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
export const zeroSalt = padHex('0x', { size: 32 })

const contractNames = Object.keys(contracts) as ExecutorContractName[]

/** Address of one of our contracts, the same on every chain. */
export function contractAddress(name: ExecutorContractName): Address {
  return contracts[name].address
}

/** Kept because each address costs three hashes and is needed for every candidate. */
const executors = new LRUCache<Address, Address>({ max: 1_000 })

/** The clone that runs the steps of `sender`, deployed or not. */
export function executorAddress(sender: Address): Address {
  const cached = executors.get(sender)
  if (cached) return cached
  const salt = padHex(sender, { size: 32 })
  const code = cloneInitCode(contracts.Executor.address)
  const address = create2(contracts.Router.address, salt, code)
  executors.set(sender, address)
  return address
}

/** The wallet of `owner`, deployed or not. */
export function walletAddress(owner: Address): Address {
  const code = cloneInitCode(contracts.Wallet.address, owner)
  return create2(contracts.WalletFactory.address, zeroSalt, code)
}

/** The clone that runs a delivered message, whose order has run if it is there: a failed one is undone with its clone. */
export function deliveryExecutor(message: Hex): Address {
  const code = cloneInitCode(contracts.DestinationExecutor.address)
  return create2(contracts.DestinationReceiver.address, keccak256(message), code)
}

/** A pool that pays in one transaction and has its endpoint compose in another, as Stargate's do. */
export interface ComposingPool {
  readonly endpoint: Address
  readonly pool: Address
}

/** Where a bridge pays what an order is to run with, deployed or not. */
export interface Landing {
  readonly name: keyof typeof templates
  /** Safe to be paid before it is deployed, since nothing else can come to be there. */
  readonly address: Address
  readonly initCode: Hex
  readonly runtimeCode: Hex
  /** Whose landing it is, where a chain has several of the name. */
  readonly pool?: Address
}

export interface ComposeLanding extends Landing, ComposingPool {
  readonly pool: Address
}

/** Where the pool pays what a message is composed for, deployed or not. */
export function composeLanding({ endpoint, pool }: ComposingPool): ComposeLanding {
  const { runtimeCode, places } = templates.ComposeLanding
  const withEndpoint = fillIn(runtimeCode, places.endpoint, endpoint)
  const code = fillIn(withEndpoint, places.pool, pool)
  return { ...landing('ComposeLanding', [endpoint, pool], code), endpoint, pool }
}

/** Circle's contracts on a chain, which mint what was burnt on another. */
export interface MintingMessenger {
  readonly transmitter: Address
  readonly messenger: Address
}

/** Where CCTP mints for an order, deployed or not. */
export function cctpLanding({ transmitter, messenger }: MintingMessenger): Landing {
  const { runtimeCode, places } = templates.CctpLanding
  const withTransmitter = fillIn(runtimeCode, places.transmitter, transmitter)
  const code = fillIn(withTransmitter, places.messenger, messenger)
  return landing('CctpLanding', [transmitter, messenger], code)
}

function landing(name: Landing['name'], own: readonly Address[], runtimeCode: Hex): Landing {
  const { initCode, fixedArguments } = templates[name]
  const fixed = fixedArguments.map((one) => contractAddress(one))
  const words = [...own, ...fixed].map((argument) => padHex(argument, { size: 32 }))
  const whole = concatHex([initCode, ...words])
  return { name, address: create2(deploymentProxy, zeroSalt, whole), initCode: whole, runtimeCode }
}

/** Writes the address as a word of 32 bytes over the code at these bytes. */
function fillIn(code: Hex, places: readonly number[], address: Address): Hex {
  const word = padHex(address, { size: 32 }).slice(2)
  return places.reduce<Hex>((filled, place) => {
    const start = 2 + 2 * place
    return `0x${filled.slice(2, start)}${word}${filled.slice(start + word.length)}`
  }, code)
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
 * @param landings - which are placed, too.
 */
export function deploymentOverrides(
  names: readonly ExecutorContractName[] = contractNames,
  landings: readonly Landing[] = [],
): StateOverrides {
  const overrides: Record<Address, AccountOverride> = {}
  for (const name of withChildren(names)) {
    const { address, runtimeCode } = contracts[name]
    overrides[address] = { code: runtimeCode, nonce: 1 }
  }
  for (const { address, runtimeCode } of landings) {
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
