/** The vault's fee for a flash loan. The fees collector stores it, and the vault names the collector. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'

const abi = parseAbi([
  'function getProtocolFeesCollector() view returns (address)',
  'function getFlashLoanFeePercentage() view returns (uint256)',
])

/**
 * @returns fraction of the amount, 10^18 is all of it; the vault rounds the fee up.
 * @throws ForkrouteError STATE_UNAVAILABLE when the vault or its collector does not answer.
 */
export async function readFlashLoanFeeE18(reader: StateReader, vault: Address): Promise<bigint> {
  const collector = await read('getProtocolFeesCollector', vault)
  return decodeFunctionResult({
    abi,
    functionName: 'getFlashLoanFeePercentage',
    data: await read(
      'getFlashLoanFeePercentage',
      toAddress(
        decodeFunctionResult({ abi, functionName: 'getProtocolFeesCollector', data: collector }),
      ),
    ),
  })

  async function read(
    functionName: 'getProtocolFeesCollector' | 'getFlashLoanFeePercentage',
    to: Address,
  ): Promise<Hex> {
    const [result] = await reader.call([{ to, data: encodeFunctionData({ abi, functionName }) }])
    if (result?.ok && result.value !== '0x') return result.value
    const message = `${functionName} of ${to} cannot be read: there is no flash loan.`
    throw new ForkrouteError('STATE_UNAVAILABLE', message, { address: to })
  }
}
