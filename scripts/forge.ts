// Runs forge of this platform with contracts/foundry.toml of the working folder: npx tsx scripts/forge.ts test --match-test name
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { toolFolder } from './tools.js'

const name = `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
const program = `bin/forge${process.platform === 'win32' ? '.exe' : ''}`
const binary = join(await toolFolder('forge'), name, program)
const env = { ...process.env, FOUNDRY_CONFIG: 'contracts/foundry.toml' }
const { status } = spawnSync(binary, process.argv.slice(2), { env, stdio: 'inherit' })
process.exitCode = status ?? 1
