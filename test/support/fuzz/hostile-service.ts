/** A service on a sandbox chain that has the hostile contracts, for each test file that asks for one. */
import { afterAll, beforeAll } from 'vitest'
import { withSandbox } from '../sandbox.js'
import { startService, type TestService } from '../service/service.js'
import { placeHostileContracts } from './hostile-code.js'

/** Call in a file; the function it gives works inside of tests. */
export function withHostileService(): () => TestService {
  const context = withSandbox()
  let service: TestService | undefined
  beforeAll(async () => {
    const { client, sandbox } = context()
    await placeHostileContracts(client)
    service = await startService({ RPC_URL_1: sandbox.url, RATE_LIMIT_PER_MINUTE: '1000000' })
  })
  afterAll(() => service?.stop())
  return () => {
    if (!service) throw new Error('The service is started before the tests.')
    return service
  }
}
