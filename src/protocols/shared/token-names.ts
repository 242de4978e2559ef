/** Names of positions: the names that contracts give themselves, in bulk. Any adapter may use it. */
import { decodeFunctionResult, encodeFunctionData, hexToString, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'

const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
])
const calls = (['name', 'symbol'] as const).map((functionName) => ({
  functionName,
  data: encodeFunctionData({ abi, functionName }),
}))
/** Characters kept of a name that an untrusted contract returns. */
const maxLength = 64

/** In the order asked; null where a contract has none. Old tokens return bytes32. */
export async function readTokenNames(
  reader: StateReader,
  tokens: readonly Address[],
): Promise<{ readonly name: string | null; readonly symbol: string | null }[]> {
  const results = await reader.call(tokens.flatMap((to) => calls.map(({ data }) => ({ to, data }))))
  return tokens.map((_token, index) => ({
    name: readText(results[index * 2]),
    symbol: readText(results[index * 2 + 1]),
  }))
}

function readText(result: ReadResult | undefined): string | null {
  if (!result?.ok || result.value === '0x') return null
  const { value: data } = result
  try {
    const text =
      data.length === 66
        ? hexToString(data, { size: 32 })
        : decodeFunctionResult({ abi, functionName: 'name', data })
    const visible = [...text].filter((char) => (char.codePointAt(0) ?? 0) >= 0x20).join('')
    return visible.slice(0, maxLength) || null
  } catch {
    return null
  }
}
