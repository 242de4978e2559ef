/**
 * Symbol, name and decimals of any address, from the chain itself at the pinned block.
 */
import {
  decodeFunctionResult,
  encodeFunctionData,
  hexToString,
  parseAbi,
  type Hex as ViemHex,
} from 'viem'
import type { Address, BlockPin, Hex, Token } from '../domain/primitives.js'
import type { ReadResult, StateReader } from '../domain/state.js'

const abi = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint256)',
])
const reads = (['symbol', 'name', 'decimals'] as const).map((functionName) => ({
  functionName,
  data: encodeFunctionData({ abi, functionName }),
}))

/**
 * @returns One entry per address, in order; null where decimals cannot be read (not a token, or unreadable state).
 * Symbol and name may be bytes32 (MKR) or absent (null).
 */
export async function readTokenFacts(
  reader: Pick<StateReader, 'call'> & { readonly block: Pick<BlockPin, 'chainId'> },
  addresses: readonly Address[],
): Promise<(Token | null)[]> {
  const results = await reader.call(
    addresses.flatMap((to) => reads.map(({ data }) => ({ to, data }))),
  )
  return addresses.map((address, index) => {
    const [symbol, name, decimals] = results.slice(index * reads.length, (index + 1) * reads.length)
    const value = toDecimals(decimals)
    if (value === null) return null
    return {
      chainId: reader.block.chainId,
      address,
      symbol: readText(symbol, 'symbol'),
      name: readText(name, 'name'),
      decimals: value,
      logoUri: null,
    }
  })
}

/** Null where the token does not tell them, or they cannot be read. */
export async function readDecimals(
  reader: Pick<StateReader, 'call'>,
  token: Address,
): Promise<number | null> {
  const [decimals] = await reader.call([
    { to: token, data: encodeFunctionData({ abi, functionName: 'decimals' }) },
  ])
  return toDecimals(decimals)
}

function toDecimals(result: ReadResult | undefined): number | null {
  if (!result?.ok || result.value.length < 66) return null
  const value = BigInt(result.value.slice(0, 66))
  return value <= 255n ? Number(value) : null
}

function readText(result: ReadResult | undefined, functionName: 'symbol' | 'name'): string | null {
  if (!result?.ok || result.value === '0x') return null
  const data: ViemHex = result.value
  if (data.length === 66) return clean(fromBytes32(data))
  try {
    return clean(decodeFunctionResult({ abi, functionName, data }))
  } catch {
    return null
  }
}

function fromBytes32(data: Hex): string {
  return hexToString(data, { size: 32 })
}

/** Text from an untrusted contract: control characters removed, length bounded. */
function clean(text: string): string | null {
  const visible = [...text].filter((char) => (char.codePointAt(0) ?? 0) >= 0x20).join('')
  return visible.slice(0, 64) || null
}
