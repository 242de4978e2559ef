// Runs Stryker with stryker.config.mjs: npm run test:mutation -- --mutate src/protocols/curve/stable-math.ts
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { toolFolder } from './tools.js'

const entry = join(await toolFolder('stryker'), '@stryker-mutator/core/bin/stryker.js')
const options = { stdio: 'inherit' } as const
const { status } = spawnSync(process.execPath, [entry, 'run', ...process.argv.slice(2)], options)
process.exitCode = status ?? 1
