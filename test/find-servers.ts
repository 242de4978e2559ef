/** Before `npm run test:servers`: says which of the servers that its tests start this machine lacks, and how to get them. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Program, and the package of Debian that has it. */
const programs = {
  'redis-server': 'redis-server',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'docker-compose': 'docker-compose',
  nginx: 'nginx-light',
  openssl: 'openssl',
}

// Debian keeps servers where the PATH of an ordinary user does not look.
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
const missing = Object.entries(programs).filter(
  ([name]) => !folders.some((folder) => existsSync(join(folder, name))),
)
if (missing.length > 0) {
  const names = missing.map(([name]) => name).join(', ')
  const packages = [...new Set(missing.map(([, name]) => name))].join(' ')
  console.error(`test:servers lacks ${names}: apt-get install ${packages}`)
  process.exitCode = 1
}
