/** The version in package.json; works from the sources and from the compiled files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../platform/package-folder.js'

function readVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

export const serviceVersion = readVersion()
