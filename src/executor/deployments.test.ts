import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Address } from '../domain/primitives.js'
import {
  addressesWith,
  composeLanding,
  contractAddress,
  deploymentOverrides,
  type ExecutorContractName,
  executorAddress,
  standaloneContracts,
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

describe('composeLanding', () => {
  const endpoint: Address = '0x1a44076050125825900e736c501f859c50fe728c'
  const pool: Address = '0xc026395860db2d07ee33e05fe50ed7bd583189c7'

  test('has both addresses in its code, and is another contract when one of them differs', () => {
    const landing = composeLanding({ endpoint, pool })
    for (const one of [endpoint, pool, contractAddress('DestinationReceiver')]) {
      expect(landing.runtimeCode).toContain(one.slice(2))
      expect(landing.initCode.slice(-3 * 64)).toContain(one.slice(2))
    }
    expect(landing.runtimeCode).not.toContain('c0dec0de')
    const others = [
      composeLanding({ endpoint, pool: endpoint }),
      composeLanding({ endpoint: pool, pool }),
      composeLanding({ endpoint: pool, pool: endpoint }),
    ]
    const addresses = [landing, ...others].map(({ address }) => address)
    expect(new Set(addresses).size).toBe(4)
  })

  test('is placed where it would be deployed', () => {
    const { address, runtimeCode } = composeLanding({ endpoint, pool })
    const overrides = deploymentOverrides([], [composeLanding({ endpoint, pool })])
    expect(overrides).toEqual({ [address]: { code: runtimeCode, nonce: 1 } })
  })
})

test.each(['docs/how-to/orders.md', 'examples/orders/maker-order.mjs'])(
  '%s names OrderSettlement by its address',
  (file) => {
    const { address } = standaloneContracts.OrderSettlement
    expect(readFileSync(file, 'utf8').match(/\b0x[0-9a-f]{40}\b/g)).toContain(address)
  },
)
