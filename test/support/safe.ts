/** A Safe 1.4.1 with its real contracts at their real addresses, and transactions that its owner has signed. */
import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Address, toAddress } from '../../src/domain/primitives.js'
import type { ArtifactPackage } from '../../src/sandbox/contracts/artifact-package.js'
import { codeOf, loadArtifacts } from '../../src/sandbox/contracts/artifacts.js'
import type { NodeWriter } from './nodes/node-writer.js'

const artifacts = 'package/build/artifacts/contracts'
const safePackage: ArtifactPackage = {
  name: '@safe-global/safe-contracts',
  version: '1.4.1',
  integrity:
    'sha512-fP1jewywSwsIniM04NsqPyVRFKPMAuirC3ftA/TA4X3Zc5EnwQp/UCJUU2PL/37/z/jMo8UUaJ+pnFNWmMU7dQ==',
  files: {
    safe: { path: `${artifacts}/Safe.sol/Safe.json`, field: 'bytecode' },
    safeProxyFactory: {
      path: `${artifacts}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`,
      field: 'bytecode',
    },
    safeFallbackHandler: {
      path: `${artifacts}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`,
      field: 'bytecode',
    },
  },
}
/** Of Ethereum and most other chains: CREATE2 of this code with salt 0 by Safe's singleton factory. */
const addresses = {
  safe: '0x41675c099f32341bf84bfc5382af534df5c7461a',
  safeProxyFactory: '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67',
  safeFallbackHandler: '0xfd0732dc9e303f09fcef3a7388ad10a83459ec99',
} as const satisfies Record<string, Address>

const abi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
])

/** Deploys a Safe of one owner through the factory. */
export async function openSafe(node: NodeWriter, owner: Address): Promise<Address> {
  const codes = await loadArtifacts('.cache/sandbox', () => {}, [safePackage])
  for (const key of ['safe', 'safeProxyFactory', 'safeFallbackHandler'] as const) {
    await node.place(addresses[key], codeOf(codes, key))
  }
  const { safe, safeProxyFactory, safeFallbackHandler } = addresses
  const setup = encodeFunctionData({
    abi,
    functionName: 'setup',
    args: [[owner], 1n, zeroAddress, '0x', safeFallbackHandler, zeroAddress, 0n, zeroAddress],
  })
  const create =
    'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)'
  const answer = await node.read(safeProxyFactory, create, [safe, setup, 0n])
  await node.send(safeProxyFactory, create, [safe, setup, 0n])
  return toAddress(`0x${answer.slice(-40)}`)
}

const operations = { call: 0, delegatecall: 1 } as const

/** The transaction, to be sent by anybody, in which the Safe does what its owner has signed (EIP-712). */
export async function safeTransaction(args: {
  readonly safe: Address
  readonly ownerKey: Hex
  readonly chainId: number
  /** Transactions that the Safe has made. */
  readonly nonce: bigint
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly operation: keyof typeof operations
}): Promise<{ readonly to: Address; readonly data: Hex }> {
  const { safe, chainId, nonce, to, data, value } = args
  const operation = operations[args.operation]
  const message = {
    to,
    value,
    data,
    operation,
    nonce,
    // Nobody is paid for the gas, so all of it is the transaction's.
    safeTxGas: 0n,
    baseGas: 0n,
    gasPrice: 0n,
    gasToken: zeroAddress,
    refundReceiver: zeroAddress,
  }
  const signature = await privateKeyToAccount(args.ownerKey).signTypedData({
    domain: { chainId, verifyingContract: safe },
    types: {
      SafeTx: [
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'data', type: 'bytes' },
        { name: 'operation', type: 'uint8' },
        { name: 'safeTxGas', type: 'uint256' },
        { name: 'baseGas', type: 'uint256' },
        { name: 'gasPrice', type: 'uint256' },
        { name: 'gasToken', type: 'address' },
        { name: 'refundReceiver', type: 'address' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'SafeTx',
    message,
  })
  const inner = encodeFunctionData({
    abi,
    functionName: 'execTransaction',
    args: [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signature],
  })
  return { to: safe, data: inner }
}
