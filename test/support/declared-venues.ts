/** The example files of declared venues as one. */
import { readFileSync } from 'node:fs'

const names = ['uniswap-v2', 'curve', 'balancer-v2']

export function joinedExamples(): string {
  const lists = names.map((name) => {
    const url = new URL(`../../examples/venues/${name}.yaml`, import.meta.url)
    const [, list = ''] = readFileSync(url, 'utf8').split('venues:\n')
    return list
  })
  return `venues:\n${lists.join('')}`
}
