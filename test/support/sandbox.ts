/** A sandbox chain of its own for each test file that asks for one. */
import { afterAll, beforeAll } from 'vitest'
import { createRpcClient, type RpcClient } from '../../src/rpc/node/json-rpc.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js'

export interface SandboxContext {
  readonly sandbox: Sandbox
  readonly client: RpcClient
}

/** Call in a file or a describe block; the function it gives works inside of tests. */
export function withSandbox(): () => SandboxContext {
  let context: SandboxContext | undefined
  beforeAll(async () => {
    const sandbox = await startSandbox()
    context = { sandbox, client: createRpcClient(sandbox.url) }
  })
  afterAll(async () => {
    await context?.client.close()
    await context?.sandbox.stop()
  })
  return () => {
    if (!context)
      throw new Error('The sandbox is started before the tests, not while they are collected.')
    return context
  }
}
