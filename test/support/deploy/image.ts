/** What the Dockerfile promises to whoever runs the image, and whether settings given to it are such. */
import { readFileSync } from 'node:fs'
import { parse as parseWords } from 'yaml'
import { chainVariables } from '../../../src/config/chains.js'
import { environment, loadConfig } from '../../../src/config/config.js'

const text = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ')
const stage = text.slice(text.lastIndexOf('\nFROM '))
const after = (instruction: string) =>
  new RegExp(`^${instruction} (.+)$`, 'm').exec(stage)?.[1] ?? ''

/** Of its last stage. */
export const image = {
  user: after('USER'),
  port: Number(after('EXPOSE')),
  volume: after('VOLUME'),
  healthcheck: after('HEALTHCHECK'),
  entrypoint: parseWords(after('ENTRYPOINT')) as string[],
  env: Object.fromEntries(
    after('ENV')
      .split(/\s+/)
      .map((word) => word.split('=') as [string, string]),
  ) as Record<string, string>,
}

/** What the image sets for Node, npm and glibc. */
const ofOthers = new Set(['NODE_ENV', 'MALLOC_ARENA_MAX', 'XDG_CACHE_HOME', 'npm_config_cache'])

/** @returns the names that no part of the service reads. */
export function unknownVariables(names: readonly string[]): string[] {
  const prefixes = Object.keys(chainVariables)
  return names.filter(
    (name) =>
      !(name in environment.shape) &&
      !ofOthers.has(name) &&
      !prefixes.some((prefix) => name.startsWith(prefix)),
  )
}

/** @throws ConfigError as the container would at its start. */
export function configOf(env: Readonly<Record<string, string>>) {
  return loadConfig({ ...image.env, ...env })
}
