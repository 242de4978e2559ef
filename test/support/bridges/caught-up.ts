import { setTimeout } from 'node:timers/promises'
import type { Hex } from '../../../src/domain/primitives.js'
import type { TestService } from '../service/service.js'

/** Between two questions: asked without a pause, a service is kept from what it is waited for. */
const pauseMs = 25

/** Returns when the services have seen the newest blocks of the chains. */
export async function caughtUp(
  services: readonly Pick<TestService, 'get'>[],
  chainIds: readonly number[],
  rpc: (chainId: number, method: string, params: readonly unknown[]) => Promise<Hex>,
): Promise<void> {
  for (const chainId of chainIds) {
    const head = Number(await rpc(chainId, 'eth_blockNumber', []))
    for (const service of services) {
      for (;;) {
        const { body } = await service.get('/api/v1/networks', {})
        const seen = body.find(({ id }: { id: number }) => id === chainId)?.blockNumber
        if (seen >= head) break
        await setTimeout(pauseMs)
      }
    }
  }
}
