import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Hex } from '../../domain/primitives.js'

/**
 * Creation code of Multicall3. viem has it for deployless calls, in a file that its entry points do
 * not export; the version of viem is pinned.
 */
export function multicall3CreationCode(): Hex {
  const require = createRequire(import.meta.url)
  const file = join(dirname(require.resolve('viem')), 'constants', 'contracts.js')
  return (require(file) as { multicall3Bytecode: Hex }).multicall3Bytecode
}
