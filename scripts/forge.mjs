// Runs forge of this platform with contracts/foundry.toml: node scripts/forge.mjs test --match-test name
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const name = `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
const binary = require.resolve(`${name}/bin/forge${process.platform === 'win32' ? '.exe' : ''}`)
const cwd = fileURLToPath(new URL('..', import.meta.url))
const env = { ...process.env, FOUNDRY_CONFIG: 'contracts/foundry.toml' }
const { status } = spawnSync(binary, process.argv.slice(2), { cwd, env, stdio: 'inherit' })
process.exitCode = status ?? 1
