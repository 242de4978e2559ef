/** A sandbox chain of its own for each test file that asks for one. */
import { afterAll, beforeAll } from 'vitest'
import { createRpcClient, type RpcClient } from '../../src/rpc/node/json-rpc.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.js'

export interface SandboxScene {
  readonly sandbox: Sandbox
  readonly client: RpcClient
}

/** Call in a file or a describe block; the function it gives works inside of tests. */
export function withSandbox(): () => SandboxScene {
  let scene: SandboxScene | undefined
  beforeAll(async () => {
    const sandbox = await startSandbox()
    scene = { sandbox, client: createRpcClient(sandbox.url) }
  })
  afterAll(async () => {
    await scene?.client.close()
    await scene?.sandbox.stop()
  })
  return () => {
    if (!scene)
      throw new Error('The sandbox is started before the tests, not while they are collected.')
    return scene
  }
}
