/** A small chain of our own that forks fork from, and a separate Anvil on which transactions are really mined. */
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import {
  type Address,
  type BlockPin,
  type Hex,
  toAddress,
  zeroAddress,
} from '../../src/domain/primitives.js'
import type { SimulationRequest } from '../../src/domain/state.js'
import { startAnvil, type TestAnvil } from './anvil.js'
import { baseFeeAfter } from './base-fee.js'
import { type CompiledContract, compileTestContracts } from './forks-contracts.js'
import { readPin } from './pin.js'

export const blockTimeSeconds = 12

export interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly unknown[]
}

export interface TestChain {
  readonly node: TestAnvil
  /** Funded and unlocked. */
  readonly deployer: Address
  deploy(name: string, args?: readonly unknown[]): Promise<Address>
  send(
    to: Address,
    contract: string,
    functionName: string,
    args?: readonly unknown[],
  ): Promise<void>
  encode(contract: string, functionName: string, args?: readonly unknown[]): Hex
  abi(contract: string): Abi
  mine(): Promise<void>
  pin(): Promise<BlockPin>
  stop(): Promise<void>
}

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`

export async function startTestChain(): Promise<TestChain> {
  const contracts = compileTestContracts()
  const node = await startAnvil(['--accounts', '2', '--chain-id', '31337', '--no-mining'])
  const accounts = await node.rpc<Hex[]>('eth_accounts')
  const deployer = toAddress(accounts[0] ?? '0x')

  function contract(name: string): CompiledContract {
    const found = contracts[name]
    if (!found) throw new Error(`no contract ${name}`)
    return found
  }

  async function transact(transaction: object): Promise<Receipt> {
    const hash = await node.rpc<Hex>('eth_sendTransaction', [{ from: deployer, ...transaction }])
    await node.rpc('evm_mine')
    const receipt = await node.rpc<Receipt>('eth_getTransactionReceipt', [hash])
    if (receipt.status !== '0x1') throw new Error('a transaction of the set-up failed')
    return receipt
  }

  const encode: TestChain['encode'] = (name, functionName, args = []) =>
    encodeFunctionData({ abi: contract(name).abi, functionName, args })

  return {
    node,
    deployer,
    encode,
    abi: (name) => contract(name).abi,
    async deploy(name, args = []) {
      const { contractAddress } = await transact({
        data: encodeDeployData({ ...contract(name), args }),
      })
      return toAddress(contractAddress ?? '0x')
    },
    async send(to, name, functionName, args) {
      await transact({ to, data: encode(name, functionName, args) })
    },
    async mine() {
      await node.rpc('evm_mine')
    },
    pin: () => readPin(node.url),
    stop: node.stop,
  }
}

/** Mines the transaction in the block after the pinned one, on an Anvil of its own, in the same block environment. */
export async function mineForReal(
  testChain: TestChain,
  pin: BlockPin,
  request: SimulationRequest,
): Promise<Receipt> {
  const judge = await startAnvil([
    ...['--fork-url', testChain.node.url, '--fork-block-number', pin.number.toString()],
    ...['--no-mining', '--accounts', '0', '--no-storage-caching'],
  ])
  try {
    await judge.rpc('anvil_autoImpersonateAccount', [true])
    for (const [address, { balance, stateDiff, code }] of Object.entries(request.overrides)) {
      if (balance !== undefined) await judge.rpc('anvil_setBalance', [address, hex(balance)])
      if (code) await judge.rpc('anvil_setCode', [address, code])
      for (const [slot, word] of Object.entries(stateDiff ?? {})) {
        await judge.rpc('anvil_setStorageAt', [address, slot, word])
      }
    }
    const balance = BigInt(await judge.rpc<Hex>('eth_getBalance', [request.from, 'latest']))
    await judge.rpc('anvil_setBalance', [request.from, hex(balance + 10n ** 18n)])
    await judge.rpc('anvil_setCoinbase', [zeroAddress])
    await judge.rpc('anvil_setNextBlockBaseFeePerGas', [hex(baseFeeAfter(pin))])
    await judge.rpc('evm_setNextBlockTimestamp', [hex(pin.timestamp + BigInt(blockTimeSeconds))])
    const { from, to, data, value } = request
    const hash = await judge.rpc<Hex>('eth_sendTransaction', [
      { from, to, data, value: hex(value), gas: hex(16_777_216) },
    ])
    await judge.rpc('evm_mine')
    return await judge.rpc<Receipt>('eth_getTransactionReceipt', [hash])
  } finally {
    await judge.stop()
  }
}
