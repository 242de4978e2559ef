/** The contracts of fixtures/test-contracts, compiled here by npm's solc with OpenZeppelin's sources beside them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'
import type { Abi } from 'viem'
import type { Hex } from '../../src/domain/primitives.js'

const require = createRequire(import.meta.url)
const folder = new URL('../../fixtures/test-contracts/', import.meta.url)

export interface TestContract {
  readonly abi: Abi
  /** Creation code, without constructor arguments. */
  readonly bytecode: Hex
  readonly runtime: Hex
}

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<string, { abi: Abi; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >
}

/**
 * @param file - of the folder, such as `Vaults.sol`.
 * @returns the contract of a name, or throws.
 */
export function compileTestContracts(file: `${string}.sol`): (name: string) => TestContract {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(new URL(file, folder), 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: {
        [file]: { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  }
  const load = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: load })) as Output
  const failed = output.errors?.find(({ severity }) => severity === 'error')
  if (failed) throw new Error(failed.formattedMessage)
  return (name) => {
    const contract = output.contracts[file]?.[name]
    if (!contract) throw new Error(`${file} has no contract ${name}`)
    return {
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
      runtime: `0x${contract.evm.deployedBytecode.object}`,
    }
  }
}
