import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import {
  addressesWith,
  contractAddress,
  type ExecutorContractName,
  executorAddress,
  walletAddress,
} from './deployments.js'

const alice: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

describe('addressesWith', () => {
  test.each<[ExecutorContractName, readonly Address[]]>([
    ['Router', [contractAddress('Router'), contractAddress('Executor'), executorAddress(alice)]],
    ['Executor', [contractAddress('Executor'), executorAddress(alice)]],
    [
      'WalletFactory',
      [contractAddress('WalletFactory'), contractAddress('Wallet'), walletAddress(alice)],
    ],
    ['Values', [contractAddress('Values')]],
  ])('%s brings what it deploys and clones, and no other contract', (name, expected) => {
    expect(addressesWith([name], [alice])).toEqual(expected)
  })
})
