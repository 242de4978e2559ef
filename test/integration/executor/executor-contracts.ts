/** Small Solidity contracts for the executor's tests, compiled by the product's own compiler and deployed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, encodeDeployData, type Hex } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'
import type { TestAnvil } from '../../support/anvil.js'

interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>
  >
}

const root = new URL('../../../', import.meta.url)

/** The contracts of contracts/test/mocks that tests here deploy, by name. */
export function compileMocks(): Readonly<Record<string, Artifact>> {
  const solc = createRequire(import.meta.url)('solc') as {
    compile(input: string, callbacks: { import(path: string): { contents: string } }): string
  }
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const files = ['OrderReader', 'Tokens', 'Venues'].map(
    (name) => `contracts/test/mocks/${name}.sol`,
  )
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: read(file) }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const load = (path: string) => ({
    contents: read(path.startsWith('@') ? `node_modules/${path}` : path),
  })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: load })) as SolcOutput
  for (const { severity, formattedMessage } of output.errors ?? []) {
    if (severity === 'error') throw new Error(formattedMessage)
  }
  return Object.fromEntries(
    Object.values(output.contracts).flatMap((contracts) =>
      Object.entries(contracts).map(([name, { abi, evm }]) => [
        name,
        { abi, bytecode: `0x${evm.bytecode.object}` as const },
      ]),
    ),
  )
}

/** Deploys from an unlocked account. */
export async function deploy(
  anvil: TestAnvil,
  from: Address,
  artifact: Artifact | undefined,
  args: readonly unknown[] = [],
): Promise<Address> {
  if (!artifact) throw new Error('no such contract')
  const data = encodeDeployData({ ...artifact, args: [...args] })
  const receipt = await send(anvil, { from, data })
  if (!receipt.contractAddress) throw new Error('not deployed')
  return receipt.contractAddress
}

export interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Address | null
  readonly logs: readonly { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
}

/** Sends from an unlocked account; Anvil mines at once. */
export async function send(
  anvil: TestAnvil,
  tx: { from: Address; to?: Address; data?: Hex; value?: Hex },
): Promise<Receipt> {
  return await anvil.rpc<Receipt>('eth_sendTransactionSync', [{ ...tx, gas: '0x7a1200' }])
}
