/** The version in package.json, from the sources as from the compiled files. */
import { readFileSync } from 'node:fs'

function readVersion(): string {
  const depth = import.meta.url.endsWith('.ts') ? '../../' : '../../../'
  const text = readFileSync(new URL(`${depth}package.json`, import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

export const serviceVersion = readVersion()
